// The commands of the palette and the language status item, as an author uses them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, PYTHON, until } from './editor.mjs';

const scratch = fs.mkdtempSync(path.join(tmpdir(), 'pincite-commands-'));
const starts = path.join(scratch, 'starts');
const serverCommand = ['/bin/sh', '-c', `echo started >> ${starts}; exec ${PYTHON} -m pincite serve`];

let editor, page, draft, original;
before(async () => {
  editor = await Editor.onExamples({ settings: { 'pincite.serverCommand': serverCommand } });
  page = editor.page;
  draft = path.join(editor.workspace, 'survey.tex');
  original = fs.readFileSync(draft, 'utf8');
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(async () => {
  await editor?.stop();
  fs.rmSync(scratch, { recursive: true, force: true });
});

const KNOWN = '25 entries, 13 with full text. 12 by abstract or title only';
const known = () => until(async () => await editor.status() === KNOWN, 60_000, 'all papers are read');
const notified = (text) => until(async () => (await editor.notifications()).find((one) => text.test(one)), 30_000, `the message ${text}`);

const rows = () => page.$$eval('.quick-input-list .monaco-list-row', (all) => all.map((row) => row.getAttribute('aria-label')));
const active = () => page.locator('.quick-input-list .monaco-list-row.focused').getAttribute('aria-label');

/** Set the cursor after the first place of a text in the draft. */
async function goBehind(text) {
  const before = original.slice(0, original.indexOf(text) + text.length).split('\n');
  await editor.goTo(before.length, before.at(-1).length + 1);
  // Where the mouse rests, a list that opens below it is entered.
  await page.mouse.move(0, 400);
}

async function suggestHere(first) {
  await editor.run('Pincite: Suggest citations here');
  await until(async () => (await rows())[0]?.startsWith(first), 20_000, `${first} is suggested first`);
}

async function saved() {
  await page.keyboard.press('Control+s');
  await page.locator('.tab.active:not(.dirty)').waitFor();
  return fs.readFileSync(draft, 'utf8');
}

test('the list is updated while papers are read, and what was typed stays', async () => {
  await goBehind('[citation');
  await editor.run('Pincite: Suggest citations here');
  await until(async () => (await rows()).length > 1, 30_000, 'works are listed');
  await page.locator('.quick-input-widget input').fill('teufel2006');
  await until(async () => /p\. \d+ “|Nothing found in \d+ sentences/.test((await rows())[0]), 60_000, 'the full text is read');
  assert.equal((await rows()).length, 1);
  await page.keyboard.press('Escape');
  await page.waitForSelector('.quick-input-widget', { state: 'hidden' });
  await known();
});

test('the status shows what is known of the entries, and offers to attach more papers', async () => {
  await page.locator('[id="status.languageStatus"]').hover();
  const item = page.locator('.hover-language-status .element', { hasText: '25 entries' });
  await item.waitFor();
  assert.match(await item.textContent(), /12 by abstract or title only.*Add library folder…/);
  await editor.screenshot('status');
});

test('ranked works are listed with their best supporting sentence', async () => {
  await goBehind('[citation');
  await suggestHere('Ritchie 2009');
  const listed = await rows();
  assert.match(listed[0], /^Ritchie 2009, Citation Context Analysis for Information Retrieval · ritchie2009contexts, “The thesis asks/);
  for (const row of listed.slice(1, 3)) assert.match(row, /^\D+ \d{4}, .+ · \w+\d{4}\w+, (“|shares: .* · Nothing found in \d+ sentences)/);
  assert.match(await page.locator('.quick-input-widget input').getAttribute('placeholder'), /^“Adding these words to the paper's own full text/);
  assert.equal(await active(), listed[0]);
  await editor.screenshot('suggest-here');
});

test('a work further down gets its sentence when it is looked at', async () => {
  for (let i = 0; i < 20 && !(await active()).startsWith('Mikolov et al. 2013'); i += 1) await page.keyboard.press('ArrowDown');
  await until(async () => /^Mikolov et al\. 2013, .*(“|Nothing found in \d+ sentences)/.test(await active()), 10_000, 'its sentence is shown');
  await page.keyboard.press('ArrowUp');
  await until(async () => !(await active()).startsWith('Mikolov'), 10_000, 'the list goes on from there');
  await editor.screenshot('suggest-here-further-down');
});

test('a button shows what was added last first, and what fits best again', async () => {
  const turn = (title) => page.locator('.quick-input-titlebar').getByRole('button', { name: title }).click();
  await turn('Show the newest first');
  await until(async () => (await rows())[0]?.startsWith('Inui et al. 2019'), 20_000, 'the last entry of the file comes first');
  await editor.screenshot('suggest-here-newest');
  await turn('Show the best first');
  await until(async () => (await rows())[0]?.startsWith('Ritchie 2009'), 20_000, 'the best comes first');
  await page.locator('.quick-input-widget input').focus();
});

test('typing filters by author, title and key', async () => {
  await editor.type('teufel');
  await until(async () => (await rows()).length === 2, 10_000, 'two works by Teufel');
  await page.locator('.quick-input-widget input').fill('coherence');
  await until(async () => (await rows())[0]?.startsWith('Barzilay and Lapata 2008'), 10_000, 'a work by its title');
  await page.locator('.quick-input-widget input').fill('teufel2006');
  await until(async () => (await rows()).length === 1, 10_000, 'a work by its key');
});

test('the chosen work fills the placeholder, and one undo takes it back', async () => {
  await page.keyboard.press('Enter');
  await page.waitForSelector('.quick-input-widget', { state: 'hidden' });
  await page.locator('.tab.active.dirty').waitFor();
  assert.equal(await saved(), original.replace(' [citation needed]', ' \\citep{teufel2006function}'));
  await page.keyboard.press('Control+z');
  await page.locator('.tab.active.dirty').waitFor();
  assert.equal(await saved(), original);
  assert.deepEqual(await editor.notifications(), []);
});

test('the action on a citation lists the works that are not cited there', async () => {
  await goBehind('\\citep{swales1990');
  await page.keyboard.press('Control+.');
  const chosen = page.locator('.action-widget .monaco-list-row.focused');
  await until(async () => {
    if ((await chosen.textContent()).includes('Suggest other citations here')) return true;
    await page.keyboard.press('ArrowDown');
    return false;
  }, 10_000, 'the action is offered');
  await page.keyboard.press('Enter');
  await until(async () => (await rows()).length > 1, 20_000, 'works are listed');
  await page.locator('.quick-input-widget input').fill('swales');
  await until(async () => (await rows()).every((row) => !row?.includes('swales1990genre')), 10_000, 'what is cited is not listed');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.quick-input-widget', { state: 'hidden' });
});

test('a button of a work shows its entry', async () => {
  await goBehind('[citation');
  await suggestHere('Ritchie 2009');
  await page.locator('.quick-input-list .monaco-list-row').first().hover();
  await page.locator('.quick-input-list .monaco-list-row').first().getByRole('button', { name: 'Show the entry' }).click();
  await page.locator('.tab.active', { hasText: 'references.bib' }).waitFor();
  await page.locator('.view-line', { hasText: 'ritchie2009contexts' }).first().waitFor();
  await editor.run('View: Revert and Close Editor');
  await page.locator('.tab.active', { hasText: 'survey.tex' }).waitFor();
});

test('the index is rebuilt', async () => {
  await editor.run('Pincite: Rebuild library index');
  await notified(/^Read again: 25 entries, 13 with full text\.$/);
  await known();
});

test('a folder with papers is added to the settings of the workspace', async () => {
  const settings = path.join(editor.workspace, '.vscode/settings.json');
  for (const answer of [/now reads the papers in “papers-src”/, /already reads the papers of this folder/]) {
    await editor.run('Pincite: Add library folder…');
    const input = page.locator('.quick-input-widget input');
    await until(async () => (await rows()).length > 3 && (await input.inputValue()) === `${editor.workspace}/`, 20_000, 'folders to choose from');
    // Enter would choose the folder or go into it, whichever is first: the list or the key.
    await input.fill(`${editor.workspace}/papers-src/`);
    await until(async () => (await rows()).length === 1, 20_000, 'the folder is listed');
    await page.locator('.quick-input-widget').getByRole('button', { name: 'Add', exact: true }).click();
    await notified(answer);
    assert.deepEqual(JSON.parse(fs.readFileSync(settings, 'utf8')), { 'pincite.library.folders': ['papers-src'] });
  }
  await known();
});

test('the report contains the set-up and nothing of the author', async () => {
  await editor.run('Pincite: Report a problem');
  await page.locator('.tab.active', { hasText: 'Untitled' }).waitFor();
  const lines = page.locator('.editor-instance .view-line');
  await lines.filter({ hasText: 'What did you do' }).waitFor();
  const text = (await lines.allTextContents()).join('\n').replaceAll('\u00a0', ' ');
  assert.match(text, /Pincite \| \d+\.\d+\.\d+/);
  assert.match(text, /Server \| [\d.]+, running, from the setting pincite.serverCommand/);
  assert.match(text, /Index \| 25 entries: \d+ full texts?, \d+ abstracts?, \d+ titles?; (reading|ready)/);
  assert.match(text, /`pincite.library.folders`: 1 given/);
  assert.match(text, /`pincite.serverCommand`: 3 given/);
  for (const own of [editor.scratch, 'survey', 'references.bib', 'papers-src']) assert.ok(!text.includes(own), own);
  await editor.screenshot('report');
  await editor.run('View: Revert and Close Editor');
  await page.locator('.tab.active', { hasText: 'survey.tex' }).waitFor();
});

test('the server is restarted', async () => {
  assert.equal(fs.readFileSync(starts, 'utf8'), 'started\n');
  await editor.run('Pincite: Restart server');
  await until(() => fs.readFileSync(starts, 'utf8') === 'started\nstarted\n', 30_000, 'a second server');
  await known();
});

test('the logs are shown', async () => {
  await editor.run('Pincite: Show logs');
  await page.locator('.part.panel select option:checked, .part.panel .title-label, .part.panel', { hasText: 'Pincite' }).first().waitFor();
  await editor.screenshot('logs');
});
