// An author writes: suggestions, evidence, quick fixes, a library, and what must not disturb any of it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';

const GAP = 'shuffled ones \\citep{';
const LIBRARY = `@book{halliday1976cohesion,
  author = {Halliday, M. A. K. and Hasan, Ruqaiya},
  title = {Cohesion in {English}},
  publisher = {Longman},
  year = {1976},
}
`;
const HINT = 'Press Ctrl+Space in the list to see why a work fits';
const MISSPELT = 'The entity grid tells a text from its shuffled versions \\citep{barzilay2008coherense}.\n\n';

const UNKNOWN = 'What ties sentences together is cohesion \\citep{zzz1999}.\n\n';

let editor;
before(async () => {
  editor = await Editor.onExamples({
    settings: { 'pincite.globalBibliographies': ['../library.bib'] },
    prepare({ workspace }) {
      fs.writeFileSync(path.join(workspace, '../library.bib'), LIBRARY);
      const draft = path.join(workspace, 'survey.tex');
      const text = fs.readFileSync(draft, 'utf8');
      fs.writeFileSync(draft, text.replace('\\bibliographystyle', () => `${MISSPELT}${UNKNOWN}\\bibliographystyle`));
    },
  });
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(() => editor?.stop());

test('in an empty citation the entries are ranked as the command line ranks them', async () => {
  const ranking = await editor.ranking(GAP);
  const { keys } = JSON.parse(fs.readFileSync(editor.path('expected.json'), 'utf8')).find(({ before }) => GAP.startsWith(before.slice(-14)));
  assert.deepEqual(ranking.slice(0, 1), keys);
  await editor.goBehind(GAP);
  const best = async () => (await editor.suggest()).map(({ key }) => key).slice(0, 10);
  await eventually(best, ranking.slice(0, 10)); // once the papers are read
  const [first] = await editor.list();
  assert.deepEqual({ ...first, mark: '' }, {
    key: keys[0], authorYear: 'Barzilay and Lapata 2008', title: 'Modeling Local Coherence: An Entity-Based Approach', mark: '', focused: true });
});

test('the first list shows how its details open, and these show the key, why, and sentences of the work', async () => {
  await editor.page.locator('.statusbar', { hasText: HINT }).waitFor();
  await editor.hit('Control+Space');
  const details = editor.page.locator('.suggest-details');
  // A list that was opened before its papers were read is opened again.
  await until(async () => {
    if (await details.getByText('learns, from examples, which patterns of mention').isVisible()) return true;
    await editor.suggest();
    return false;
  }, 30_000, 'sentences of the work');
  assert.match(await details.innerText(), /barzilay2008coherence.*Barzilay and Lapata 2008.*Modeling Local Coherence.*By its full text; shares: .*coherent/s);
  const indented = await details.locator('p', { hasText: 'learns, from examples' }).last().evaluate((one) => one.getBoundingClientRect().left - one.closest('.body').getBoundingClientRect().left);
  assert.ok(indented < 20, `a quote is indented by ${indented} pixels`);
  await editor.screenshot('suggestions');
  await editor.hit('Control+Space', 'Escape');
});

test('Tab takes the first one', async () => {
  await editor.suggest();
  await editor.hit('Tab');
  assert.ok((await editor.saved()).includes(`${GAP}barzilay2008coherence}. We know`));
});

test('the list opens at \\cite{ in prose, and Enter takes what is chosen', async () => {
  const sentence = 'differ in what they know of the\ncandidates';
  const ranking = await editor.ranking(sentence);
  await editor.goBehind(sentence);
  await editor.type(' \\cite{');
  await eventually(async () => (await editor.keys()).slice(0, 10), ranking.slice(0, 10));
  await editor.hit('ArrowDown', 'Enter');
  assert.ok((await editor.saved()).includes(`candidates \\cite{${ranking[1]}}.`));
});

test('letters of an author or a title choose among them', async () => {
  await editor.goBehind('labels whole sentences');
  await editor.type(' \\cite{lapa');
  await eventually(() => editor.keys(), ['barzilay2008coherence']);
  await editor.hit(...Array(4).fill('Backspace'));
  await editor.type('rhetor');
  await eventually(async () => (await editor.keys())[0], 'teufel2002zoning');
  await editor.revert();
});

test('after a comma, what is there is not suggested again', async () => {
  await editor.goBehind('garfield1955indexes');
  await editor.type(',');
  await until(async () => (await editor.keys()).length, 10_000, 'a list behind the comma');
  const keys = await editor.keys();
  assert.ok(keys.length > 5 && !keys.includes('garfield1955indexes'), String(keys));
  await editor.hit('Enter');
  assert.ok((await editor.saved()).includes(`\\citep{garfield1955indexes,${keys[0]}}`));
});

const CITED = 'built upon \\citep{halliday1976cohesion}';
const bibliography = () => fs.readFileSync(editor.path('references.bib'), 'utf8');

/** Cite the work of the library; its added entry is reported, and saved. */
async function citeFromLibrary(behind, typed) {
  await editor.goBehind(behind);
  await editor.type(typed);
  // The bibliography may have changed just before: then the first row shows that, and the next list is better.
  const listed = async () => {
    const rows = await editor.list();
    return rows[0]?.mark.includes('papers are being read') ? editor.suggest() : rows;
  };
  await eventually(listed, [
    { key: 'halliday1976cohesion', authorYear: 'Halliday and Hasan 1976', title: 'Cohesion in…', mark: 'library', focused: true }]);
  const isSeen = await editor.page.locator('.suggest-widget.visible .monaco-list-row.focused .details-label').evaluate((one) => one.scrollWidth <= one.clientWidth);
  assert.ok(isSeen, 'that the work is one of the library is cut');
  await editor.hit('Enter');
  await until(async () => (await editor.notifications()).includes('Added halliday1976cohesion to references.bib.'), 30_000, 'a message');
  await until(() => bibliography().includes(LIBRARY.trim()), 30_000, 'the saved entry');
}

test('a work of the library is cited, and its entry is added, saved and reported; Undo takes back both', async () => {
  const before = bibliography();
  await citeFromLibrary('a source where something is built upon', ' \\citep{hallid');
  await editor.screenshot('library');
  assert.ok((await editor.saved()).includes(`${CITED}.`));
  await editor.press('Undo');
  await eventually(async () => bibliography(), before);
  assert.ok((await editor.saved()).includes('built upon \\citep{}.'));
});

test('undoing the citation in the draft takes back the entry as well', async () => {
  const before = bibliography();
  await citeFromLibrary('where something is built upon \\citep{', 'hallid');
  assert.ok((await editor.saved()).includes(CITED));
  await editor.hit('Control+z');
  await eventually(async () => bibliography(), before);
  assert.ok(!(await editor.saved()).includes('halliday1976cohesion'));
  // What it reports is true no more.
  await eventually(() => editor.notifications(), []);
  await editor.run('Notifications: Clear All Notifications');
});

test('Undo takes back a work of the library that was chosen in “Suggest citations here”, too', async () => {
  const before = { draft: await editor.saved(), bibliography: bibliography() };
  await editor.goBehind('for choosing what to cite');
  await editor.run('Pincite: Suggest citations here');
  await editor.page.locator('.quick-input-widget input').fill('hallid');
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Halliday and Hasan 1976' }).waitFor();
  await editor.hit('Enter');
  await until(async () => (await editor.notifications()).includes('Added halliday1976cohesion to references.bib.'), 30_000, 'a message');
  await until(() => bibliography().includes(LIBRARY.trim()), 30_000, 'the saved entry');
  assert.match(await editor.saved(), /for choosing what to cite.*\\citep\{halliday1976cohesion\}\./);
  await editor.press('Undo');
  await eventually(async () => bibliography(), before.bibliography);
  await eventually(() => editor.saved(), before.draft);
});

test('the hover has sentences of the work with their pages', async () => {
  await editor.goBehind('when it fell from days to seconds \\citep{rei');
  const [evidence, ...others] = await editor.hover(/p\. \d/);
  assert.deepEqual(others, []);
  assert.match(evidence, /^Reimers and Gurevych 2019 · Sentence-BERT: .* · full text · .*DOI\n/);
  assert.match(evidence, /some 65 hours on a modern graphics processor.*\n— (strong|partial), p\. 3982, 1 Introduction/);
  await editor.screenshot('hover');
  await editor.hit('Escape');
});

test('so it has under the mouse', async () => {
  await editor.page.locator('.view-line span', { hasText: /^mikolov2013efficient$/ }).first().hover();
  const [evidence] = await until(() => editor.hovered(/^Mikolov et al\. 2013/), 30_000, 'a hover');
  assert.match(evidence, /vectors are added and subtracted/);
  await editor.hit('Escape');
});

test('a page is pinned', async () => {
  await editor.goBehind('when it fell from days to seconds \\citep{rei');
  const [page] = (await editor.actions(/^Pin p/)).map((title) => /^Pin p\. (\d+)/.exec(title)?.[1]).filter(Boolean);
  await editor.screenshot('actions');
  await editor.act(/^Pin p/);
  await editor.page.locator('.tab.active.dirty').waitFor();
  assert.ok((await editor.saved()).includes(`\\citep[p.~${page}]{reimers2019sbert}`));
});

test('a key that is not defined is corrected', async () => {
  await editor.goBehind('versions \\citep{barz');
  const corrected = /barzilay2008coherence/;
  await editor.actions(corrected);
  await editor.screenshot('quick-fix');
  await editor.act(corrected);
  await editor.page.locator('.tab.active.dirty').waitFor();
  assert.ok((await editor.saved()).includes('versions \\citep{barzilay2008coherence}.'));
});

test('for a key that nobody knows the library is searched, and what is chosen takes its place', async () => {
  await editor.goBehind('together is cohesion \\citep{zzz');
  const titles = await editor.actions(/Search the library/);
  assert.ok(titles.includes('Suggest for this place'), titles.join('\n'));
  await editor.screenshot('unknown-key');
  await editor.act(/^Search the library/);
  const input = editor.page.locator('.quick-input-widget input');
  await until(async () => (await input.inputValue()) === 'zzz', 10_000, 'the list');
  await input.fill('hasan');
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Halliday and Hasan 1976' }).waitFor();
  await editor.screenshot('search-library');
  await editor.hit('Enter');
  await until(() => bibliography().includes(LIBRARY.trim()), 30_000, 'the saved entry');
  assert.ok((await editor.saved()).includes('together is cohesion \\citep{halliday1976cohesion}.'));
  await editor.run('Notifications: Clear All Notifications');
});

test('from a key to its entry, and from there to the citations', async () => {
  await editor.goBehind('{duma2014');
  await editor.hit('F12');
  await eventually(() => editor.activeTab(), 'references.bib');
  await eventually(() => editor.line(), editor.behind('{duma2014resolution', 'references.bib').line);
  await editor.hit('Shift+F12');
  await editor.page.locator('.peekview-title', { hasText: /References \([2-9]\)/ }).waitFor();
  await editor.screenshot('references');
  await editor.hit('Escape');
  await editor.run('View: Close Editor');
});

test('a draft without a name is served, too', async () => {
  await editor.run('File: New Untitled Text File');
  await editor.run('Change Language Mode');
  await editor.page.keyboard.type('LaTeX');
  await editor.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: /^LaTeX/ }).waitFor();
  await editor.hit('Enter');
  await editor.type('Cohesion of texts in English \\cite{');
  const keys = async () => (await editor.suggest()).map(({ key }) => key);
  await eventually(async () => (await keys())[0], 'halliday1976cohesion'); // the library is the only bibliography it has
  await editor.hit('Escape');
  await editor.run('View: Close Editor');
  await editor.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Don\'t Save' }).click();
});

