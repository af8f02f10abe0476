// Fetching what is missing, from services on this computer: nothing is sent before the author agrees.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, until } from './editor.mjs';
import { Services } from './services.mjs';

const WORKS = `[Work("10.1000/genre", "Genre Analysis: English in Academic and Research Settings", [("Swales", "John M.")],
              1990, "Introductions of articles make three moves.",
              [("Moves", ["Introductions move in three steps (Swales, 1990)."])])]`;
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

/** Ask for it, by the command or another way, and keep both ticks. */
async function ask(begin = () => editor.run('Pincite: Fetch abstracts and citing sentences')) {
  await begin();
  const choices = page.locator('.quick-input-widget', { hasText: 'What to look up for survey.tex' });
  await choices.waitFor();
  const shown = await choices.innerText();
  await editor.screenshot('fetch-choices');
  await editor.hit('Enter');
  await dialog().waitFor();
  return shown;
}

test('what would be sent is shown first, and nothing is sent if the author does not agree', async () => {
  const choices = await ask();
  assert.match(choices, /Abstracts: \d+ entries/);
  assert.match(choices, /Citing sentences: 25 entries/);
  const asked = await dialog().innerText();
  assert.match(asked, /Look up abstracts and citing sentences for 25 entries of survey\.tex on the network\?/);
  assert.match(asked, /OpenAlex \(api\.openalex\.org\): .*titles?/);
  assert.match(asked, /Nothing from your draft is sent/);
  await editor.screenshot('fetch');
  await editor.hit('Escape');
  await dialog().waitFor({ state: 'detached' });
  assert.equal(await services.requests(), 0);
});

test('the Evidence view offers it where only the title of a cited work is known', async () => {
  await editor.goBehind('swales1990');
  await editor.run('Pincite: Focus on Evidence View');
  const view = page.frameLocator('iframe.webview >> nth=0').frameLocator('iframe');
  const offer = view.getByRole('button', { name: 'Fetch abstracts…' });
  await offer.waitFor();
  await editor.screenshot('evidence-title-only');
  await ask(() => offer.click());
  await editor.hit('Escape');
  await dialog().waitFor({ state: 'detached' });
  assert.equal(await services.requests(), 0);
});

test('what comes back is reported, and serves', async () => {
  await ask();
  await dialog().getByRole('button', { name: 'Fetch', exact: true }).click();
  await until(async () => /citing sentence/.test(await page.locator('.notifications-toasts').innerText().catch(() => '')), 60_000, 'what was found');
  assert.match(await page.locator('.notifications-toasts').innerText(), /1 citing sentence from Semantic Scholar/);
  assert.notEqual(await services.requests(), 0);
});
