// An author writes in Typst: suggestions after @, evidence, citations inserted in the draft's own way.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';

const DRAFT = 'notes.typ';
/** How long starting, and reading the papers, may take. */
const READ_MS = 120_000;

let editor;
before(async () => {
  // Without Typst's own extension the file has no language: its name shows what it is.
  editor = await Editor.onExamples({ file: DRAFT });
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(() => editor?.stop());

test('a key that is pointed at shows what the work says', async () => {
  await editor.goBehind('agreement and learned @teufel', DRAFT);
  const shown = await until(() => editor.hover(/Teufel et al\. 2006/).catch(() => false), READ_MS, 'the hover');
  assert.match(shown.join('\n'), /Automatic Classification of Citation Function/);
});

test('the list opens at @ in the text, and Enter takes what is chosen', async () => {
  await editor.goBehind('is the oldest of them', DRAFT);
  await editor.type(' and was weighed by @sparck');
  await eventually(async () => (await editor.keys())[0], 'sparckjones1972idf', READ_MS);
  await editor.screenshot('typst-suggestions');
  await editor.hit('Enter');
  assert.ok((await editor.saved(DRAFT)).includes('and was weighed by @sparckjones1972idf, and still'));
});

test('an action cites where a citation is needed', async () => {
  await editor.goBehind('literature more effective [citation', DRAFT);
  await editor.actions(/Cite Ritchie 2009/);
  await editor.act(/Cite Ritchie 2009/);
  await editor.page.locator('.tab.active.dirty').waitFor();
  assert.ok((await editor.saved(DRAFT)).includes('literature more effective @ritchie2009contexts.'));
});
