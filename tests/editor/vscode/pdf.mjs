// What an author sees of a full text: the hover that leads to it, and the panel that shows it.
import fs from 'node:fs';
import path from 'node:path';

import { until } from './editor.mjs';

/** Show the hover of the first citation of a key in the open draft; return it. */
export async function hover(editor, file, citation) {
  const lines = fs.readFileSync(path.join(editor.workspace, file), 'utf8').split('\n');
  const line = lines.findIndex((one) => one.includes(citation));
  await editor.goTo(line + 1, lines[line].indexOf(citation) + citation.length);
  const shown = editor.page.locator('.monaco-hover:visible .markdown-hover', { hasText: 'full text' }).first();
  await until(async () => {
    await editor.page.keyboard.press('Escape'); // asked for again, a hover that is still empty would only get the focus
    await editor.page.keyboard.press('Control+k');
    await editor.page.keyboard.press('Control+i');
    return shown.waitFor({ timeout: 2000 }).then(() => true, () => false);
  }, 60_000, `a hover on ${citation}`);
  return shown;
}

/** The page inside of the panel that shows a PDF. */
export function panel(editor, name, ms = 20_000) {
  return until(async () => {
    for (const frame of editor.page.frames()) {
      if (await frame.title().catch(() => '') === name) return frame;
    }
    return undefined;
  }, ms, `a panel with ${name}`);
}

/**
 * Open a PDF that is not shown, and return the page inside of its panel.
 *
 * A click may get lost where a hover changes under it, and on a busy machine a page of VS Code's may stay empty
 * (`Could not register service worker`). As an author would, try again then; the error states what there was.
 */
export async function opened(editor, open, name) {
  const tab = editor.page.locator(`.tab[data-resource-name="${name}"], .tab[aria-label^="${name}"]`);
  for (let tries = 1; ; tries += 1) {
    try {
      await open();
      return await panel(editor, name);
    } catch (error) {
      const tabs = await editor.page.locator('.tab').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
      const frames = await Promise.all(editor.page.frames().map((frame) => frame.title().catch(() => '')));
      console.error(`${error.message}; tabs: ${tabs.join(', ')}; pages: ${frames.join(', ')}`);
      if (tries === 3) throw error;
      if (await tab.count()) await tab.locator('.codicon-close').click({ timeout: 5_000 });
    }
  }
}

/** Wait until the panel is at a page and its text is there; return the text. */
export async function atPage(frame, page) {
  await until(() => frame.inputValue('#page').then((at) => at === `${page}`), 20_000, `page ${page}`);
  const text = frame.locator(`.page[data-page-number="${page}"] .textLayer`);
  await until(() => text.textContent().then((words) => words.length > 100, () => false), 20_000, `text of page ${page}`);
  return (await text.innerText()).replace(/-\n/g, '').replace(/\s+/g, ' ');
}
