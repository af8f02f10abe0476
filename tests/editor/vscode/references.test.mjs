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
    Work("10.1000/toads", "What toads eat in winter and in spring", [("Ryan", "M. J.")], 1985),
    Work("10.48550/arxiv.2401.00001", "How otters crack shells in cold water", [("Hall", "K.")], 2024, openalex={"locations": [
        {"version": "publishedVersion", "source": {"type": "journal"}, "landing_page_url": "https://doi.org/10.1000/otters"}]}),
    Work("10.1000/otters", "How otters crack shells in cold water", [("Hall", "K.")], 2025, journal="Journal of Otters", volume="7"),
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
@article{ryan, title = {What toads eat in winter and in spring}, year = 1995, author = {Ryan, Michael J.}, doi = {10.1000/toads}}
@misc{hall, title = {How otters crack shells in cold water}, year = 2024, author = {Hall, K.}, eprint = {2401.00001}, archiveprefix = {arXiv}, keywords = {otters}}
`;
let decisions, editor, library, page, services, tree;

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
  library = new Tree(editor, 'Library');
  await until(async () => /^5 entries/.test(await editor.status()), 120_000, 'the draft is read');
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
  assert.match(await dialog().innerText(), /Crossref \(api\.crossref\.org\): 2 DOIs, 5 titles/);
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

test('all of a kind are accepted in the menu of their group', async () => {
  await tree.row('Not found').click({ button: 'right' });
  // A menu that has just been opened catches clicks.
  await page.locator('.context-view .action-label', { hasText: 'Accept all of this kind' }).hover();
  await editor.hit('Enter');
  await eventually(() => group('Not found'), '1, 1 checked', WAIT);
  assert.match(fs.readFileSync(decisions, 'utf8'), /kind = "not-found", key = "smith"/);
  await tree.row('smith').locator('.custom-view-tree-node-item-checkbox').click();
  await eventually(() => group('Not found'), '1', WAIT);
});

test('the Library view has what is wrong with entries, those that are cited first', async () => {
  await library.open();
  await eventually(async () => (await library.rows())[0], ['References to review', '5'], WAIT);
  await library.unfold('References to review');
  await eventually(async () => (await library.rows()).slice(1, 6), [
    ['Naiman 1996', 'Retracted or corrected · naiman'],
    ['Gerhardt 1994', 'Identifiers of other works · gerhardt'],
    ['Smith and Jones 2021', 'Not found · smith'],
    ['Ryan 1995', 'Entries that differ · ryan'],
    ['Hall 2024', 'Published preprints · hall'],
  ]);
  await library.row('Naiman 1996').hover();
  await library.row('Naiman 1996').getByRole('button', { name: 'Open the notice' }).waitFor();
  await editor.screenshot('references-library');
});

/** Take something for an entry, the first in the menu of fixes. */
async function take(name, title, shown) {
  await library.press(name, 'Update the entry from services');
  const offer = page.locator('.action-widget .monaco-list-row', { hasText: title });
  await offer.waitFor({ timeout: WAIT });
  await editor.screenshot(`references-${shown}`);
  // It is the first one, which has the focus; the editor catches clicks with a layer of its own.
  await editor.hit('Enter');
  await page.locator('.tab.active.dirty', { hasText: 'references.bib' }).waitFor({ timeout: WAIT });
  await editor.saved('references.bib');
}

test('a preprint is replaced by its published version, and a value that differs is taken', async () => {
  await take('Hall 2024', 'Replace the entry with the published version', 'replace');
  await eventually(() => /@article\{hall, journal = \{Journal of Otters\},.* year = \{2025\},.* keywords = \{otters\}\}/.test(fs.readFileSync(editor.path('references.bib'), 'utf8')), true, WAIT);
  await eventually(async () => (await library.rows())[0], ['References to review', '4'], WAIT);
  await take('Ryan 1995', 'Change year from 1995 to 1985', 'year');
  await eventually(async () => (await library.rows())[0], ['References to review', '3'], WAIT);
  const expected = BIB.replace('1995', '1985').split('\n').slice(0, 4);
  assert.deepEqual(fs.readFileSync(editor.path('references.bib'), 'utf8').split('\n').slice(0, 4), expected);
});

test('what is right as it is is accepted with a note', async () => {
  await library.press('Smith and Jones 2021', 'Accept as it is');
  await page.locator('.quick-input-widget', { hasText: 'Why is it right as it is' }).waitFor({ timeout: WAIT });
  await editor.type('in print only');
  await editor.hit('Enter');
  await eventually(async () => (await library.rows())[0], ['References to review', '2, 1 accepted'], WAIT);
  assert.match(fs.readFileSync(decisions, 'utf8'), /kind = "not-found", key = "smith".* note = "in print only"/);
});
