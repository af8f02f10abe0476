// node pictures.mjs [FUNCTION]...: the pictures of the READMEs, client-vscode/pictures/, from the packaged extension on examples/.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { Editor, PYTHON, until } from './editor.mjs';
import { atPage, hover, panel } from './pdf.mjs';
import { Tree } from './trees.mjs';

const HERE = path.dirname(new URL(import.meta.url).pathname);
const PICTURES = path.resolve(HERE, '../../../client-vscode/pictures');
const SIZE = { width: 1120, height: 520 };
const MOVING_SIZE = { width: 1040, height: 560 };

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
    'editor.suggest.showStatusBar': false, 'editor.wordWrap': 'on', 'editor.lightbulb.enabled': 'off' },
});
try {
  await editor.page.setViewportSize(SIZE);
  await settled();
  await editor.run('View: Toggle Primary Side Bar Visibility');
  const chosen = process.argv.slice(2);
  for (const take of [suggestions, supportingSentences, fullText, evidence, claimCheck, library, movingPicture]) {
    if (chosen.length === 0 || chosen.includes(take.name)) await take();
  }
} catch (error) {
  await editor.screenshot('pictures-failed');
  throw error;
} finally {
  await editor.stop();
}

/** Have all papers read, and the hint of the first list shown: the pictures are of a later window. */
async function settled() {
  await editor.goBehind('shuffled ones \\citep{');
  await until(async () => (await editor.suggest()).some(({ title }) => title), 60_000, 'the first list');
  await until(async () => /^\d+ entries, \d+ with full text/.test(await editor.status() ?? ''), 60_000, 'the papers are read');
  await editor.open(editor.workspace, editor.path('survey.tex'));
}

async function suggestions() {
  const lines = fs.readFileSync(path.join(editor.workspace, 'survey.tex'), 'utf8').split('\n');
  const line = lines.findIndex((one) => one.includes('\\citep{}'));
  await editor.goTo(line + 1, lines[line].indexOf('{}') + 2);
  await listed();
  await picture('suggestions');
  await editor.page.keyboard.press('Escape');
  await editor.page.keyboard.press('Escape');
}

/** Show the list with the work that fits, and its sentences. */
async function listed() {
  const supported = editor.page.locator('.suggest-details:visible', { hasText: 'partial' });
  await until(async () => {
    await editor.page.keyboard.press('Escape');
    await editor.page.keyboard.press('Control+Space');
    // Until the papers are read, another work comes first.
    const first = () => editor.suggestions().then(([label]) => label?.includes('Modeling Local Coherence'));
    if (!await until(first, 3_000, 'the work that fits').catch(() => false)) return false;
    if (!await editor.page.locator('.suggest-details:visible').count()) await editor.page.keyboard.press('Control+Space');
    return supported.waitFor({ timeout: 3_000 }).then(() => true, () => false);
  }, 60_000, 'suggestions with their sentences');
}

async function supportingSentences() {
  const shown = await hover(editor, 'survey.tex', '{duma2014resolution');
  // It comes and goes slowly.
  await until(() => shown.evaluate((one) => getComputedStyle(one.closest('.monaco-hover')).opacity === '1'), 5_000, 'a hover');
  await picture('hover');
}

async function fullText() {
  await editor.page.locator('.monaco-hover:visible').getByText('p. 362', { exact: true }).first().click();
  const frame = await panel(editor, 'duma-klein-2014.pdf');
  await atPage(frame, 2);
  await until(() => frame.locator('.page[data-page-number="2"] canvas').count(), 20_000, 'the page');
  await until(() => frame.locator('.highlight').count(), 20_000, 'the sentence');
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
  await tree.row('Whether the author').click();
  await tree.pane.locator('.custom-view-tree-node-item-checkbox').first().click();
  await tree.row('Whether the author').click();
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

/** An author cites a work, sees what supports it, opens the page, and checks the draft: one picture for each step. */
async function movingPicture() {
  const frames = path.join(editor.scratch, 'frames');
  fs.mkdirSync(frames);
  let taken = 0;
  const frame = async (seconds) => {
    await editor.page.screenshot({ path: path.join(frames, `${String(taken += 1).padStart(3, '0')}-${seconds * 1000}.png`), caret: 'initial' });
  };
  await editor.page.setViewportSize(MOVING_SIZE);
  await editor.open(editor.workspace, path.join(editor.workspace, 'survey.tex'));
  await new Tree(editor, 'Evidence').open();
  await editor.goBehind('shuffled ones \\citep{}');
  for (let letters = 0; letters < ' \\citep{}'.length; letters += 1) await editor.hit('Backspace');
  await editor.hit('Escape');
  const shows = (text) => evidenceFrame().getByText(text).first().waitFor({ timeout: 60_000 });
  await shows('Works that fit here');
  await until(async () => /^\d+ entries, \d+ with full text/.test(await editor.status() ?? ''), 60_000, 'the papers are read');
  await rest();
  await frame(1.2);
  for (const letter of ' \\citep') {
    await editor.type(letter);
    await editor.hit('Escape');
    await frame(0.12);
  }
  await editor.type('{');
  await listed();
  await frame(3.5);
  await editor.hit('Enter');
  await shows('Supporting sentences');
  await frame(3.5);
  await editor.goBehind('either alone \\citep[p.~362]{duma2014resolution');
  await shows('Duma and Klein 2014');
  await evidenceFrame().getByText('p. 362', { exact: true }).first().waitFor();
  await frame(3);
  await evidenceFrame().getByText('p. 362', { exact: true }).first().click();
  const paper = await panel(editor, 'duma-klein-2014.pdf');
  await atPage(paper, 2);
  await until(() => paper.locator('.highlight').count(), 20_000, 'the sentence in the PDF');
  await rest();
  await frame(3.5);
  await editor.run('View: Close Editor');
  const tree = new Tree(editor, 'Claim check');
  await tree.open();
  await editor.run('Pincite: Check the whole draft');
  await tree.row('Placeholders').waitFor({ timeout: 60_000 });
  await rest();
  await frame(3.5);
  await promisify(execFile)(PYTHON, [path.join(HERE, 'moving_picture.py'), frames, path.join(PICTURES, 'pincite.gif')]);
}

function evidenceFrame() {
  return editor.page.locator('iframe.webview').first().contentFrame().locator('iframe').contentFrame();
}
