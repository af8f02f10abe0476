import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';

const WAIT = 30_000;
const refused = [];
let editor, page, view;

before(async () => {
  editor = await Editor.onExamples();
  ({ page } = editor);
  page.on('console', (message) => { if (/Content Security Policy|Refused to/.test(message.text())) refused.push(message.text()); });
  await page.locator('.activitybar .action-label[aria-label*="Pincite"]').click();
  view = page.frameLocator('iframe.webview >> nth=0').frameLocator('iframe');
  await view.locator('main[aria-busy=false] h1').waitFor({ timeout: 60_000 });
  // All papers are read.
  await goInto('duma2014resolution}');
  await view.getByText('1 Introduction').first().waitFor({ timeout: 120_000 });
}, { timeout: 300_000 });
after(() => editor?.stop());
afterEach((t) => pictureOfFailure(editor, t));

/** Wait for the view to show this in its first line. */
const shows = (title) => view.getByRole('heading', { level: 1, name: title, exact: true }).waitFor({ timeout: WAIT });
const button = (name) => view.getByRole('button', { name });
const works = () => view.locator('article:visible > header').evaluateAll((all) => all.map((one) => one.firstElementChild.innerText));

/** Put the cursor into the first of these words in the draft as it is on the disk. */
async function goInto(words, offset = 1) {
  const lines = draft().split('\n');
  const line = lines.findIndex((one) => one.includes(words));
  await editor.goTo(line + 1, lines[line].indexOf(words) + offset + 1);
}

/** Wait for a text editor to have the focus. */
const inEditor = () => until(() => page.evaluate(() => document.activeElement.closest('.monaco-editor') !== null), WAIT, 'an editor has the focus');

const draft = () => fs.readFileSync(path.join(editor.workspace, 'survey.tex'), 'utf8');

/** Save, and wait for this in the file. */
async function saved(text) {
  await page.locator('.tab.active.dirty').waitFor({ timeout: WAIT });
  await page.locator('.tab.active').click();
  await page.keyboard.press('Control+s');
  await until(() => draft().includes(text), WAIT, `${text} in the draft`);
}

test('where nothing can be cited the view shows where to go', async () => {
  await goInto('\\documentclass');
  await shows('Nothing to cite here');
  await editor.screenshot('evidence-nothing-to-cite');
});

test('anywhere in a sentence it shows its citations, and without one what fits there', async () => {
  await goInto('assign every sentence of an article');
  await shows('Supporting sentences');
  assert.deepEqual(await works(), ['Teufel and Moens 2002']);
  await goInto('neutral');
  await shows('Works that fit here');
  await button('Insert').first().waitFor();
  await editor.screenshot('evidence-prose');
});

test('in a citation it shows the supporting sentences of each work, and which one the cursor is at', async () => {
  await goInto('duma2014resolution}');
  await shows('Supporting sentences');
  assert.deepEqual(await works(), ['He et al. 2010', 'Duma and Klein 2014']);
  assert.equal(await view.locator('[aria-current=true] h2').innerText(), 'Duma and Klein 2014');
  const first = view.getByRole('article', { name: 'He et al. 2010' }).getByRole('listitem').first();
  assert.match(await first.innerText(), /^The query is taken from the draft itself/);
  assert.deepEqual(await first.locator('mark').allInnerTexts(), ['query', 'draft', 'author', 'keywords']);
  await view.getByText('1 Introduction').first().waitFor();
  await editor.screenshot('evidence-citation');
});

test('following the cursor leaves the focus in the draft', async () => {
  await goInto('he2010context,');
  await view.locator('[aria-current=true] h2', { hasText: 'He et al. 2010' }).waitFor({ timeout: WAIT });
  assert.ok(await page.evaluate(() => document.activeElement.closest('.monaco-editor') !== null));
});

test('in a placeholder it shows the works that fit, the best one first, with the reason', async () => {
  await goInto('\\cite<>', 5);
  await shows('Works that fit here');
  // The sentences on the way there have works that fit, too.
  await eventually(async () => (await works()).slice(0, 2), ['Teufel and Moens 2002', 'Teufel et al. 2006']);
  assert.equal((await works()).length, 10);
  const best = view.getByRole('article', { name: 'Teufel and Moens 2002' });
  await best.getByText(/shares: .*categories/).waitFor();
  await view.locator('.strength').first().waitFor();
  await editor.screenshot('evidence-placeholder');
});

test('the sentences of the further works come when they are opened', async () => {
  const folded = view.locator('.fold[aria-expanded=false]').first();
  const name = await folded.innerText();
  const work = view.getByRole('article', { name, exact: true });
  await folded.click();
  await work.locator('.fold[aria-expanded=true]').waitFor();
  await work.locator('li, .remark').filter({ hasNotText: 'Looking' }).first().waitFor({ timeout: WAIT });
  assert.equal(await view.locator(':focus').innerText(), name);
  await editor.screenshot('evidence-opened');
});

test('a page is pinned in the draft', async () => {
  await goInto('reimers2019sbert}');
  await shows('Supporting sentences');
  await button('Pin page 3982 in the citation of Reimers and Gurevych 2019').first().click();
  const outcome = view.getByRole('status').filter({ hasText: 'Pinned page 3982.' });
  await outcome.waitFor({ timeout: WAIT });
  assert.deepEqual(await works(), ['Reimers and Gurevych 2019']);
  assert.match(await view.locator(':focus').innerText(), /Pin page 3982/);
  await editor.screenshot('evidence-pinned');
  await saved('\\citep[p.~3982]{reimers2019sbert}');
  await outcome.waitFor({ state: 'hidden', timeout: WAIT });
});

