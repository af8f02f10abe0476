// The claim check of a whole draft: one command, a tree to step through, marks that last, and a report.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';
import { Tree } from './trees.mjs';

const WAIT = 60_000;
let editor, page, tree;

before(async () => {
  editor = await Editor.onExamples({
    prepare: ({ workspace }) => {
      const draft = `${workspace}/survey.tex`;
      const text = fs.readFileSync(draft, 'utf8');
      fs.writeFileSync(draft, text.replace('\\end{document}', 'Nobody has read this one \\citep{nowhere1990}.\n\nRecent work has shown otherwise.\n\\end{document}'));
    },
  });
  ({ page } = editor);
  tree = new Tree(editor, 'Claim check');
  await until(async () => /^25 entries, 13 with full text/.test(await editor.status()), 120_000, 'all papers are read');
}, { timeout: 300_000 });
after(() => editor?.stop());
afterEach((t) => pictureOfFailure(editor, t));

const notified = (text) => until(async () => (await editor.notifications()).find((one) => text.test(one)), WAIT, `the message ${text}`);
const active = (name) => page.locator('.tab.active', { hasText: name }).waitFor({ timeout: WAIT });
const group = async (label) => (await tree.rows()).find(([name]) => name === label)?.[1];

test('before the first check the view explains what it does, and has the button', async () => {
  await tree.open();
  // There is least room for it while the other views are open, too.
  for (const view of ['Evidence', 'Library', 'Claim check']) await editor.run(`Pincite: Focus on ${view} View`);
  const button = tree.pane.getByRole('button', { name: 'Check the whole draft' }).last();
  await button.waitFor();
  const bottom = async (part) => part.boundingBox().then(({ y, height }) => y + height);
  await editor.screenshot('claim-check-before');
  assert.ok(await bottom(button) <= await bottom(tree.pane), 'the button is below the edge of the view');
  await tree.open();
});

test('one command checks the whole draft and counts what it finds by kind', async () => {
  await editor.run('Pincite: Check the whole draft');
  // What the draft can mend is open, what was not checked is one folded row.
  for (const [label, number] of [['Undefined keys', '1'], ['Placeholders', '9'], ['Uncited claims', '1']]) {
    await eventually(() => group(label), number, WAIT);
    assert.equal(await tree.row(label).getAttribute('aria-expanded'), 'true');
  }
  assert.match(await group('Not checked') ?? '', /^5 of \d+ citations$/);
  assert.equal(await tree.row('Not checked').getAttribute('aria-expanded'), 'false');
  assert.match(await tree.message(), /^\d+ citations: \d+ supported, \d+ without support, 5 not checked \(4 title only, 1 undefined key\)\.$/);
  assert.equal(await tree.description(), 'survey.tex: 15 to check');
  assert.match(await tree.row('Placeholders').getAttribute('aria-label'), /^Placeholders: 9\. Places that still need a citation/);
  await editor.screenshot('claim-check');
});

test('a finding is gone to with a click', async () => {
  await tree.row('nowhere1990').click();
  await active('survey.tex');
  await eventually(() => editor.line(), editor.behind('{nowhere1990').line);
  await page.locator('.statusbar', { hasText: '(11 selected)' }).waitFor({ timeout: WAIT });
  await page.locator('.statusbar', { hasText: '14 of 15 findings: ' }).waitFor({ timeout: WAIT });
});

test('keys step through the findings in reading order, file by file, and round again', async () => {
  const steps = [
    ['Control+F8', 'survey.tex', 'Recent work'],
    ['Control+F8', 'survey.tex', '\\citep{garfield1955indexes'],
    ['Control+F8', 'survey.tex', '\\citep{swales1990genre'],
    ['Control+F8', 'sections/retrieval.tex', '\\citep{}'],
  ];
  for (const [key, file, text] of steps) {
    await editor.hit(key);
    await active(file.split('/').at(-1));
    await eventually(() => editor.line(), editor.behind(text, file).line);
  }
  const selected = async () => (await tree.pane.locator('.monaco-list-row.selected').allInnerTexts()).join();
  await eventually(selected, 'The common recipe multiplies how often a term occurs in the document with a factor that falls with the number of documents in the collection that hold it, so that a specific term weighs more than one…sections/retrieval.tex:11');
  await editor.screenshot('claim-check-step');
  await editor.hit('Control+Shift+F8');
  await active('survey.tex');
  await eventually(() => editor.line(), editor.behind('\\citep{swales1990genre').line);
});

test('what is marked as checked is counted, and left out from stepping', async () => {
  await tree.row('nowhere1990').locator('.custom-view-tree-node-item-checkbox').click();
  await eventually(() => group('Undefined keys'), '1, 1 checked', WAIT);
  await editor.run('Pincite: Mark finding as checked or unchecked');
  await tree.unfold('Not checked');
  await eventually(() => group('Title only'), '4, 1 checked', WAIT);
  assert.equal(await tree.description(), 'survey.tex: 13 to check');
  await editor.screenshot('claim-check-marked');
  // Back over the first finding to the last one.
  await editor.hit('Control+Shift+F8');
  await eventually(() => editor.line(), editor.behind('\\citep{garfield1955indexes').line);
  await editor.hit('Control+Shift+F8');
  await eventually(() => editor.line(), editor.behind('Recent work').line);
});

