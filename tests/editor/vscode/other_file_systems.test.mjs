// A project of Overleaf, opened by an extension: its files are on no disk.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';

const of = (name) => `overleaf-workshop://www.overleaf.com/Thesis${name}?user%3D1%26project%3D2`;

let editor;
before(async () => {
  editor = await Editor.onExamples({ standins: ['overleaf-workshop'] });
  const payload = JSON.stringify([['openFile', of('/parts/moves.tex')]]);
  await editor.page.goto(`${editor.address}/?folder=${encodeURIComponent(of(''))}&payload=${encodeURIComponent(payload)}`,
    { waitUntil: 'domcontentloaded' });
  await editor.page.locator('.tab.active[data-resource-name="moves.tex"]').waitFor({ timeout: 60_000 });
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(() => editor?.stop());

const titles = async () => (await editor.suggest()).map(({ title }) => title).filter(Boolean); // no rows that act

test('a chapter has suggestions from the bibliography of its main file', async () => {
  await editor.goTo(1, 32);
  await eventually(titles, ['The Uses of Argument'], 60_000);
  await editor.screenshot('other-file-system');
  await editor.hit('Enter');
  await until(() => editor.page.getByText('argument \\cite{toulmin1958uses}, and').isVisible(), 10_000, 'the citation');
  assert.deepEqual(await editor.messages(), []);
});

test('a key leads to its entry, and what is saved there counts', async () => {
  await editor.hit('F12');
  await eventually(() => editor.activeTab(), 'refs.bib');
  // The tab is there before its text takes the keys.
  await editor.page.locator('.monaco-editor.focused', { hasText: 'The Uses of Argument' }).waitFor();
  await editor.hit('Control+End');
  await editor.page.keyboard.insertText('@book{eco1977thesis, author = {Eco, Umberto}, title = {How to Write a Thesis}, year = {1977}}');
  await editor.page.locator('.tab.active.dirty').waitFor();
  await editor.hit('Control+s');
  await editor.page.locator('.tab.active:not(.dirty)').waitFor();
  await editor.hit('Control+w');
  await eventually(() => editor.activeTab(), 'moves.tex');
  await editor.goTo(1, 32);
  // The one that is there is not suggested again.
  await eventually(titles, ['How to Write a Thesis'], 60_000);
});
