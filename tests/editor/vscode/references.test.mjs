// Checking references, against services on this computer: what is planted is found, and what is accepted is written beside the draft.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';
import { Services } from './services.mjs';
import { Tree } from './trees.mjs';

const WAIT = 60_000;
const WORKS = `[
    Work("10.1000/beavers", "Dams that beavers build in northern rivers", [("Naiman", "R.")], 1996, crossref={"updated-by": [{"type": "retraction", "DOI": "10.1000/notice", "updated": {"date-time": "2020-05-04"}}]}),
    Work("10.1000/frogs", "How frogs sing at night in shallow ponds", [("Gerhardt", "C.")], 1994),
]`;
const DRAFT = `\\documentclass{article}
\\begin{document}
Beavers keep sediment in rivers behind their dams \\cite{naiman}.
Frogs are loud at night \\cite{gerhardt}. Whales sing in frozen lakes \\cite{smith}.
\\bibliography{references}
\\end{document}
`;
const BIB = `@article{naiman, title = {Dams that beavers build in northern rivers}, year = 1996, author = {Naiman, Robert J.}, doi = {10.1000/beavers}}
@article{gerhardt, title = {How frogs sing at night in shallow ponds}, year = 1994, author = {Gerhardt, Carl}, doi = {10.1000/beavers}}
@article{smith, title = {Songs that whales never sang in frozen lakes}, year = 2021, author = {Smith, Anna and Jones, Peter}}
`;
let decisions, editor, page, services, tree;

before(async () => {
  services = await Services.start(WORKS);
  editor = await Editor.onExamples({
    environment: { ...process.env, PINCITE_SERVICES: services.address },
    prepare: ({ workspace }) => {
      fs.writeFileSync(`${workspace}/survey.tex`, DRAFT);
      fs.writeFileSync(`${workspace}/references.bib`, BIB);
      decisions = `${workspace}/pincite.decisions.toml`;
    },
  });
  ({ page } = editor);
  tree = new Tree(editor, 'Claim check');
  await until(async () => /^3 entries/.test(await editor.status()), 120_000, 'the draft is read');
}, { timeout: 300_000 });
after(async () => {
  services?.stop();
  await editor?.stop();
});
afterEach((t) => pictureOfFailure(editor, t));

const group = async (label) => (await tree.rows()).find(([name]) => name === label)?.[1];
const dialog = () => page.locator('.monaco-dialog-box');

test('what is wrong with entries is found once the author agrees to what is sent', async () => {
  await tree.open();
  await editor.run('Pincite: Check references on the network');
  await dialog().waitFor();
  assert.match(await dialog().innerText(), /Crossref \(api\.crossref\.org\): 1 DOI, 3 titles/);
  await dialog().getByRole('button', { name: 'Fetch', exact: true }).click();
  for (const kind of ['Retracted or corrected', 'Identifiers of other works', 'Not found']) await eventually(() => group(kind), '1', WAIT);
  await editor.screenshot('references');
});

test('a tick is a decision beside the draft', async () => {
  await tree.row('smith').locator('.custom-view-tree-node-item-checkbox').click();
  await eventually(() => group('Not found'), '1, 1 checked', WAIT);
  assert.match(fs.readFileSync(decisions, 'utf8'), /kind = "not-found", key = "smith"/);
  await tree.row('smith').locator('.custom-view-tree-node-item-checkbox').click();
  await eventually(() => group('Not found'), '1', WAIT);
  assert.doesNotMatch(fs.readFileSync(decisions, 'utf8'), /smith/);
});