test('marks outlast the window, and the sentence that they are about', async () => {
  await page.reload({ waitUntil: 'domcontentloaded' });
  await page.waitForSelector('.monaco-editor .view-lines .view-line', { timeout: WAIT });
  await until(async () => /^25 entries, 13 with full text/.test(await editor.status().catch(() => '')), WAIT, 'all papers are read');
  await tree.open();
  await editor.run('Pincite: Check the whole draft');
  await eventually(() => group('Undefined keys'), '1, 1 checked', WAIT);
});

test('while the draft is edited nothing is checked; a save checks it again, and a changed sentence is to be checked again', async () => {
  await page.locator('.tab', { hasText: 'survey.tex' }).click();
  await active('survey.tex');
  await editor.goBehind('Nobody has read this');
  await editor.type(' strange');
  await eventually(async () => /checked again when you save it/.test(await tree.message()), true);
  assert.equal(await group('Undefined keys'), '1, 1 checked');
  await editor.screenshot('claim-check-changed');
  await editor.saved();
  await eventually(() => group('Undefined keys'), '1', WAIT);
  assert.match(await tree.message(), /^\d+ citations: [^.]*\.$/);
  assert.equal(await tree.description(), 'survey.tex: 14 to check');
});

test('a placeholder that is filled is gone after the save', async () => {
  await editor.goBehind('\\cite<');
  await editor.hit('Backspace');
  await editor.type('{teufel2002zoning}');
  await editor.hit('Delete');
  await editor.saved();
  await eventually(() => group('Placeholders'), '8', WAIT);
});

for (const [format, name, begins] of [['html', 'report.html', /^<!doctype html>/], ['md', 'report.md', /^# Claim check of survey\.tex/]]) {
  test(`the report is saved (${format})`, async () => {
    await editor.run('Pincite: Save report of the check…');
    const input = page.locator('.quick-input-widget input');
    await until(async () => /survey-check\.html$/.test(await input.inputValue().catch(() => '')), WAIT, 'a file is asked for');
    // While the dialog looks at the folder it may write its own name once more.
    let stable = 0;
    await until(async () => {
      stable = (await input.inputValue()) === editor.path(name) ? stable + 1 : 0;
      if (stable === 0) await input.fill(editor.path(name));
      return stable > 5;
    }, WAIT, 'the name is written');
    await editor.hit('Enter');
    await notified(new RegExp(`^The report is saved as “${name.replace('.', '\\.')}”\\.$`));
    const text = fs.readFileSync(editor.path(name), 'utf8');
    assert.match(text, begins);
    assert.match(text, /nowhere1990/);
    assert.match(text, /survey\.tex:\d+:\d+/);
  });
}

for (const [name, theme, colours] of [['dark', 'Default Dark Modern', 'vs-dark'], ['contrast', 'Default High Contrast', 'hc-black']]) {
  test(`the view takes the colours of the theme (${name})`, async () => {
    await editor.configure({ 'workbench.colorTheme': theme });
    await page.locator(`.monaco-workbench.${colours}`).waitFor({ timeout: WAIT });
    await editor.screenshot(`claim-check-${name}`);
  });
}

test('the keys are free in the editor', async () => {
  await editor.configure({});
  await editor.run('Preferences: Open Default Keyboard Shortcuts (JSON)');
  const shown = page.locator('.monaco-editor[data-uri*="keybindings"], .editor-instance[data-mode-id="jsonc"] .monaco-editor').first();
  await shown.waitFor({ timeout: WAIT });
  await editor.hit('Control+f');
  await page.locator('.find-widget textarea').first().fill('"ctrl+f8"');
  await eventually(async () => (await page.locator('.find-widget .matchesCount').innerText()).trim(), '1 of 1', WAIT);
  await page.locator('.find-widget textarea').first().fill('"ctrl+shift+f8"');
  await eventually(async () => (await page.locator('.find-widget .matchesCount').innerText()).trim(), '1 of 1', WAIT);
});

test('a narrow side bar still has the counts', async () => {
  await editor.run('View: Close Editor');
  await editor.hit('Escape');
  const box = await page.locator('.monaco-sash.vertical').nth(1).boundingBox();
  await page.mouse.move(box.x + 2, 400);
  await page.mouse.down();
  await page.mouse.move(box.x - 110, 400, { steps: 4 });
  await page.mouse.up();
  await editor.screenshot('claim-check-narrow');
  for (const label of ['Undefined keys', 'Placeholders', 'Uncited claims', 'Not checked']) {
    const number = await tree.row(label).locator('.label-description').boundingBox();
    const pane = await tree.pane.boundingBox();
    // The number comes first; how many of them are checked may be cut off.
    assert.ok(number.x + 20 < pane.x + pane.width, label);
  }
});
