// Full texts: from the link in a hover to the page, the sentence, or the author's own viewer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, until } from './editor.mjs';
import { atPage, hover, opened, panel } from './pdf.mjs';

const SENTENCE = 'This is a linear programme, a special case of the optimal transport problem, for which specialised solvers exist.';
const MARKDOWN_SENTENCE = 'Simple models trained on a lot of data beat complex ones trained on little, but for many tasks the data are limited.';

// As links of the Evidence view, which name the sentence: here each has a key of the author's.
const PLACES = {
  sentence: { paper: 'kusner2015wmd.pdf', page: 1, sentence: SENTENCE },
  nowhere: { paper: 'kusner2015wmd.pdf#page=2', sentence: 'No such sentence was ever written in this paper.' },
  markdown: { paper: 'mikolov2013efficient.md', sentence: MARKDOWN_SENTENCE },
  elsewhere: { paper: 'reimers2019sbert.pdf', page: 2 },
  gone: { paper: 'gone.pdf', page: 3 },
  notes: { paper: 'notes.pdf' },
  damaged: { paper: 'damaged.pdf' },
  locked: { paper: 'locked.pdf' },
};
const keyOf = (place) => `F${Object.keys(PLACES).indexOf(place) + 2}`;

let editor;
before(async () => {
  editor = await Editor.onExamples({
    prepare: ({ workspace, user }) => {
      const bindings = Object.entries(PLACES).map(([place, { paper: name, ...rest }]) => ({
        key: `ctrl+shift+${keyOf(place)}`, command: 'pincite.openPdf', args: { uri: `file://${workspace}/papers/${name}`, ...rest },
      }));
      fs.writeFileSync(path.join(user, 'keybindings.json'), JSON.stringify(bindings));
    },
  });
}, { timeout: 120_000 });
after(() => editor?.stop());
afterEach((t) => pictureOfFailure(editor, t));

const paper = (name) => path.join(editor.workspace, 'papers', name);
const active = () => editor.page.locator('.tab.active').evaluateAll((tabs) => tabs.map((tab) => tab.dataset.resourceName));
const follow = (place) => editor.page.keyboard.press(`Control+Shift+${keyOf(place)}`);

const THEMES = { Light: ['Default Light Modern', 'vs'], Dark: ['Default Dark Modern', 'vs-dark'], Contrast: ['Default High Contrast', 'hc-black'] };

/** Set the theme, and other settings of this machine. */
async function set(theme, settings = {}) {
  const [name, shown] = THEMES[theme];
  await editor.configure({ ...settings, 'workbench.colorTheme': name });
  await editor.page.locator(`.monaco-workbench.${shown}`).waitFor();
}

test('a link in a hover opens the PDF at its page, beside the draft', async () => {
  const frame = await opened(editor, async () => {
    const shown = await hover(editor, 'survey.tex', '{duma2014resolution');
    await editor.screenshot('pdf-hover');
    await shown.getByText('p. 362', { exact: true }).first().click({ timeout: 5_000 });
  }, 'duma-klein-2014.pdf');
  assert.match(await atPage(frame, 2), /External contexts alone get 41 per cent/);
  assert.equal(await frame.textContent('#pages'), 'of 2');
  assert.equal(await editor.page.locator('.editor-group-container').count(), 2);
  await editor.screenshot('pdf-page');
  assert.deepEqual(await editor.notifications(), []);
});

test('the panel is used by keyboard: pages and zoom', async () => {
  const frame = await panel(editor, 'duma-klein-2014.pdf');
  const { keyboard } = editor.page;
  // A hover that closes gives the focus back to the draft.
  await editor.page.locator('.monaco-hover:visible').first().waitFor({ state: 'hidden' });
  await until(async () => {
    await frame.locator('#container').focus();
    return frame.evaluate(() => document.hasFocus() && document.activeElement?.id === 'container');
  }, 10_000, 'the focus in the panel');
  await keyboard.press('p');
  await atPage(frame, 1);
  const width = () => frame.locator('.page').first().evaluate((one) => one.clientWidth);
  const before = await width();
  await keyboard.press('+');
  await until(async () => await width() > before, 5_000, 'a larger page');
  await keyboard.press('0');
  // A scroll bar may have come or gone.
  await until(async () => Math.abs(await width() - before) < 20, 5_000, 'a page as wide as the panel');
  await frame.locator('#page').fill('2');
  await keyboard.press('Enter');
  await atPage(frame, 2);
  await frame.locator('#page').fill('77');
  await keyboard.press('Enter');
  assert.equal(await frame.inputValue('#page'), '2');
});

test('Ctrl+F finds words on any page, and Escape shows the sentence again', async () => {
  const frame = await panel(editor, 'duma-klein-2014.pdf');
  const { keyboard } = editor.page;
  await frame.locator('#container').focus();
  await keyboard.press('Control+f');
  await frame.locator('#search').waitFor();
  assert.equal(await frame.evaluate(() => document.activeElement?.id), 'query');
  await keyboard.type('citation');
  const matches = () => frame.textContent('#matches');
  // They are counted page by page, and with each letter.
  const counted = async () => (await matches()).split(' of ').map(Number);
  await until(async () => (await counted())[1] > 3, 10_000, 'matches');
  const [first] = await counted();
  await editor.screenshot('pdf-find');
  await keyboard.press('Enter');
  await until(async () => (await counted())[0] === first + 1, 5_000, 'the next match');
  await keyboard.press('Shift+Enter');
  await until(async () => (await counted())[0] === first, 5_000, 'the match before');
  await frame.locator('#query').fill('zeppelin');
  await until(async () => await matches() === 'Not found', 5_000, 'no match');
  await keyboard.press('Escape');
  await frame.locator('#search').waitFor({ state: 'hidden' });
  assert.equal(await frame.evaluate(() => document.activeElement?.id), 'container');
});

