// A thesis in Latin-1, which the editor opens as UTF-8 by default: nothing of it is damaged.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';

import { Editor, PYTHON, eventually, pictureOfFailure, until } from './editor.mjs';

const DRAFT = String.raw`\documentclass{article}
\usepackage[latin1]{inputenc}
\begin{document}
\input{chapter}
Glaciers carry stones, as is known \cite{aergern1990}.
Rivers that come from glaciers are cold in summer \cite{}.
\bibliography{refs}
\end{document}
`;
const CHAPTER = 'Die Größe der Flüsse \\cite{aergern1990} ändert sich.\n';
const REFS = `% Encoding: ISO8859_1

@book{aergern1990, author = {Ärgern, Jörg}, title = {Flüsse und Größe}, year = 1990}
`;
// One letter of it is in Latin-1, one is not.
const LIBRARY = '@article{stono2001, author={Ŝtono, Jörg}, title={Cold rivers of glaciers in summer}, year=2001}\n';
const BYTES = { 'main.tex': Buffer.from(DRAFT), 'chapter.tex': Buffer.from(CHAPTER, 'latin1'), 'refs.bib': Buffer.from(REFS, 'latin1') };

let editor;
function withThesis(settings) {
  before(async () => {
    editor = await Editor.onExamples({
      file: 'main.tex',
      settings: { 'pincite.globalBibliographies': ['../library.bib'], ...settings },
      prepare({ workspace }) {
        fs.rmSync(workspace, { recursive: true });
        fs.mkdirSync(workspace);
        for (const [name, bytes] of Object.entries(BYTES)) fs.writeFileSync(path.join(workspace, name), bytes);
        fs.writeFileSync(path.join(workspace, '../library.bib'), LIBRARY);
      },
    });
  }, { timeout: 180_000 });
  afterEach((t) => pictureOfFailure(editor, t));
  after(() => editor?.stop());
}

const bytes = (name) => fs.readFileSync(editor.path(name));

/** Wait for a message to the author, in the text or beside it. */
async function notified(message) {
  const inText = () => editor.page.$$eval('.monaco-editor-overlaymessage .message', (all) => all.map((one) => one.textContent));
  await until(async () => [...await editor.notifications(), ...await inText()].some((one) => message.test(one)), 30_000, `the message ${message}`);
}

async function chooseOfLibrary() {
  await editor.goBehind('in summer \\cite{', 'main.tex');
  await editor.type('stono');
  const listed = async () => (await editor.list()).length ? editor.keys() : (await editor.suggest()).map(({ key }) => key);
  await eventually(listed, ['stono2001']);
  await editor.hit('Enter');
}

async function citeOfLibrary() {
  await editor.goBehind('in summer \\cite{', 'main.tex');
  await editor.run('Pincite: Suggest citations here');
  await editor.page.locator('.quick-input-widget input').fill('Cold');
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Ŝtono 2001' }).waitFor();
  await editor.hit('Enter');
}

async function rename() {
  await editor.goBehind('as is known \\cite{aerg', 'main.tex');
  await editor.hit('F2');
  await editor.page.locator('.rename-box input').fill('other1990');
  await editor.hit('Enter');
}

/** Open a file as an author does, who then goes back to the draft. */
async function openBeside(name) {
  await editor.hit('Escape', 'Control+p');
  await editor.page.locator('.quick-input-widget input').fill(name);
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
  await editor.hit('Enter');
  await eventually(() => editor.activeTab(), name);
  await editor.hit('Control+PageUp');
  await eventually(() => editor.activeTab(), 'main.tex');
}

describe('files that are not open', () => {
  withThesis({});
  const REFUSED = /refs\.bib is in iso8859_1, and an editor that opens it as UTF-8 would destroy its letters\. It was not changed: open it in its encoding/;
  afterEach(() => {
    for (const name of ['refs.bib', 'chapter.tex']) assert.deepEqual(bytes(name), BYTES[name]);
  });

  test('no entry is added to a bibliography in Latin-1', async () => {
    await chooseOfLibrary();
    await notified(REFUSED);
    await editor.screenshot('encoding-refused');
    await editor.revert();
    await editor.run('Notifications: Clear All Notifications');
  });

  test('a citation of the library is not inserted either', async () => {
    await citeOfLibrary();
    await notified(REFUSED);
    assert.equal(await editor.saved('main.tex'), DRAFT);
    await editor.run('Notifications: Clear All Notifications');
  });

  test('a key is renamed in none of the files', async () => {
    await rename();
    await notified(/(chapter\.tex is not in UTF-8|refs\.bib is in iso8859_1), and an editor that opens it as UTF-8/);
    assert.equal(await editor.saved('main.tex'), DRAFT);
  });

  test('opened as UTF-8, the bibliography is not edited', async () => {
    await openBeside('refs.bib');
    await chooseOfLibrary();
    await notified(/refs\.bib is in iso8859_1, and the editor has read it in another encoding\. It was not changed: reopen it/);
  });
});

describe('a server that does not look at encodings', () => {
  const WITHOUT = 'from pincite.lsp.features import citing, code_actions, workspace_edits; '
    + 'workspace_edits.editable_in = citing.editable_in = code_actions.editable_in = lambda *_: "utf-8"; from pincite.cli.app import main; main()';
  withThesis({ 'pincite.serverCommand': [PYTHON, '-c', WITHOUT, 'serve'] });

  test('what it adds is not saved where the editor has lost letters', async () => {
    await chooseOfLibrary();
    await notified(/^Pincite did not save refs\.bib: it is not in UTF-8, and its accented letters would be lost\./);
    assert.deepEqual(bytes('refs.bib'), BYTES['refs.bib']);
  });
});

describe('files that are open in their encoding', () => {
  withThesis({ 'files.encoding': 'iso88591' });
  before(async () => {
    for (const name of ['chapter.tex', 'refs.bib']) await openBeside(name);
  });

  test('an entry of the library is added with the letters that the file can have', async () => {
    await chooseOfLibrary();
    await notified(/^Added stono2001 to refs\.bib\.$/);
    const added = '\n@article{stono2001, author={{\\^{S}}tono, Jörg}, title={Cold rivers of glaciers in summer}, year=2001}\n';
    await eventually(() => bytes('refs.bib').toString('latin1'), REFS + added);
    assert.match(await editor.saved('main.tex'), /\\cite\{stono2001\}/);
  });

  test('a key is renamed everywhere, and all other letters stay', async () => {
    await rename();
    await editor.page.locator('.tab.dirty').first().waitFor();
    await editor.run('File: Save All Files');
    await eventually(() => bytes('chapter.tex').toString('latin1'), CHAPTER.replace('aergern1990', 'other1990'));
    await eventually(() => bytes('refs.bib').toString('latin1').includes('@book{other1990, author = {Ärgern, Jörg}, title = {Flüsse und Größe}'), true);
  });
});
