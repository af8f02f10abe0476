// The Library view: what is known of the entries, what is wrong with them, and what to do.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';
import { Tree } from './trees.mjs';

const BROUGHT = String.raw`
@article{rivers1990, author = {River, Anna}, title = {Rivers}, year = 1990, file = {C:\Users\ann\Zotero\storage\AB12\rivers.txt}}
@article{lakes1991, author = {Lake, Ben}, title = {Lakes}, year = 1991, file = {C:\Users\ann\Zotero\storage\CD34\lakes.txt}}
@article{undated, author = {Pond, Cid}, title = {Ponds}}
@article{seas1992, author = {Sea, Dora}, title = {Seas}, year = 1992 note = {no comma}}
@article{seas1992b, author = {Sea, Dora}, title = {Seas}, year = 1992}
`;
const WAIT = 60_000;
let editor, page, tree;

before(async () => {
  editor = await Editor.onExamples({
    prepare: ({ workspace }) => {
      fs.appendFileSync(path.join(workspace, 'references.bib'), BROUGHT);
      fs.writeFileSync(path.join(workspace, 'papers/undated.pdf'), '%PDF-1.4 cut off');
      for (const [name, text] of [['AB12/rivers', 'Rivers carry water to the sea.'], ['CD34/lakes', 'Lakes keep it.']]) {
        const file = path.join(workspace, 'zotero', `${name}.txt`);
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, text.repeat(20));
      }
    },
  });
  ({ page } = editor);
  tree = new Tree(editor, 'Library');
  await tree.open();
  await until(async () => {
    const message = await tree.message();
    assert.doesNotMatch(message, /Open a draft| 0 of 0 /);
    return await tree.row('Title only').count();
  }, 120_000, 'the library');
}, { timeout: 300_000 });
after(() => editor?.stop());
afterEach((t) => pictureOfFailure(editor, t));

const active = (name) => page.locator('.tab.active', { hasText: name }).waitFor({ timeout: WAIT });
const notified = (text) => until(async () => (await editor.notifications()).find((one) => text.test(one)), WAIT, `the message ${text}`);

test('what is wrong comes first, with numbers, then what is known of the entries', async () => {
  await eventually(() => tree.rows(), [
    ['Locate 2 files…', '2 of 7 papers are not on this computer'],
    ['Not on this computer', '2 of 7'],
    ['Cannot be read', '1'],
    ['Broken entries', '1'],
    ['Duplicates', '1'],
    ['Without a year', '1'],
    ['Full text', '13'],
    ['Abstract only', '7'],
    ['Title only', '10'],
  ], WAIT);
  assert.equal(await tree.description(), 'survey.tex: 30 entries, 20 cited');
  assert.equal(await tree.message(), '');
  assert.match(await tree.row('Duplicates').getAttribute('aria-label'), /^Duplicates: 1\. Merge them/);
  await editor.screenshot('library');
});

test('a problem of an entry opens the entry, where it is broken', async () => {
  await tree.unfold('Broken entries');
  await tree.row('Sea 1992').click();
  await active('references.bib');
  const line = fs.readFileSync(editor.path('references.bib'), 'utf8').split('\n').findIndex((one) => one.includes('no comma'));
  await eventually(() => editor.line(), line + 1);
  await editor.screenshot('library-entry');
});

test('the view stays with the draft, though a bibliography is open', async () => {
  assert.match(await tree.description(), /^survey\.tex/);
  await editor.run('View: Close Editor');
  await active('survey.tex');
});

test('the keyboard is enough', async () => {
  await tree.open();
  await tree.row('Without a year').click();
  // First it unfolds the row, then it goes to the row below it.
  await until(async () => {
    await editor.hit('ArrowRight');
    return /^Pond/.test(await tree.pane.locator('.monaco-list-row.focused').getAttribute('aria-label') ?? '');
  }, WAIT, 'the entry has the focus');
  await editor.hit('Enter');
  await active('references.bib');
  await editor.run('View: Close Editor');
});

