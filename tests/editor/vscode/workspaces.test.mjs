// Several folders in one workspace, which is not trusted at first.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, PYTHON, scratchWithExamples, until } from './editor.mjs';

const GAP = 'shuffled ones \\citep{';
const NOTES = '\\documentclass{article}\n\\begin{document}\nMoves of an argument \n\\bibliography{notes}\n\\end{document}\n';
const NOTE = '@book{toulmin1958uses, author = {Toulmin, Stephen}, title = {The Uses of Argument}, year = {1958}}\n';
const LIBRARY = '@book{eco1977thesis, author = {Eco, Umberto}, title = {How to Write a Thesis}, year = {1977}}\n';

let editor;
before(async () => {
  const { scratch, workspace, home } = scratchWithExamples();
  const write = (name, text) => {
    fs.mkdirSync(path.dirname(path.join(scratch, name)), { recursive: true });
    fs.writeFileSync(path.join(scratch, name), text);
  };
  write('notes/notes.tex', NOTES);
  write('notes/notes.bib', NOTE);
  write('library.bib', LIBRARY);
  write('both.code-workspace', JSON.stringify({
    folders: [{ path: 'examples' }, { path: 'notes' }],
    settings: { 'pincite.globalBibliographies': [path.join(scratch, 'library.bib')], 'pincite.interpreter': '/bin/false' },
  }));
  editor = await Editor.start({
    home, scratch, workspace: path.join(scratch, 'both.code-workspace'), file: path.join(workspace, 'survey.tex'),
    settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never', 'pincite.interpreter': PYTHON },
  });
  editor.workspace = workspace;
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(() => editor?.stop());

/** Ask for suggestions with these letters; return their keys. */
async function suggestedFor(letters) {
  await editor.type(letters);
  const keys = (await editor.suggest()).map(({ key }) => key);
  await editor.hit('Escape', ...Array(letters.length).fill('Backspace'));
  return keys;
}

test('where the workspace is not trusted, it names no programs and no files', async () => {
  await editor.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
  const ranking = await editor.ranking(GAP);
  await editor.goBehind(GAP);
  await eventually(async () => (await editor.suggest()).slice(0, 10).map(({ key }) => key), ranking.slice(0, 10));
  await editor.screenshot('untrusted');
  assert.ok(!(await suggestedFor('eco')).includes('eco1977thesis'));
  assert.deepEqual(await editor.messages(), []);
});

test('one server is for all folders', async () => {
  const row = (name) => editor.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`).first();
  await row('notes').click();
  await editor.hit('ArrowRight');
  await row('notes.tex').dblclick();
  await eventually(() => editor.activeTab(), 'notes.tex');
  await editor.goTo(3, 22);
  await editor.type('\\cite{');
  await eventually(async () => (await editor.suggest()).map(({ key }) => key), ['The Uses of Argument']);
  assert.equal(editor.servers().length, 1);
  await editor.revert();
});

test('once it is trusted, it names them', async () => {
  await editor.run('Workspaces: Manage Workspace Trust');
  await editor.page.locator('.workspace-trust-buttons-row').getByRole('button', { name: 'Trust', exact: true }).first().click();
  await until(async () => (await editor.notifications()).some((text) => text.includes('“/bin/false” is not a working Python')), 30_000, 'what is wrong');
  await editor.screenshot('trusted');
});
