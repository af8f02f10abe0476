// An author begins with nothing: no bibliography in the folder. The list of keys offers one, in LaTeX and in Markdown.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, PYTHON, TYPED_ALONE, until } from './editor.mjs';
import { Tree } from './trees.mjs';

const TEX = '\\documentclass{article}\n\\begin{document}\nMoves of an argument\n\\end{document}\n';
const NOTES = '# Notes\n\nMoves of an argument\n';
const CREATE = 'Create references.bib and name it';
const HOW = 'There is no bibliography with an entry yet. Begin a citation, such as [@ or \\cite{, to be offered one.';

let editor;
before(async () => {
  const scratch = fs.mkdtempSync(path.join(tmpdir(), 'pincite-vscode-'));
  const workspace = path.join(scratch, 'paper');
  fs.mkdirSync(workspace);
  fs.writeFileSync(path.join(workspace, 'notes.md'), NOTES);
  fs.writeFileSync(path.join(workspace, 'main.tex'), TEX);
  editor = await Editor.start({
    scratch, workspace, home: path.join(scratch, 'home'), file: path.join(workspace, 'notes.md'), settings: { 'pincite.interpreter': PYTHON, ...TYPED_ALONE },
  });
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(() => editor?.stop());

/** The titles in the list at the cursor. */
async function titles() {
  return (await editor.suggest()).map(({ key, authorYear }) => authorYear || key);
}

/** Wait for the list to open, without another key. */
function opened() {
  return eventually(async () => (await editor.list())[0]?.key, CREATE, 60_000);
}

/** Choose the first row; return the file once it is saved. */
async function chosen(file, named) {
  await editor.hit('Enter');
  await editor.page.locator('.tab.active.dirty').waitFor();
  await until(() => fs.existsSync(editor.path('references.bib')), 10_000, 'a bibliography');
  return until(async () => {
    const text = await editor.saved(file);
    return text.includes(named) && text;
  }, 10_000, named);
}

test('in Markdown a citation that is begun wakes the extension, and the list creates a bibliography', async () => {
  await editor.goBehind('Moves of an argument', 'notes.md');
  // This may come before the server runs.
  await editor.type(' [@');
  await opened();
  await editor.screenshot('nothing-markdown');
  const text = await chosen('notes.md', 'bibliography');
  assert.equal(text, `---\nbibliography: references.bib\n---\n\n${NOTES.replace('argument', 'argument [@')}`);
  assert.equal(fs.readFileSync(editor.path('references.bib'), 'utf8'), '');
});

test('both views have it as a button, and are never empty', async () => {
  fs.rmSync(editor.path('references.bib'), { force: true });
  await editor.open(editor.workspace, editor.path('main.tex'));
  await editor.run('Pincite: Focus on Evidence View');
  const view = editor.page.locator('iframe.webview').first().contentFrame().locator('iframe').contentFrame();
  await view.getByRole('button', { name: CREATE }).waitFor({ timeout: 60_000 });
  await editor.screenshot('nothing-evidence');
  const tree = new Tree(editor, 'Library');
  await tree.open();
  await eventually(() => tree.message(), 'main.tex names no bibliography.');
  await eventually(async () => (await tree.labels())[0], CREATE);
  await editor.screenshot('nothing-library');
  await tree.row(CREATE).click();
  await until(() => fs.existsSync(editor.path('references.bib')), 30_000, 'a bibliography');
  await until(async () => /\\bibliography\{references\}/.test(await editor.saved('main.tex')), 30_000, 'its name in the draft');
  await eventually(() => tree.message(), 'references.bib has no entry yet.');
  // As Zotero does, another program adds the first entry.
  fs.writeFileSync(editor.path('references.bib'), '@book{toulmin, author = {Toulmin, Stephen}, title = {The Uses of Argument}, year = 1958}\n');
  await eventually(() => tree.rows(), [['Title only', '1']]);
  fs.rmSync(editor.path('references.bib'));
  fs.writeFileSync(editor.path('main.tex'), TEX);
});

test('in LaTeX the list does so too, and what is typed already stays', async () => {
  fs.rmSync(editor.path('references.bib'), { force: true });
  await editor.open(editor.workspace, editor.path('main.tex'));
  await editor.goBehind('Moves of an argument', 'main.tex');
  await editor.type(' \\cite{');
  await opened();
  await editor.type('toul}');
  await editor.hit('ArrowLeft');
  await eventually(async () => (await titles())[0], CREATE, 60_000);
  await editor.screenshot('nothing-latex');
  const text = await chosen('main.tex', 'bibliography');
  const named = '\\bibliographystyle{plain}\n\\bibliography{references}\n\\end';
  assert.equal(text, TEX.replace('argument', 'argument \\cite{toul}').replace('\\end', named));
});

test('in Typst too', async () => {
  fs.rmSync(editor.path('references.bib'), { force: true });
  fs.writeFileSync(editor.path('paper.typ'), 'Moves of an argument\n');
  await editor.open(editor.workspace, editor.path('paper.typ'));
  await editor.goBehind('Moves of an argument', 'paper.typ');
  await editor.type(' #cite(<');
  await opened();
  await editor.screenshot('nothing-typst');
  const text = await chosen('paper.typ', 'bibliography');
  assert.equal(text, 'Moves of an argument #cite(<\n\n#bibliography("references.bib")\n');
  fs.rmSync(editor.path('paper.typ'));
});

test('beside a README the views are not empty either', async () => {
  fs.rmSync(editor.path('references.bib'), { force: true });
  fs.writeFileSync(editor.path('README.md'), '# A tool\n\nThanks to all.\n');
  const library = new Tree(editor, 'Library');
  const evidence = editor.page.locator('iframe.webview').first().contentFrame().locator('iframe').contentFrame();
  const shown = { Library: () => eventually(() => library.message(), HOW), Evidence: () => evidence.getByText(HOW).waitFor({ timeout: 60_000 }) };
  for (const [view, appears] of Object.entries(shown)) {
    await editor.open(editor.workspace, editor.path('README.md'));
    await editor.run(`Pincite: Focus on ${view} View`);
    await appears();
    await editor.screenshot(`nothing-readme-${view}`);
  }
});