test('a work with a full text opens it, and its entry from the menu of the row', async () => {
  await tree.unfold('Full text');
  const row = tree.row('Spärck Jones 1972');
  await row.scrollIntoViewIfNeeded();
  await row.click();
  await active('sparck-jones-1972.txt');
  await tree.press('Spärck Jones 1972', 'Show the entry');
  await active('references.bib');
  await editor.hit('Control+k', 'Control+w');
  await eventually(() => tree.message(), 'Open a draft to see what Pincite knows about its references.', WAIT);
  await eventually(() => tree.labels(), ['Open a draft…']);
  await tree.row('Open a draft…').click();
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'survey.tex' }).first().click();
  await active('survey.tex');
  await tree.row('Full text').waitFor({ timeout: WAIT });
});

for (const [name, theme, colours] of [['dark', 'Default Dark Modern', 'vs-dark'], ['contrast', 'Default High Contrast', 'hc-black']]) {
  test(`the view takes the colours of the theme (${name})`, async () => {
    await editor.configure({ 'workbench.colorTheme': theme });
    await page.locator(`.monaco-workbench.${colours}`).waitFor({ timeout: WAIT });
    await tree.unfold('Duplicates');
    await editor.screenshot(`library-${name}`);
  });
}

test('one folder mends all missing files; a folder without them is reported', async () => {
  await editor.configure({});
  await page.locator('.monaco-workbench.vs').waitFor({ timeout: WAIT });
  const bibliography = fs.readFileSync(editor.path('references.bib'), 'utf8');
  const input = page.locator('.quick-input-widget input');
  const choose = async (folder) => {
    await until(async () => await input.inputValue().catch(() => '') === `${editor.workspace}/`, WAIT, 'the folder is asked for');
    await input.fill(`${editor.workspace}/${folder}/`);
    await until(async () => (await page.locator('.quick-input-list .monaco-list-row').count()) > 0, 20_000, 'its contents are listed');
    await page.locator('.quick-input-widget').getByRole('button', { name: 'Locate', exact: true }).click();
  };
  await tree.row('Locate 2 files…').click();
  await page.locator('.quick-input-widget', { hasText: 'Where is “C:/Users/ann/Zotero/storage” on this computer?' }).waitFor({ timeout: WAIT });
  await editor.screenshot('library-locate');
  await choose('sections');
  await notified(/^None of the missing files is in “.*sections”\.$/);
  await editor.press('Choose another folder');
  await choose('zotero');
  await notified(/^Found 2 missing files\. Pincite now reads them\.$/);
  await eventually(async () => (await tree.rows()).slice(0, 1), [['Cannot be read', '1']], WAIT);
  await eventually(async () => (await tree.rows()).find(([label]) => label === 'Full text'), ['Full text', '15'], WAIT);
  const settings = JSON.parse(fs.readFileSync(editor.path('.vscode/settings.json'), 'utf8'));
  assert.deepEqual(settings, { 'pincite.library.baseFolders': ['zotero'] });
  assert.equal(fs.readFileSync(editor.path('references.bib'), 'utf8'), bibliography);
  await editor.screenshot('library-located');
});

test('the view follows what is mended in a bibliography, when it is saved', async () => {
  const { line, column } = editor.behind('title = {Ponds}', 'references.bib');
  await tree.unfold('Without a year');
  await tree.row('Pond').click();
  await active('references.bib');
  await editor.goTo(line, column);
  await editor.type(', year = 1999');
  await editor.saved('references.bib');
  await eventually(async () => (await tree.labels()).includes('Without a year'), false, WAIT);
});

test('a narrow side bar still shows what is wrong, and how much', async () => {
  await editor.run('View: Close Editor');
  const sash = page.locator('.monaco-sash.vertical').nth(1);
  const box = await sash.boundingBox();
  await page.mouse.move(box.x + 2, 400);
  await page.mouse.down();
  await page.mouse.move(box.x - 110, 400, { steps: 4 });
  await page.mouse.up();
  await editor.screenshot('library-narrow');
  // While the rows are drawn again, none is there.
  for (const label of ['Cannot be read', 'Duplicates']) await tree.row(label).waitFor({ timeout: WAIT });
});

test('without a server it states why, and what to do', async () => {
  await editor.configure({ 'pincite.serverCommand': ['false'] });
  await eventually(async () => /^The setting pincite\.serverCommand is wrong/.test(await tree.message()), true, WAIT);
  await eventually(() => tree.labels(), ['Open settings', 'Show logs']);
  await editor.screenshot('library-no-server');
});
