// Works that the author does not have, from services on this computer: asked for once agreed, then ranked, cited and added.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, until } from './editor.mjs';
import { Services } from './services.mjs';

const WORKS = `[Work("10.1561/1500000019", "The Probabilistic Relevance Framework: BM25 and Beyond",
              [("Robertson", "Stephen"), ("Zaragoza", "Hugo")], 2009, cites=["10.1000/okapi", "10.1000/frogs"]),
         Work("10.1000/okapi", "Okapi at a conference: ranking functions for searches of the scientific literature",
              [("Walker", "Stephen")], 1994, "A ranking function for searches."),
         Work("10.1000/frogs", "Frogs of the northern ponds", [("Zhou", "Li")], 1990),
         Work("10.1000/boats", "Boats that carry citations of rare words", [("Berg", "Ed")], 1960, "Boats carry words.", journal="Boats")]`;
let editor, page, services;

before(async () => {
  services = await Services.start(WORKS);
  editor = await Editor.onExamples({ environment: { ...process.env, PINCITE_SERVICES: services.address } });
  ({ page } = editor);
  await until(async () => /^25 entries, 13 with full text/.test(await editor.status()), 120_000, 'all papers are read');
}, { timeout: 300_000 });
after(async () => {
  services?.stop();
  await editor?.stop();
});
afterEach((t) => pictureOfFailure(editor, t));

const dialog = () => page.locator('.monaco-dialog-box');
const rows = () => page.$$eval('.quick-input-list .monaco-list-row', (all) => all.map((row) => row.getAttribute('aria-label')));
const toasts = () => page.locator('.notifications-toasts').innerText().catch(() => '');

test('what would be sent is shown first, with what the service learns', async () => {
  await editor.run('Pincite: Discover works around this bibliography');
  await dialog().waitFor();
  const asked = await dialog().innerText();
  assert.match(asked, /Ask OpenAlex and Semantic Scholar for the works around those that survey\.tex cites\?/);
  assert.match(asked, /OpenAlex and Semantic Scholar learn which works you cite\. Nothing from your draft is sent/);
  assert.match(asked, /\d+ DOIs/);
  await editor.screenshot('discover');
  await editor.hit('Escape');
  await dialog().waitFor({ state: 'detached' });
  assert.equal(await services.requests(), 0);
});

test('what is found is reported', async () => {
  await editor.run('Pincite: Discover works around this bibliography');
  await dialog().getByRole('button', { name: 'Discover', exact: true }).click();
  await until(async () => /2 works around yours/.test(await toasts()), 60_000, 'what was found');
  assert.notEqual(await services.requests(), 0);
});

test('the work that fits is first, with why; Enter cites it, adds its entry and reports it, and one undo takes back both', async () => {
  const [draft, bibliography] = [await editor.saved(), fs.readFileSync(editor.path('references.bib'), 'utf8')];
  await editor.goBehind('[citation');
  await editor.run('Pincite: Suggest works I do not have');
  await until(async () => (await rows()).length === 2, 60_000, 'both works');
  assert.match((await rows())[0], /^Walker 1994, Okapi at a conference.*cited by a work you cite/);
  await editor.screenshot('suggest-discovered');
  await editor.hit('Enter');
  await until(() => fs.readFileSync(editor.path('references.bib'), 'utf8').includes('Okapi at a conference'), 30_000, 'the entry');
  assert.match(await editor.saved(), /\\cite[a-z]*\{walker1994okapi\}/i);
  await until(async () => (await editor.notifications()).includes('Added walker1994okapi to references.bib.'), 30_000, 'a message');
  await editor.press('Undo');
  await until(() => fs.readFileSync(editor.path('references.bib'), 'utf8') === bibliography, 30_000, 'the entry is gone');
  assert.equal(await editor.saved(), draft);
});

test('where nothing fits, works that the author does not have follow the first three', async () => {
  await editor.goBehind('\\maketitle');
  await editor.hit('Enter', 'Enter');
  await editor.type('Frogs sing in northern ponds while ice melts on the lake.');
  await editor.run('Pincite: Suggest citations here');
  await until(async () => /^Zhou 1990, Frogs of the northern ponds.*not in your bibliography · cite/.test((await rows())[3]), 60_000, 'a work that fits');
  assert.ok((await rows()).slice(0, 3).every((row) => !/not in your bibliography/.test(row)));
  await editor.screenshot('suggest-where-nothing-fits');
  await editor.hit('Escape');
  await editor.type(' \\cite{');
  const beyond = page.locator('.suggest-widget .monaco-list-row', { hasText: 'Suggest works you do not have' });
  await beyond.waitFor();
  await editor.screenshot('listed-where-nothing-fits');
  await beyond.click();
  await until(async () => /^Zhou 1990, Frogs of the northern ponds/.test((await rows())[0]), 60_000, 'works beyond the bibliography');
  await editor.hit('Enter');
  await until(async () => /\\cite\{zhou1990frogs\}/.test(await editor.saved()), 30_000, 'the citation');
  await editor.press('Undo');
  await until(async () => !/zhou1990frogs/.test(await editor.saved()), 30_000, 'no citation');
  await editor.revert();
});

