// Adding a work: from the row of an empty list to the entry and the citation, with services on this computer.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, PYTHON, TESTS, TYPED_ALONE, until } from './editor.mjs';
import { Services } from './services.mjs';

const WORKS = `[Work("10.1000/moves", "Moves of an argument", [("Toulmin", "Stephen E.")], 1958, journal="Reasons", volume="3", page="1-9")]`;
const TEX = '\\documentclass{article}\n\\begin{document}\nMoves of an argument\n\\end{document}\n';
const ADD = 'Add a work by DOI, arXiv id, title or clipboard…';

let editor, page, services;

before(async () => {
  services = await Services.start(WORKS);
  const scratch = fs.mkdtempSync(path.join(tmpdir(), 'pincite-vscode-'));
  const workspace = path.join(scratch, 'paper');
  fs.mkdirSync(path.join(workspace, 'papers'), { recursive: true });
  fs.writeFileSync(path.join(workspace, 'main.tex'), TEX);
  const environment = { ...process.env, PINCITE_SERVICES: services.address, PINCITE_CACHE: path.join(scratch, 'cache'), PINCITE_ZOTERO: path.join(scratch, 'none') };
  editor = await Editor.start({
    scratch, workspace, home: path.join(scratch, 'home'), file: path.join(workspace, 'main.tex'), settings: { 'pincite.interpreter': PYTHON, ...TYPED_ALONE }, environment,
  });
  ({ page } = editor);
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(async () => {
  services?.stop();
  await editor?.stop();
});

const dialog = () => page.locator('.monaco-dialog-box');
const titles = async () => (await editor.suggest()).map(({ key, authorYear }) => authorYear || key);

test('from the row of the list a work is looked up, added, and cited', async () => {
  await editor.goBehind('Moves of an argument', 'main.tex');
  await editor.type(' \\cite{toul}');
  await editor.hit('ArrowLeft');
  await eventually(async () => (await titles()).at(-1), ADD, 60_000);
  await editor.screenshot('add-row');
  await editor.hit('ArrowUp', 'Enter');
  await page.locator('.quick-input-widget input').first().waitFor();
  await page.keyboard.type('10.1000/moves');
  await editor.screenshot('add-input');
  await editor.hit('Enter');
  await dialog().waitFor();
  assert.match(await dialog().innerText(), /doi\.org: DOI 10\.1000\/moves/);
  await editor.screenshot('add-question');
  assert.equal(await services.requests(), 0);
  await dialog().getByRole('button', { name: 'Look Up', exact: true }).click();
  const bib = await until(() => fs.existsSync(editor.path('references.bib')) && fs.readFileSync(editor.path('references.bib'), 'utf8'), 30_000, 'an entry');
  assert.match(bib, /^@article\{toulmin1958moves,\n {2}author = \{Toulmin, Stephen E\.\},/);
  const text = await until(async () => {
    const saved = await editor.saved('main.tex');
    return saved.includes('bibliography') && saved;
  }, 10_000, 'a citation');
  const named = '\\bibliographystyle{plain}\n\\bibliography{references}\n\\end';
  assert.equal(text, TEX.replace('argument', 'argument \\cite{toulmin1958moves}').replace('\\end', named));
  await editor.screenshot('add-done');
});

test('a work that is there is not added again', async () => {
  await editor.run('Pincite: Add a work');
  await page.locator('.quick-input-widget input').first().waitFor();
  await page.keyboard.type('doi:10.1000/moves');
  await editor.hit('Enter');
  await until(async () => /is in the bibliography already: toulmin1958moves/.test(await page.locator('.notifications-toasts').innerText().catch(() => '')), 30_000, 'the message');
});

test('an entry in the clipboard is added in the manner of the others, and nothing is sent', async () => {
  const sent = await services.requests();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(() => navigator.clipboard.writeText('@misc{zz9, author = {Perelman, Chaim}, title = {Realm of rhetoric}, year = {1982}}'));
  await editor.run('Pincite: Add a work');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'The clipboard' }).click();
  await until(() => /@misc\{perelman1982realm,/.test(fs.readFileSync(editor.path('references.bib'), 'utf8')), 30_000, 'the entry');
  assert.equal(await services.requests(), sent);
});

/** Answer the question about a PDF without asking anybody, and wait for an entry with this title. */
async function addFromPdf(title) {
  await dialog().getByRole('button', { name: 'Add from the PDF Only', exact: true }).click();
  // Braces protect its capitals.
  await until(() => fs.readFileSync(editor.path('references.bib'), 'utf8').replace(/[{}]/g, '').includes(title), 30_000, `an entry of ${title}`);
}

const paper = (name) => path.join(TESTS, '../examples/papers', name);

test('a PDF that comes into a folder of papers is offered', async () => {
  const sent = await services.requests();
  fs.copyFileSync(paper('reimers2019sbert.pdf'), editor.path('papers/new.pdf'));
  const offer = page.locator('.notifications-toasts .notification-list-item', { hasText: 'new.pdf belongs to no entry of the bibliography.' });
  await offer.getByRole('button', { name: 'Add This PDF', exact: true }).click({ timeout: 60_000 });
  await addFromPdf('Sentence-BERT');
  assert.equal(await services.requests(), sent);
});

test('a PDF is added from the menu of its file', async () => {
  fs.copyFileSync(paper('teufel2006function.pdf'), editor.path('other.pdf'));
  await editor.hit('Control+Shift+e');
  await page.locator('.explorer-folders-view .monaco-list-row[aria-label^="other.pdf"]').click({ button: 'right' });
  await page.locator('.context-view .action-label', { hasText: 'Add this PDF to the bibliography' }).hover();
  await editor.hit('Enter');
  await addFromPdf('Citation Function');
});
