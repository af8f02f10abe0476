// node pictures.mjs: the pictures of the README, client-vscode/pictures/*.png, from the packaged extension on examples/.
import fs from 'node:fs';
import path from 'node:path';

import { Editor, until } from './editor.mjs';
import { atPage, hover, panel } from './pdf.mjs';
import { Tree } from './trees.mjs';

const PICTURES = path.resolve(path.dirname(new URL(import.meta.url).pathname), '../../../client-vscode/pictures');
const SIZE = { width: 1120, height: 520 };

/** Entries as they come from another computer. */
const BROUGHT = String.raw`
@article{luhn1957statistical, author = {Luhn, Hans Peter}, title = {A Statistical Approach to Mechanized Encoding and Searching of
  Literary Information}, year = 1957, file = {C:\Users\ann\Zotero\storage\QX4T7K2B\Luhn 1957.pdf}}
@article{small1973cocitation, author = {Small, Henry}, title = {Co-citation in the Scientific Literature}, year = 1973,
  file = {C:\Users\ann\Zotero\storage\M3ZP9R1C\Small 1973.pdf}}
@article{salton1975vector, author = {Salton, Gerard and Wong, Anita and Yang, Chung-Shu}, title = {A Vector Space Model for Automatic
  Indexing}, year = 1975}
`;

const editor = await Editor.onExamples({
  prepare: ({ workspace }) => { fs.appendFileSync(path.join(workspace, 'references.bib'), BROUGHT); },
  settings: { 'breadcrumbs.enabled': false, 'window.commandCenter': false, 'workbench.layoutControl.enabled': false,
    'editor.suggest.showStatusBar': false, 'editor.lightbulb.enabled': 'off' },
});
try {
  await editor.page.setViewportSize(SIZE);
  await editor.run('View: Toggle Primary Side Bar Visibility');
  await suggestions();
  await supportingSentences();
  await fullText();
  await evidence();
  await claimCheck();
  await library();
} finally {
  await editor.stop();
}

async function suggestions() {
  const lines = fs.readFileSync(path.join(editor.workspace, 'survey.tex'), 'utf8').split('\n');
  const line = lines.findIndex((one) => one.includes('\\citep{}'));
  await editor.goTo(line + 1, lines[line].indexOf('{}') + 2);
  const supported = editor.page.locator('.suggest-details:visible', { hasText: 'full text' });
  await until(async () => {
    await editor.page.keyboard.press('Escape');
    await editor.page.keyboard.press('Control+Space');
    // Until the papers are read, another work comes first.
    const first = () => editor.suggestions().then(([label]) => label?.includes('Modeling Local Coherence'));
    if (!await until(first, 3_000, 'the work that is meant').catch(() => false)) return false;
    if (!await editor.page.locator('.suggest-details:visible').count()) await editor.page.keyboard.press('Control+Space');
    return supported.waitFor({ timeout: 3_000 }).then(() => true, () => false);
  }, 60_000, 'suggestions with their sentences');
  await picture('suggestions');
  await editor.page.keyboard.press('Escape');
  await editor.page.keyboard.press('Escape');
}

async function supportingSentences() {
  const shown = await hover(editor, 'survey.tex', '{duma2014resolution');
  // It comes and goes slowly.
  await until(() => shown.evaluate((one) => getComputedStyle(one.closest('.monaco-hover')).opacity === '1'), 5_000, 'a hover');
  await picture('hover');
}

async function fullText() {
  await editor.page.locator('.monaco-hover:visible').getByText('p. 362', { exact: true }).click();
  const frame = await panel(editor, 'duma-klein-2014.pdf');
  await atPage(frame, 2);
  await until(() => frame.locator('.page[data-page-number="2"] canvas').count(), 20_000, 'the page');
  await until(async () => await editor.page.locator('.monaco-hover:visible .markdown-hover').count() === 0, 5_000, 'no hover');
  await editor.page.mouse.move(SIZE.width / 2, SIZE.height - 5);
  await picture('pdf');
}

async function evidence() {
  await editor.run('View: Revert and Close Editor');
  await editor.run('Pincite: Show supporting sentences');
  const view = editor.page.locator('iframe.webview').first().contentFrame().locator('iframe').contentFrame();
  const lines = fs.readFileSync(path.join(editor.workspace, 'survey.tex'), 'utf8').split('\n');
  const line = lines.findIndex((one) => one.includes('{he2010context'));
  await until(async () => {
    await editor.goTo(line + 1, lines[line].indexOf('{he2010context') + 3);
    return view.getByText('Context-Aware').first().waitFor({ timeout: 5_000 }).then(() => true, () => false);
  }, 60_000, 'the evidence');
  await picture('evidence');
}

async function claimCheck() {
  const tree = new Tree(editor, 'Claim check');
  await tree.open();
  await editor.run('Pincite: Check the whole draft');
  await tree.row('Placeholders').waitFor({ timeout: 60_000 });
  await tree.unfold('Placeholders');
  await tree.row('cue phrases').click();
  await tree.pane.locator('.custom-view-tree-node-item-checkbox').first().click();
  await tree.row('cue phrases').click();
  await until(async () => await editor.line() === editor.behind('\\cite<>').line, 20_000, 'the draft at the finding');
  await rest();
  await picture('claim-check');
}

async function library() {
  const tree = new Tree(editor, 'Library');
  await tree.open();
  await tree.row('Title only').waitFor({ timeout: 60_000 });
  for (const label of ['Not on this computer', 'Duplicates']) await tree.unfold(label);
  await rest();
  await picture('library');
}

/** Wait until nothing is shown on top of the window. */
async function rest() {
  await editor.page.mouse.move(SIZE.width - 5, SIZE.height / 2);
  await until(async () => (await editor.notifications()).length === 0, 30_000, 'no notification');
}

async function picture(name) {
  fs.mkdirSync(PICTURES, { recursive: true });
  await editor.page.screenshot({ path: path.join(PICTURES, `${name}.png`), caret: 'initial' });
}
