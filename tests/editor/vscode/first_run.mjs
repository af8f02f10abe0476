// node first_run.mjs VSCODE VSIX OUT: a new profile, from the offer to install to the first suggestion.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { Editor, until } from './editor.mjs';

const [vscode, vsix, out] = process.argv.slice(2).map((name) => path.resolve(name));
const examples = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../../../examples');
const began = Date.now();
const tell = (what) => console.log(`${((Date.now() - began) / 1000).toFixed(1)} s  ${what}`);

fs.mkdirSync(out, { recursive: true });
const scratch = fs.mkdtempSync('/tmp/pincite-vscode-');
const workspace = path.join(scratch, 'examples');
fs.cpSync(examples, workspace, { recursive: true });
const draft = path.join(workspace, 'survey.tex');
const lines = fs.readFileSync(draft, 'utf8').split('\n');

/** Ask for suggestions in the first empty citation, and return what is shown. */
async function firstSuggestion(editor, patience) {
  const line = lines.findIndex((one) => one.includes('\\citep{}')) + 1;
  const column = lines[line - 1].indexOf('\\citep{}') + '\\citep{'.length + 1;
  await editor.goTo(line, column);
  return until(async () => {
    await editor.page.keyboard.press('Control+Space');
    await editor.page.waitForTimeout(700);
    const shown = await editor.suggestions();
    return shown.some((label) => label.includes('·') || /\d{4}/.test(label)) && shown;
  }, patience, 'suggestions');
}

const home = path.join(scratch, 'home');
const start = () => Editor.start({ vscode, home, vsix, workspace, file: draft });
let editor = await start();
try {
  tell('editor open');
  await until(async () => (await editor.notifications()).some((text) => text.includes('Pincite')), 30_000, 'the offer');
  tell(`offer: ${(await editor.notifications()).join(' | ')}`);
  await editor.page.screenshot({ path: path.join(out, 'offer.png') });
  await editor.press('Install the Pincite server');
  tell('pressed');
  await until(async () => (await editor.notifications()).some((text) => text.includes('Fetching')), 60_000, 'what pip fetches');
  await editor.page.screenshot({ path: path.join(out, 'installing.png') });
  await until(() => editor.environments().length === 1, 300_000, 'the environment');
  tell('installed');
  const first = await firstSuggestion(editor, 60_000);
  tell(`suggested: ${JSON.stringify(first.slice(0, 5))}`);
  await editor.page.screenshot({ path: path.join(out, 'first-suggestion.png') });
  await editor.stop();

  editor = await start();
  tell('editor open again');
  const again = await firstSuggestion(editor, 30_000);
  tell(`suggested again: ${JSON.stringify(again.slice(0, 3))}`);
  assert.ok(first.length > 3 && again.length > 3);
  assert.deepEqual(await editor.notifications(), []);
  tell('done');
} catch (error) {
  tell(`FAILED: ${error.message}`);
  await editor.page.screenshot({ path: path.join(out, 'failed.png') });
  await editor.run('Pincite: Show logs');
  await editor.page.waitForTimeout(2000);
  await editor.page.screenshot({ path: path.join(out, 'failed-log.png') });
  process.exitCode = 1;
} finally {
  await editor.stop();
  fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
}