test('other works are offered under those that are cited', async () => {
  await goInto('jaidka2018clscisumm}');
  await view.getByRole('heading', { name: 'Jaidka et al. 2018' }).waitFor({ timeout: WAIT });
  assert.deepEqual(await works(), ['Jaidka et al. 2018']);
  await button('Other works that fit here').click();
  const other = view.getByRole('heading', { level: 3 }).first();
  await other.waitFor({ timeout: WAIT });
  assert.ok(!(await view.getByRole('heading', { level: 3 }).allInnerTexts()).includes('Jaidka et al. 2018'));
  const name = await other.innerText();
  await editor.screenshot('evidence-others');
  await button(`Also cite ${name}`).click();
  await view.getByRole('heading', { level: 2, name }).waitFor({ timeout: WAIT });
  await view.getByRole('status').filter({ hasText: `Cited ${name}.` }).waitFor();
  await saved('\\citep{jaidka2018clscisumm,');
});

test('a title opens the entry, and the view stays with the draft', async () => {
  await goInto('teufel2002zoning}');
  await button('Summarizing Scientific Articles: Experiments with Relevance and Rhetorical Status').click();
  await page.locator('.tab.active', { hasText: 'references.bib' }).waitFor({ timeout: WAIT });
  await page.locator('.statusbar', { hasText: '(16 selected)' }).waitFor({ timeout: WAIT });
  assert.deepEqual(await works(), ['Teufel and Moens 2002']);
  await page.locator('.tab', { hasText: 'survey.tex' }).click();
});

test('the keyboard is enough to fill a placeholder', async () => {
  await goInto('\\cite<>', 5);
  await editor.run('Pincite: Show supporting sentences');
  await view.locator('article:focus').waitFor({ timeout: WAIT });
  await page.keyboard.press('ArrowDown');
  assert.match(await view.locator('article:focus').innerText(), /^Teufel et al\. 2006/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Tab');
  assert.equal(await view.locator(':focus').getAttribute('aria-label'), 'Insert Teufel and Moens 2002');
  await editor.screenshot('evidence-keyboard');
  await page.keyboard.press('Enter');
  await shows('Supporting sentences');
  // The author goes on writing where the citation is.
  await inEditor();
  await saved('\\cite{teufel2002zoning}. Most citations');
});

test('Escape goes back to the draft', async () => {
  await editor.run('Pincite: Show supporting sentences');
  await view.locator('article:focus').waitFor({ timeout: WAIT });
  await page.keyboard.press('Escape');
  await inEditor();
});

for (const [name, theme] of [['dark', 'Default Dark Modern'], ['contrast', 'Default High Contrast']]) {
  test(`the view takes the colours of the theme (${name})`, async () => {
    await editor.configure({ 'workbench.colorTheme': theme });
    await page.locator(`.monaco-workbench.${name === 'dark' ? 'vs-dark' : 'hc-black'}`).waitFor({ timeout: WAIT });
    await goInto('duma2014resolution}');
    await view.getByText('1 Introduction').first().waitFor({ timeout: WAIT });
    await editor.screenshot(`evidence-citation-${name}`);
    await goInto('[citation needed]');
    await shows('Works that fit here');
    await editor.screenshot(`evidence-placeholder-${name}`);
    await goInto('neutral');
    await shows('Works that fit here');
    await editor.screenshot(`evidence-prose-${name}`);
  });
}

test('a page and a sentence open the full text beside the draft', async () => {
  await goInto('reimers2019sbert}');
  await view.getByRole('button', { name: 'p. 3982, open Reimers and Gurevych 2019 there' }).first().click();
  await page.locator('.tab.active', { hasText: 'reimers' }).waitFor({ timeout: WAIT });
  await goInto('duma2014resolution}');
  await view.getByText('The query is taken from the draft itself').click();
  await page.locator('.tab.active', { hasText: 'he2010context.txt' }).waitFor({ timeout: WAIT });
  await inEditor();
  assert.deepEqual(await works(), ['He et al. 2010', 'Duma and Klein 2014']);
});

test('with nothing open it shows what to open', async () => {
  await goInto('neutral');
  await shows('Works that fit here');
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+w');
  await shows('No draft is open');
  await button('Open a draft…').waitFor();
  await editor.screenshot('evidence-nothing-open');
});

test('without a server it shows why, and what to do', async () => {
  await page.keyboard.press('Control+p');
  await page.fill('.quick-input-widget input', 'survey.tex');
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'survey.tex' }).first().click();
  await page.locator('.tab.active', { hasText: 'survey.tex' }).waitFor({ timeout: WAIT });
  await editor.configure({ 'pincite.serverCommand': ['false'] });
  await shows('The setting pincite.serverCommand is wrong');
  await button('Open settings').waitFor();
  await editor.screenshot('evidence-no-server');
  await editor.configure({});
  await goInto('neutral');
  await shows('Works that fit here');
});

test('the page loads nothing that it may not', () => assert.deepEqual(refused, []));
