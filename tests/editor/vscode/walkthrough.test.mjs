// The walkthrough renders, and checks off what the author has done.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, until } from './editor.mjs';

let editor;
before(async () => {
  editor = await Editor.onExamples();
  await editor.page.setViewportSize({ width: 1600, height: 900 }); // wide enough for pictures beside the steps
}, { timeout: 120_000 });
after(() => editor?.stop());
afterEach((t) => pictureOfFailure(editor, t));

const steps = () => editor.page.locator('.gettingStartedContainer .step-title:visible');
const step = (title) => editor.page.locator('.getting-started-step', { hasText: title });
const done = (title) => step(title).locator('.codicon.complete').count().then((many) => many > 0);

/** Open it by its name. */
async function open() {
  await editor.run('Welcome: Open Walkthrough...');
  await editor.page.waitForSelector('.quick-input-widget input');
  await editor.type('Get started with Pincite');
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Get started with Pincite' }).first().click();
  await until(() => steps().count(), 20_000, 'the walkthrough');
}

test('it opens with its steps and their pictures', async () => {
  await open();
  // Its first step is that of the state.
  await step('The Pincite server is running').waitFor();
  await editor.screenshot('walkthrough');
  assert.deepEqual((await steps().allTextContents()).map((title) => title.trim()),
    ['The Pincite server is running', 'Attach your papers', 'Get your first suggestion', 'Read what supports the claim', 'Ask anywhere']);
  for (const [i, title] of (await steps().allTextContents()).entries()) {
    await step(title).click();
    await until(() => pictured(i), 10_000, `the picture of ${title}`);
    await editor.screenshot(`walkthrough-${i + 1}`);
  }
});

test('steps are checked off when they are done', async () => {
  await until(() => done('The Pincite server is running'), 30_000, 'the server checked off');
  await until(() => done('Attach your papers'), 60_000, 'papers that are there checked off');
  assert.doesNotMatch(await editor.page.locator('.gettingStartedContainer').innerText(), /`/);
  assert.equal(await done('Get your first suggestion'), false);
  await step('Read what supports the claim').click();
  await editor.page.getByRole('button', { name: 'Show the Evidence view' }).click();
  await until(() => done('Read what supports the claim'), 10_000, 'the Evidence view checked off');
  await editor.page.locator('.tab', { hasText: 'survey.tex' }).click();
  const lines = fs.readFileSync(path.join(editor.workspace, 'survey.tex'), 'utf8').split('\n');
  const line = lines.findIndex((one) => one.includes('\\citep{}'));
  await editor.goTo(line + 1, lines[line].indexOf('{}') + 2);
  await until(async () => (await editor.suggest()).length, 30_000, 'works are listed');
  await editor.page.keyboard.press('Escape');
  await editor.page.locator('.tab', { hasText: 'Walkthrough' }).click();
  await until(() => done('Get your first suggestion'), 10_000, 'the first suggestion checked off');
  await editor.screenshot('walkthrough-done');
  await editor.run('Preferences: Toggle between Light/Dark Themes');
  await editor.page.locator('.monaco-workbench.vs-dark').waitFor();
  await editor.screenshot('walkthrough-dark');
});

test('the sample opens from its first step, with a ranked list and evidence', async () => {
  await editor.page.locator('.tab', { hasText: 'Walkthrough' }).click();
  await step('The Pincite server is running').click();
  await editor.page.getByRole('button', { name: 'Open the sample thesis' }).click();
  const began = Date.now();
  const rows = await until(async () => {
    const list = await editor.list();
    return list.some(({ title }) => title !== '') && list;
  }, 60_000, 'the list, without a key pressed');
  assert.ok(Date.now() - began < 60_000);
  const folder = path.join(editor.home, 'data/User/globalStorage/pincite.pincite/sample');
  const { line } = editor.behind('\\citep{}', path.relative(editor.workspace, path.join(folder, 'survey.tex')));
  assert.equal(await editor.line(), line);
  assert.match(rows[0].authorYear, /^Barzilay and Lapata 2008/);
  await until(async () => (await evidence()).includes('Works that fit here'), 20_000, 'evidence beside it');
  await editor.screenshot('sample');
  // What the author writes into it stays.
  await editor.hit('Escape');
  await editor.type('mine');
  await editor.hit('Escape', 'Control+s');
  await editor.page.waitForSelector('.tab.active:not(.dirty)');
  fs.rmSync(path.join(folder, 'references.bib'));
  await editor.run('Pincite: Open the sample thesis');
  await until(() => fs.existsSync(path.join(folder, 'references.bib')), 10_000, 'the bibliography again');
  assert.match(fs.readFileSync(path.join(folder, 'survey.tex'), 'utf8'), /\\citep\{mine\}/);
});

test('what was done before it is opened is checked off, too', { timeout: 180_000 }, async () => {
  await editor.stop();
  editor = await Editor.onExamples({ settings: { 'workbench.colorTheme': 'Default High Contrast' } });
  await editor.goBehind('shuffled ones \\citep{');
  await until(async () => (await editor.suggest()).some(({ title }) => title), 60_000, 'works are listed');
  await editor.hit('Escape');
  await editor.run('Pincite: Focus on Evidence View');
  await until(async () => (await evidence()).includes('Works that fit here'), 60_000, 'evidence');
  await open();
  for (const title of ['The Pincite server is running', 'Get your first suggestion', 'Read what supports the claim']) {
    await until(() => done(title), 20_000, `${title} checked off`);
  }
  assert.equal(await done('Ask anywhere'), false);
  await editor.screenshot('walkthrough-high-contrast');
});

/** What the Evidence view shows. */
async function evidence() {
  const texts = await Promise.all(editor.page.frames().map((frame) => frame.locator('main[aria-busy]').allInnerTexts().catch(() => [])));
  return texts.flat().join('\n');
}

/** Whether the picture of a step is shown: each has a word of its own. */
async function pictured(i) {
  const words = ['Install the Pincite server', 'kusner.pdf', 'A Vector Space Model', 'Embedded words move', 'Suggest citations here'];
  for (const frame of editor.page.frames()) {
    if (await frame.locator('svg', { hasText: words[i] }).count().catch(() => 0)) return true;
  }
  return false;
}