test('the literature is not searched until the setting is on', async () => {
  const before = await services.requests();
  await editor.run('Pincite: Search the literature');
  await until(async () => /The setting pincite\.searchLiterature turns it on/.test(await toasts()), 30_000, 'why nothing is searched');
  assert.equal(await services.requests(), before);
  await editor.run('Notifications: Clear All Notifications');
  await editor.configure({ 'pincite.searchLiterature': true });
});

test('words are proposed, and sent once the author has changed them; Enter cites a work, and one undo takes back both', async () => {
  const references = () => fs.readFileSync(editor.path('references.bib'), 'utf8');
  const before = await services.requests();
  const [draft, bibliography] = [await editor.saved(), references()];
  await editor.goBehind('for choosing what to cite');
  await editor.run('Pincite: Search the literature');
  const input = page.locator('.quick-input-widget input[type="text"]');
  await page.locator('.quick-input-widget', { hasText: 'These words are sent to OpenAlex, Crossref, Semantic Scholar and arXiv' }).waitFor();
  assert.match(await input.inputValue(), /\w+ \w+/);
  assert.equal(await services.requests(), before);
  await editor.screenshot('search-literature');
  await input.fill('rare boats');
  await editor.hit('Enter');
  await until(async () => (await rows()).length === 1, 60_000, 'what was found');
  assert.equal(await services.requests(), before + 4);
  assert.match((await rows())[0], /^Berg 1960, Boats that carry citations.*found by OpenAlex, Crossref, Semantic Scholar.* · Boats/);
  await editor.hit('Enter');
  await until(async () => (await editor.notifications()).includes('Added berg1960boats to references.bib.'), 30_000, 'a message');
  await until(() => references().includes('Boats that carry citations'), 30_000, 'the saved entry');
  assert.match(await editor.saved(), /for choosing what to cite.*\\citep\{berg1960boats\}\./);
  await editor.press('Undo');
  await until(() => references() === bibliography, 30_000, 'the entry is gone');
  assert.equal(await editor.saved(), draft);
});

test('an author with ten entries gets an eleventh with two keystrokes, sees why, and has its entry', { timeout: 300_000 }, async () => {
  services.stop();
  await editor.stop();
  const topics = ['river otters', 'sea otters', 'beaver dams', 'salmon runs', 'kelp forests', 'mussel beds', 'heron nests', 'pond frogs', 'marsh reeds', 'tidal mud'];
  const entries = topics.map((topic, at) => `@article{w${at}, author = {Writer, Ann}, title = {A study of ${topic}}, journal = {Waters}, year = {${2001 + at}}, doi = {10.1000/w${at}}}`);
  const own = topics.map((topic, at) => `Work("10.1000/w${at}", "A study of ${topic}", [("Writer", "Ann")], ${2001 + at}, cites=["10.1000/tools", "10.1000/gulls"])`);
  services = await Services.start(`[${own.join(', ')},
    Work("10.1000/tools", "Stone tools of otters that crack shells", [("Hall", "Kate")], 1963, "Otters crack shells with stones.", journal="Animals"),
    Work("10.1000/gulls", "Gulls in winter", [("Bird", "Bo")], 1970)]`);
  const text = `\\documentclass{article}\n\\begin{document}\nMany have looked at ${topics.map((topic, at) => `${topic} \\cite{w${at}}`).join(', ')}.\n\nOtters crack the shells of mussels with stones.\n\\bibliography{waters}\n\\end{document}\n`;
  editor = await Editor.onExamples({ file: 'ten/waters.tex', environment: { ...process.env, PINCITE_SERVICES: services.address }, prepare: ({ workspace }) => {
    fs.mkdirSync(`${workspace}/ten`);
    fs.writeFileSync(`${workspace}/ten/waters.tex`, text);
    fs.writeFileSync(`${workspace}/ten/waters.bib`, `${entries.join('\n\n')}\n`);
  } });
  ({ page } = editor);
  await until(async () => /^10 entries/.test(await editor.status()), 120_000, 'the bibliography is read');
  await editor.run('Pincite: Discover works around this bibliography');
  await dialog().getByRole('button', { name: 'Discover', exact: true }).click();
  await until(async () => /2 works around yours/.test(await toasts()), 60_000, 'what was found');

  await editor.goBehind('of mussels with stones', 'ten/waters.tex');
  await editor.hit('Control+Alt+Shift+r');
  await until(async () => (await rows()).length === 2, 60_000, 'both works');
  assert.match((await rows())[0], /^Hall 1963, Stone tools of otters.*cited by 10 of the works you cite/);
  await editor.screenshot('eleventh-entry');
  await editor.hit('Enter');
  const bibliography = () => fs.readFileSync(editor.path('ten/waters.bib'), 'utf8');
  await until(() => /@article\{[^]*Stone tools of otters[^]*10\.1000\/tools/.test(bibliography()), 30_000, 'the entry');
  assert.ok(bibliography().startsWith(entries.join('\n\n')));
  await until(async () => (await editor.notifications()).some((one) => /^Added \w+ to waters\.bib\.$/.test(one)), 30_000, 'a message');
  assert.match(await editor.saved('ten/waters.tex'), /of mussels with stones \\cite\{\w+\}\./);
});
