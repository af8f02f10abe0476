// An author writes in Markdown: suggestions after @, evidence, citations inserted in the draft's own way. A README is left alone.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, eventually, pictureOfFailure, until } from './editor.mjs';

const DRAFT = 'paper.md';
/** How long starting, and reading the papers, may take. */
const READ_MS = 120_000;
const GAP = 'the cost of moving them [@';
const README = '# A tool\n\nThanks to @robertson2009bm25 for all.\n';

let editor;
before(async () => {
  editor = await Editor.onExamples({
    file: DRAFT,
    prepare({ workspace }) {
      // The draft in Quarto as a file that VS Code itself knows as Markdown.
      fs.copyFileSync(path.join(workspace, 'notes.qmd'), path.join(workspace, DRAFT));
      fs.writeFileSync(path.join(workspace, 'README.md'), README);
    },
  });
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(() => editor?.stop());

test('in an empty citation the entry that fits comes first, and Tab takes it', async () => {
  await editor.goBehind(GAP, DRAFT);
  await eventually(async () => (await editor.suggest())[0]?.key, 'kusner2015wmd', READ_MS); // once the papers are read
  await editor.screenshot('markdown-suggestions');
  await editor.hit('Tab');
  assert.ok((await editor.saved(DRAFT)).includes(`${GAP}kusner2015wmd].`));
});

test('the list opens at @ in the text, and Enter takes what is chosen', async () => {
  await editor.goBehind('how long the document is, as derived', DRAFT);
  await editor.type(' anew by @teufel2002');
  await eventually(async () => (await editor.keys())[0], 'teufel2002zoning');
  await editor.hit('Enter');
  assert.ok((await editor.saved(DRAFT)).includes('as derived anew by @teufel2002zoning'));
});

test('a key that is pointed at shows what the work says', async () => {
  await editor.goBehind('one answer [@qazvinian', DRAFT);
  const shown = await editor.hover(/citation summary/);
  assert.match(shown.join('\n'), /Qazvinian and Radev 2008/);
});

test('an action cites where a citation is needed, in brackets', async () => {
  await editor.goBehind('more effective [citation', DRAFT);
  await editor.actions(/Cite Ritchie 2009/);
  await editor.act(/Cite Ritchie 2009/);
  await editor.page.locator('.tab.active.dirty').waitFor();
  assert.ok((await editor.saved(DRAFT)).includes('more effective [@ritchie2009contexts].'));
});

test('the Evidence view follows the sentence: its citations, and without one what fits there', async () => {
  const { page } = editor;
  await page.locator('.activitybar .action-label[aria-label*="Pincite"]').click();
  const view = page.frameLocator('iframe.webview >> nth=0').frameLocator('iframe');
  // It takes the focus once it is there.
  await view.locator('main[aria-busy=false] h1').waitFor({ timeout: 60_000 });
  const shows = async () => ({
    title: await view.getByRole('heading', { level: 1 }).first().innerText(),
    works: await view.locator('article:visible > header').evaluateAll((all) => all.map((one) => one.firstElementChild.innerText)),
  });
  const follows = async (words, title, ...works) => {
    await editor.goBehind(words, DRAFT);
    await eventually(async () => {
      const shown = await shows();
      return { title: shown.title, works: works.length ? shown.works : [] };
    }, { title, works });
  };
  await follows('which helps to tell', 'Supporting sentences', 'Teufel and Moens 2002');
  await follows('one answer [@qazv', 'Supporting sentences', 'Qazvinian and Radev 2008');
  await view.locator('article mark').first().waitFor();
  await editor.screenshot('markdown-evidence');
  await follows('A citation points', 'Works that fit here');
  await follows('```{r}', 'Nothing to cite here');
  await page.locator('.activitybar .action-label[aria-label*="Explorer"]').first().click();
});

test('a draft in Quarto is served too, whatever the editor calls its language', async () => {
  await editor.open(editor.workspace, editor.path('notes.qmd'));
  await editor.goBehind('by @robertson', 'notes.qmd');
  await until(() => editor.hover(/Robertson and Zaragoza 2009/).catch(() => false), READ_MS, 'the hover');
});

test('a README without a bibliography sees nothing of us', async () => {
  await editor.open(editor.workspace, editor.path('README.md'));
  await editor.goBehind('Thanks to @robertson2009bm25', 'README.md');
  const rows = await editor.suggest();
  assert.ok(rows.every(({ authorYear }) => !authorYear), JSON.stringify(rows));
});