test('a server that was killed is started again', async () => {
  const [killed, ...others] = editor.servers();
  assert.deepEqual(others, []);
  process.kill(killed, 'SIGKILL');
  await until(() => editor.servers().some((pid) => pid !== killed), 30_000, 'another server');
  await editor.goBehind('A series of shared tasks');
  await editor.type(' \\cite{');
  await until(async () => (await editor.suggest()).length > 5, 30_000, 'suggestions');
  assert.equal(editor.servers().length, 1);
  await editor.revert();
});

test('a wrong setting is reported once, and all goes on', async () => {
  fs.mkdirSync(editor.path('.vscode'));
  fs.writeFileSync(editor.path('.vscode/settings.json'), '{"pincite.system": "nonsense"}');
  await until(async () => (await editor.notifications()).some((one) => one.includes('pincite.system')), 30_000, 'a message');
  await editor.screenshot('invalid-setting');
  await editor.goBehind('{garfield1955');
  await editor.hover(/^Garfield 1955/);
  // On a busy machine, the progress of reading papers is shown beside it.
  const [message, ...others] = (await editor.messages()).filter((one) => !one.startsWith('Pincite: reading papers'));
  assert.match(message, /The setting pincite\.system is wrong\. “nonsense” must be one of fused,/);
  assert.deepEqual(others, []);
});

test('the next window does not show again how details open', async () => {
  await Promise.all([editor.page.waitForEvent('domcontentloaded'), editor.run('Developer: Reload Window')]);
  await editor.goBehind('shared tasks');
  await editor.type(' \\cite{');
  await until(async () => (await editor.suggest()).length > 5, 60_000, 'suggestions');
  assert.equal(await editor.page.locator('.statusbar', { hasText: HINT }).count(), 0);
  await editor.revert();
});
