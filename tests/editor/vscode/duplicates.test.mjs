// Merge duplicates…: the author sees every change before it is made; the Library view lists what one chooses.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';
import { Tree } from './trees.mjs';

const FIELDS = 'author = {Sea, Dora}, title = {Seas and their shores}, year = 1992';
const ADDED = `
@article{seas1992, ${FIELDS}}
@article{shores, ${FIELDS}, doi = {10.1000/seas}}
@article{lakes, author = {Lake, Ben}, title = {Lakes and their shores}, year = 1991, note = {Mine}}
@article{lakes, author = {Lake, Ben}, title = {Lakes and their shores}, year = 1991, note = {Yours}}
`;
const TALK = String.raw`\documentclass{beamer}\begin{document}\cite{seas1992} and \cite{shores}, \cite{seas1992}.\bibliography{references}\end{document}`;
const WAIT = 60_000;
let editor, page, tree;

before(async () => {
  editor = await Editor.onExamples({
    prepare: ({ workspace }) => {
      fs.appendFileSync(path.join(workspace, 'references.bib'), ADDED);
      fs.writeFileSync(path.join(workspace, 'talk.tex'), TALK);
    },
  });
  ({ page } = editor);
  tree = new Tree(editor, 'Library');
  await tree.open();
  await tree.row('Duplicates').waitFor({ timeout: 120_000 });
}, { timeout: 300_000 });
after(() => editor?.stop());
afterEach((t) => pictureOfFailure(editor, t));

const text = (name) => fs.readFileSync(editor.path(name), 'utf8');

test('the view lists what the author chooses', async () => {
  await editor.run('Pincite: Filter and sort the library');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Duplicates' }).click();
  await eventually(() => tree.rows(), [['Duplicates', '1'], ['Repeated keys', '1'], ['Title only', '2']], WAIT);
  assert.match(await tree.description(), /shown: duplicates$/);
  await editor.screenshot('library-duplicates');
});

const toasts = () => page.locator('.notifications-toasts');
const shown = async () => (await page.locator('.editor-instance .view-lines').first().innerText()).replaceAll('\u00a0', ' ');

test('nothing is changed before the author has seen it', async () => {
  const before = text('references.bib');
  await editor.run('Pincite: Merge duplicates');
  const agree = toasts().getByRole('button', { name: 'Merge', exact: true });
  await agree.waitFor({ timeout: WAIT });
  const asked = await toasts().innerText();
  assert.match(asked, /Merge the duplicates of 1 work of survey\.tex, as shown\?/);
  assert.match(asked, /1 entry is deleted; files that change: references\.bib, talk\.tex\. 1 work differs and stays as it is/);
  await until(async () => /-@article\{shores,/.test(await shown()), WAIT, 'the diff');
  // Of three long buttons the editor cuts all.
  const fits = (button) => button.evaluate((one) => one.scrollWidth <= one.clientWidth);
  assert.ok(await fits(agree) && await fits(toasts().getByRole('button', { name: 'Show Those That Stay' })));
  await editor.screenshot('merge-changes');
  assert.equal(text('references.bib'), before);
  await agree.click();
});

test('then it is made in all files', async () => {
  await until(() => /\\cite\{seas1992\} and \\cite\{seas1992\}/.test(text('talk.tex')), WAIT, 'the talk cites the entry that stays');
  // While the editor writes a file, it is empty.
  const merged = await until(() => {
    const bib = text('references.bib');
    return bib.includes('Yours') && !/shores,/.test(bib) && bib;
  }, WAIT, 'the other entry is gone');
  assert.match(merged, /seas1992, doi = \{10\.1000\/seas\}/);
  assert.match(merged, /Mine[^]*Yours/);
});

test('what stays is listed with the fields that differ', async () => {
  await editor.run('Pincite: Merge duplicates');
  await toasts().getByRole('button', { name: 'Show Those That Stay' }).click({ timeout: WAIT });
  await until(async () => /note = \{Mine\}/.test(await shown()), WAIT, 'the fields');
  await editor.screenshot('merge-stays');
});
