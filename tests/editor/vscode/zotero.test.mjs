// The author's Zotero, made by a script with its published schema: one command searches it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, PYTHON, remove, TESTS, until } from './editor.mjs';

const MADE = `
import sys
from pathlib import Path
from pdf_pages import Page
from zotero_library import ZoteroLibrary
zotero = ZoteroLibrary(Path(sys.argv[1]))
zotero.work(by=[("Small", "Henry")], title="Cited documents as concept symbols", date="1978-00-00 1978",
            abstractNote="A citation makes a document stand for an idea.", DOI="10.1000/symbols")
zotero.work(by=[("Salton", "Gerard")], title="Frogs of the north", date="1991-00-00 1991")
indexes = zotero.work(by=[("Garfield", "Eugene")], date="1955-00-00 1955",
    title="Citation Indexes for Science: A New Dimension in Documentation through Association of Ideas")
file = zotero.stored(indexes, "garfield.pdf", "")
pdf = Page(zotero.folder / "storage" / zotero.key(file) / "garfield.pdf")
pdf.text(72, 72, ["Citation indexes for science", "", "Other words stand on the first page of this paper."])
pdf.pdf.add_page()
pdf.text(72, 72, ["An index of later papers that mention a paper lets a reader follow an idea forward in time.",
                  "It is a tool for searching."])
pdf.save()
print(zotero.key(file))
zotero.close()
`;
let editor, page, folder, stored;

before(async () => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'pincite-zotero-'));
  stored = execFileSync(PYTHON, ['-c', MADE, path.join(folder, 'Zotero')], { encoding: 'utf8', env: { ...process.env, PYTHONPATH: TESTS } }).trim();
  editor = await Editor.onExamples({ environment: { ...process.env, PINCITE_ZOTERO: path.join(folder, 'Zotero') } });
  ({ page } = editor);
  await until(async () => /^25 entries, 14 with full text/.test(await editor.status()), 120_000, 'all papers are read');
}, { timeout: 300_000 });
after(async () => {
  await editor?.stop();
  await remove(folder);
});
afterEach((t) => pictureOfFailure(editor, t));

const rows = () => page.$$eval('.quick-input-list .monaco-list-row', (all) => all.map((row) => row.getAttribute('aria-label')));

test('one command lists the works of Zotero alone, those first that fit', async () => {
  await editor.goBehind('[citation');
  await editor.run('Pincite: Search my Zotero');
  await until(async () => (await rows()).length === 3, 60_000, 'its works');
  assert.match((await rows())[0], /^Small 1978, Cited documents as concept symbols .*from your library/);
  await editor.screenshot('search-zotero');
});

test('it is searched by what is typed, and what is chosen is cited and added to the bibliography', async () => {
  await page.locator('.quick-input-widget input').fill('frogs');
  await until(async () => (await rows()).length === 1, 20_000, 'one work');
  await editor.hit('Enter');
  await until(() => fs.readFileSync(editor.path('references.bib'), 'utf8').includes('Frogs of the north'), 30_000, 'the entry');
  assert.match(await editor.saved(), /\\cite[a-z]*\{salton1991frogs\}/i);
});

test('a sentence of a file in Zotero is opened there, at its page', async () => {
  await editor.goBehind('\\citep{garfield');
  await editor.run('Pincite: Focus on Evidence View');
  const view = page.locator('iframe.webview').first().contentFrame().locator('iframe').contentFrame();
  const link = view.locator('[data-action="zotero"]').first();
  await link.waitFor({ timeout: 60_000 });
  await editor.screenshot('evidence-zotero');
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Page.enable');
  const asked = new Promise((found) => { protocol.on('Page.frameRequestedNavigation', ({ url }) => { found(url); }); });
  await link.click();
  assert.equal(await asked, `zotero://open-pdf/library/items/${stored}?page=2`);
});