test('a sentence is highlighted, however the page breaks it', async () => {
  const frame = await opened(editor, () => follow('sentence'), 'kusner2015wmd.pdf');
  await atPage(frame, 1);
  const highlighted = frame.locator('.page[data-page-number="1"] .highlight');
  await highlighted.first().waitFor();
  const words = (await highlighted.allTextContents()).join(' ').replace(/- |\s/g, '').toLowerCase();
  assert.equal(words, SENTENCE.replace(/[\s.]/g, '').toLowerCase());
  await editor.screenshot('pdf-sentence-light');
  for (const theme of ['Dark', 'Contrast', 'Light']) {
    await set(theme);
    await editor.screenshot(`pdf-sentence-${theme.toLowerCase()}`);
  }
});

test('a sentence that is not there leaves the page, and no message', async () => {
  await follow('nowhere');
  const frame = await panel(editor, 'kusner2015wmd.pdf');
  await atPage(frame, 2);
  await until(async () => await frame.locator('.highlight').count() === 0, 5_000, 'no highlights');
  assert.deepEqual(await editor.notifications(), []);
});

test('a full text in Markdown opens as text, with the sentence selected', async () => {
  await follow('markdown');
  await until(async () => (await active()).includes('mikolov2013efficient.md'), 10_000, 'the Markdown');
  await until(() => editor.page.locator('.statusbar-item', { hasText: 'selected' }).count(), 10_000, 'a selection');
  await editor.screenshot('pdf-markdown');
});

test("the author's own viewer gets the file and the page", async () => {
  const viewer = path.join(editor.scratch, 'viewer.sh');
  const given = path.join(editor.scratch, 'arguments.txt');
  fs.writeFileSync(viewer, `#!/bin/sh\nprintf '%s\\n' "$@" > '${given}.part' && mv '${given}.part' '${given}'\n`, { mode: 0o755 });
  await set('Dark', { 'pincite.pdfViewer': [viewer, '--page={page}', '{file}'] });
  await follow('elsewhere');
  await until(() => fs.existsSync(given), 10_000, 'the viewer');
  assert.equal(fs.readFileSync(given, 'utf8'), `--page=2\n${paper('reimers2019sbert.pdf')}\n`);
  await set('Contrast', { 'pincite.pdfViewer': ['/no/such/viewer'] });
  await follow('elsewhere');
  await notified(/“\/no\/such\/viewer” does not start/);
  await editor.screenshot('pdf-no-viewer');
  await set('Light');
});

test('what cannot be shown is reported once, and clearly', async () => {
  fs.writeFileSync(paper('notes.pdf'), 'Notes on a paper, in a file with the wrong name.');
  fs.writeFileSync(paper('damaged.pdf'), '%PDF-1.7\n1 0 obj\n<< /Type /Catalog');
  execFileSync(path.resolve(process.env.PINCITE_PYTHON ?? '.venv/bin/python'), ['-c', `
import sys
from fpdf import FPDF
pdf = FPDF()
pdf.add_page()
pdf.set_encryption(owner_password="owner", user_password="user")
pdf.output(sys.argv[1])`, paper('locked.pdf')]);
  await follow('gone');
  await notified(/gone\.pdf does not exist\.$/);
  await follow('notes');
  await notified(/notes\.pdf is not a PDF/);
  for (const [place, why] of [['damaged', /damaged and cannot be shown/], ['locked', /protected by a password/]]) {
    await follow(place);
    const frame = await panel(editor, PLACES[place].paper);
    await frame.locator('#failure:visible').waitFor();
    assert.match(await frame.textContent('#failure'), why);
    await editor.screenshot(`pdf-${place}`);
  }
});

test('the next window shows the same page and sentence', async () => {
  await follow('sentence');
  await (await panel(editor, PLACES.sentence.paper)).locator('.highlight').first().waitFor();
  // The address determines which file a first window opens, in place of what was open before.
  await editor.page.evaluate(() => { history.replaceState(null, '', location.href.replace(/&payload=.*/, '')); });
  await Promise.all([editor.page.waitForEvent('domcontentloaded'), editor.run('Developer: Reload Window')]);
  const frame = await panel(editor, PLACES.sentence.paper);
  await atPage(frame, 1);
  await frame.locator('.page[data-page-number="1"] .highlight').first().waitFor();
});

/** Wait for a message, and close it. */
async function notified(what) {
  await until(async () => (await editor.notifications()).some((text) => what.test(text)), 10_000, `${what}`);
  assert.equal((await editor.notifications()).length, 1);
  await editor.run('Notifications: Clear All Notifications');
  await until(async () => (await editor.notifications()).length === 0, 5_000, 'no message');
}
