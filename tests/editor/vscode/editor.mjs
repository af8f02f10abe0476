// A real VS Code in a browser without a window, on this machine alone.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { chromium } from 'playwright-core';

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.colorTheme': 'Default Light Modern',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': 'off',
  'update.mode': 'none',
  'security.workspace.trust.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'files.autoSave': 'off',
  'git.enabled': false,
  'remote.autoForwardPorts': false,
  'editor.accessibilitySupport': 'off',
  'editor.minimap.enabled': false,
  // Settings are written as a whole.
  '[jsonc]': { 'editor.autoClosingBrackets': 'never', 'editor.autoClosingQuotes': 'never' },
};

/** Brackets stay as they are typed: otherwise the editor closes them, once it has read the language's configuration. */
export const TYPED_ALONE = { 'editor.autoClosingBrackets': 'never' };

const HERE = path.dirname(new URL(import.meta.url).pathname);
const ROOT = path.resolve(HERE, '../../..');
/** The folder of all tests, with what makes their material. */
export const TESTS = path.join(ROOT, 'tests');
const { PINCITE_VSCODE = path.join(ROOT, 'build/vscode'), PINCITE_SCREENSHOTS = path.join(ROOT, 'build/screenshots') } = process.env;
/** The Python with the server of this checkout. */
export const { PINCITE_PYTHON: PYTHON = path.join(ROOT, '.venv/bin/python'), CHROMIUM = '/usr/bin/chromium' } = process.env;

/** The package of the extension that is tested. */
export function packaged() {
  const { PINCITE_VSIX, PINCITE_DIST = path.join(ROOT, 'dist') } = process.env;
  return PINCITE_VSIX ?? path.join(PINCITE_DIST, fs.readdirSync(PINCITE_DIST).find((name) => /.\.vsix$/.test(name)));
}

/** A new folder with a copy of the examples in it, and a place for a profile. */
export function scratchWithExamples() {
  const scratch = fs.mkdtempSync(path.join(tmpdir(), 'pincite-vscode-'));
  const workspace = path.join(scratch, 'examples');
  fs.cpSync(path.join(ROOT, 'examples'), workspace, { recursive: true });
  return { scratch, workspace, home: path.join(scratch, 'home') };
}

/** Remove a folder, into which something that ends may still write. */
export function remove(folder) {
  return fs.promises.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Those of the settings that are ours. */
function machineSettings(settings) {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => name.startsWith('pincite.')));
}

function without(settings, others) {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !(name in others)));
}

/**
 * Install extensions into a profile and start VS Code for it; return its process and address.
 *
 * `vscode` is a folder made by setup.sh; `home` has all that the profile keeps, the index of read papers
 * included; `standins` are names of extensions of `standin/`, which are there to be beside ours.
 */
export async function serve({ vscode = PINCITE_VSCODE, home, vsix = packaged(), standins = [], settings = {}, environment = process.env }) {
  // Seen from the browser this machine is a remote one: what names a program or a folder counts in its own settings only.
  const ofMachine = machineSettings(settings);
  for (const [folder, written] of [['User', without(settings, ofMachine)], ['Machine', ofMachine]]) {
    fs.mkdirSync(path.join(home, 'data', folder), { recursive: true });
    fs.writeFileSync(path.join(home, 'data', folder, 'settings.json'), JSON.stringify(written));
  }
  for (const name of standins) {
    const folder = path.join(home, 'ext', name);
    fs.cpSync(path.join(HERE, 'standin'), folder, { recursive: true });
    fs.renameSync(path.join(folder, `${name}.json`), path.join(folder, 'package.json'));
  }
  const main = path.join(vscode, 'vscode/out/server-main.js');
  const profile = ['--accept-server-license-terms', '--server-data-dir', home,
    '--user-data-dir', path.join(home, 'data'), '--extensions-dir', path.join(home, 'ext')];
  const node = path.join(vscode, 'node');
  await promisify(execFile)(node, [main, ...profile, '--install-extension', vsix]);
  const port = await freePort();
  const log = fs.openSync(path.join(home, 'server.log'), 'a');
  const server = spawn(node, [main, '--host', '127.0.0.1', '--port', `${port}`,
    '--without-connection-token', '--telemetry-level', 'off', ...profile],
    { env: { ...environment, PINCITE_CACHE: path.join(home, 'cache') }, stdio: ['ignore', log, log] });
  const address = `http://127.0.0.1:${port}`;
  const answers = () => fetch(address).then((answer) => answer.ok, () => false);
  await until(answers, 60_000, 'VS Code answers').catch(async (error) => {
    await end(server);
    throw error;
  });
  return { server, address };
}

/** The letters and digits of a title, which its markup does not change. */
const letters = (title) => title.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** VS Code with a new profile, and the page that shows it. */
export class Editor {
  /** Open a draft in a copy of the examples, which `prepare` may change, with a profile; the server is this checkout's own. */
  static async onExamples({ file = 'survey.tex', settings = {}, prepare = () => {}, ...rest } = {}) {
    const { scratch, workspace, home } = scratchWithExamples();
    const user = path.join(home, 'data', 'User');
    fs.mkdirSync(user, { recursive: true });
    prepare({ user, workspace });
    return Editor.start({ workspace, file: path.join(workspace, file), home, scratch,
      settings: { 'pincite.interpreter': PYTHON, ...settings }, ...rest });
  }

  /** Open a folder, or a `.code-workspace`, and a file of it; the rest is for `serve`. `scratch` is removed at the end. */
  static async start({ workspace, file, scratch, settings = {}, ...rest }) {
    const editor = Object.assign(new Editor(), { home: rest.home, workspace, scratch, ofMachine: machineSettings(settings) });
    try {
      const launched = chromium.launch({ executablePath: CHROMIUM,
        args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'] });
      const [served, browser] = await Promise.allSettled([serve({ settings: { ...SETTINGS, ...settings }, ...rest }), launched]);
      // What did start is stopped, whatever did not.
      Object.assign(editor, served.value, { browser: browser.value });
      for (const { reason } of [served, browser]) if (reason) throw reason;
      editor.page = await (await editor.browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
      editor.page.setDefaultTimeout(30_000);
      await editor.open(workspace, file);
    } catch (error) {
      await editor.stop();
      throw error;
    }
    return editor;
  }

  /** Open a folder or a `.code-workspace`, and a file of it. */
  async open(workspace, file) {
    const opened = workspace.endsWith('.code-workspace') ? `workspace=${workspace}` : `folder=${workspace}`;
    const payload = JSON.stringify([['openFile', `vscode-remote://${new URL(this.address).host}${file}`]]);
    await this.page.goto(`${this.address}/?${opened}&payload=${encodeURIComponent(payload)}`, { waitUntil: 'domcontentloaded' });
    await this.page.waitForSelector('.monaco-editor .view-lines .view-line', { timeout: 60_000 });
  }

  /** Set the cursor: the editor counts lines and columns from 1. */
  async goTo(line, column) {
    const input = this.page.locator('.quick-input-widget input');
    const changed = () => this.page.locator('.tab.active.dirty').count();
    const place = this.page.locator('[id="status.editor.selection"]:visible');
    await until(async () => {
      await this.hit('Escape');
      await this.page.locator('.editor-group-container .view-lines').first().click();
      const before = await changed();
      await this.page.keyboard.press('Control+g');
      // What was shown before may take the focus late, which closes the input: its keys are not for the draft.
      const asked = input.fill(`:${line}:${column}`, { timeout: 5_000 });
      if (!await asked.then(() => input.press('Enter', { timeout: 5_000 })).then(() => true, () => false)) return false;
      await this.page.waitForSelector('.quick-input-widget', { state: 'hidden' });
      const isThere = async () => !await place.count() || (await place.innerText()).includes(`Ln ${line},`);
      if (await until(isThere, 2_000, 'the place').catch(() => false)) return true;
      // It closed between the two, and the draft got the Enter.
      if (!before && await changed()) await this.hit('Control+z');
      return false;
    }, 30_000, 'the place is asked for');
  }

  /** Set the cursor after a text, as it is on the disk. */
  async goBehind(text, file = 'survey.tex') {
    const { line, column } = this.behind(text, file, await this.whole(file));
    await this.goTo(line, column);
  }

  /** Where a text of a file ends, counted from 1. */
  behind(text, file = 'survey.tex', whole = fs.readFileSync(this.path(file), 'utf8')) {
    const start = whole.indexOf(text);
    if (start < 0) throw new Error(`not in ${file}: ${text}`);
    const lines = whole.slice(0, start + text.length).split('\n');
    return { line: lines.length, column: lines.at(-1).length + 1 };
  }

  /** The text of a file: while the editor writes it, it is empty for a moment. */
  whole(file) {
    return until(() => fs.readFileSync(this.path(file), 'utf8'), 5_000, `${file} is written`);
  }

  /** The path of a file of the workspace. */
  path(file) {
    return path.join(this.workspace, file);
  }

  type(text) {
    return this.page.keyboard.type(text, { delay: 40 });
  }

  /** What the list of suggestions shows, as a screen reader reads it. */
  suggestions() {
    return this.page.$$eval('.suggest-widget.visible .monaco-list-row', (rows) => rows.map((row) => row.getAttribute('aria-label')));
  }

  /** The language status item of the extension, as a screen reader reads it. */
  async status() {
    const label = await this.page.locator('[id="status.languageStatus"]').getAttribute('aria-label');
    return /Pincite: (.*?)(, next: |$)/.exec(label)?.[1];
  }

  /** The rows of the list of suggestions: ours have author and year, and a title; others begin with a key. */
  async list() {
    const rows = await this.page.$$eval('.suggest-widget.visible .monaco-list-row', (all) => all.map((row) => ({
      texts: ['.label-name', '.signature-label', '.details-label'].map((part) => row.querySelector(part)?.textContent.trim() ?? ''),
      focused: row.classList.contains('focused'),
    })));
    const keys = this.keysByTitle();
    return rows.map(({ texts: [begins, beside, mark], focused }) => {
      const title = beside.replace(/^· /u, '');
      const whole = title.endsWith('…') ? [...keys.keys()].find((one) => one.startsWith(letters(title))) : letters(title);
      return title ? { key: keys.get(whole) ?? title, authorYear: begins, title, mark, focused } : { key: begins, authorYear: '', title, mark, focused };
    });
  }

  /** The keys of the workspace's and its neighbours' .bib files by the letters of their titles: a row shows no key. */
  keysByTitle() {
    const near = fs.readdirSync(path.dirname(this.workspace)).map((name) => path.join('..', name));
    const files = [...fs.readdirSync(this.workspace, { recursive: true }), ...near].filter((name) => name.endsWith('.bib'));
    const entries = files.flatMap((name) => fs.readFileSync(path.join(this.workspace, name), 'utf8').split(/^(?=@)/mu));
    const parts = entries.map((entry) => /^@\w+\s*\{\s*([^,\s]+)[\s\S]*?\btitle\s*=\s*(\{(?:[^{}]|\{[^{}]*\})*\}|"[^"]*")/iu.exec(entry));
    return new Map(parts.filter(Boolean).map(([, key, title]) => [letters(title), key]));
  }

  async keys() {
    return (await this.list()).map(({ key }) => key);
  }

  /** Ask again for suggestions at the cursor, and return the rows; what is asked while the editor starts may get lost. */
  async suggest() {
    // While it shows "Loading...", the list is still to come.
    const shown = '.suggest-widget.visible .monaco-list-row.focused, '
      + '.suggest-widget.message:not([style*="display: none"]) .message:not(:text("Loading"))';
    await until(async () => {
      await this.hit('Escape');
      await this.page.waitForSelector('.suggest-widget.visible', { state: 'hidden' });
      await this.hit('Control+Space');
      return this.page.waitForSelector(shown, { timeout: 5_000 }).catch(() => undefined);
    }, 30_000, 'a list of suggestions');
    return this.list();
  }

  /** Ask for the hover at the cursor; return its parts once one of them contains this. */
  async hover(text) {
    return until(async () => {
      await this.hit('Escape', 'Control+k', 'Control+i');
      return this.hovered(text);
    }, 30_000, `a hover with ${text}`);
  }

  /** The parts of the hover that is shown, one for each provider, once one contains this. */
  async hovered(text) {
    const parts = () => this.page.$$eval('.monaco-resizable-hover .hover-row .hover-contents:not(.html-hover-contents)',
      (all) => all.map((one) => one.innerText));
    const has = await until(async () => (await parts()).some((part) => text.test(part)), 3_000, 'a hover').catch(() => false);
    return has && parts();
  }

  /** What can be done at the cursor, once that includes this. */
  async actions(includes) {
    const titles = () => this.page.$$eval('.action-widget .monaco-list-row.action', (rows) => rows.map((row) => row.textContent.trim()));
    return until(async () => {
      await this.hit('Escape', 'Control+.');
      const shown = async () => (await titles()).some((title) => includes.test(title));
      return await until(shown, 2_000, 'actions').catch(() => false) && titles();
    }, 30_000, `an action ${includes}`);
  }

  /** Choose one of the actions that are shown. */
  async act(title) {
    const chosen = () => this.page.locator('.action-widget .monaco-list-row.action.focused').textContent();
    for (let presses = 0; !title.test(await chosen()); presses += 1) {
      if (presses > 20) throw new Error(`no action ${title}`);
      await this.hit('ArrowDown');
    }
    await this.hit('Enter');
  }

  /** Save the active file, and return what is on the disk then; an edit that follows the save is saved, too. */
  async saved(file = 'survey.tex') {
    await until(async () => {
      await this.page.keyboard.press('Control+s');
      return this.page.waitForSelector('.tab.active:not(.dirty)', { timeout: 5_000 }).catch(() => undefined);
    }, 30_000, `${file} is saved`);
    return this.whole(file);
  }

  /** Throw away what is not saved of the active file. */
  async revert() {
    await this.hit('Escape', 'Escape');
    await this.run('File: Revert File');
    await this.page.waitForSelector('.tab.active:not(.dirty)');
  }

  /**
   * Set the settings of this machine, as an author does; of the earlier ones, only ours of the start stay.
   *
   * Written to the disk outside the editor, settings come late or with the next window.
   */
  async configure(settings) {
    await this.run('Preferences: Open Remote Settings (JSON)');
    const tab = '.tab.active[data-resource-name="settings.json"]';
    await this.page.locator(tab).waitFor();
    const written = this.page.locator('.editor-instance[data-mode-id="jsonc"] .view-lines').last();
    const focused = this.page.locator('.editor-instance[data-mode-id="jsonc"] .monaco-editor.focused, .monaco-editor.focused[data-uri$="settings.json"]');
    await until(async () => {
      await written.click({ timeout: 5_000 }).catch(() => undefined); // a panel that loads meanwhile may take the focus
      if (await focused.waitFor({ timeout: 2_000 }).then(() => true, () => false)) return true;
      // A page that has been in this group may keep it.
      await this.run('View: Focus Active Editor Group');
      return focused.waitFor({ timeout: 2_000 }).then(() => true, () => false);
    }, 60_000, 'the cursor in the settings');
    await this.hit('Control+a', 'Delete');
    await this.page.keyboard.insertText(JSON.stringify({ ...this.ofMachine, ...settings }));
    await this.hit('Control+s');
    await this.page.locator(`${tab}:not(.dirty)`).waitFor();
    await this.page.locator(`${tab} .codicon-close`).click();
  }

  activeTab() {
    return this.page.locator('.tab.active .label-name').textContent();
  }

  /** The list of problems, as a screen reader reads it. */
  async problems() {
    const toggle = 'Control+Shift+m';
    await this.hit(toggle);
    const rows = this.page.locator('.markers-panel .monaco-list-row');
    await rows.first().waitFor();
    const problems = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label')));
    // Without the focus, which may come after the rows, the same keys would only give it the focus.
    await this.page.locator('.part.panel:focus-within .markers-panel').waitFor();
    await this.hit(toggle);
    await this.page.waitForSelector('.markers-panel', { state: 'hidden' });
    return problems;
  }

  /** The line of the cursor, from 1. */
  async line() {
    return Number(/Ln (\d+)/.exec(await this.page.locator('#status\\.editor\\.selection').textContent())?.[1]);
  }

  /** When lines with these words were written, in milliseconds, by the name of the log. */
  logged(log, words) {
    const logs = path.join(this.home, 'data/logs');
    const session = fs.readdirSync(logs).sort().at(-1);
    const name = fs.readdirSync(path.join(logs, session), { recursive: true }).find((one) => path.basename(one) === log);
    const lines = name ? fs.readFileSync(path.join(logs, session, name), 'utf8').split('\n') : [];
    return lines.filter((line) => line.includes(words)).map((line) => Date.parse(`${line.slice(0, 23).replace(' ', 'T')}Z`));
  }

  /** The processes of our language server in this VS Code. */
  servers() {
    return below(this.server.pid).filter(({ command }) => /pincite serve/.test(command)).map(({ pid }) => pid);
  }

  /** How the command line ranks the entries for the place after a text. */
  async ranking(text, file = 'survey.tex') {
    const { line, column } = this.behind(text, file);
    const { stdout } = await promisify(execFile)(PYTHON,
      ['-m', 'pincite', 'recommend', 'survey.tex', '--format', 'json', '--at', `${file}:${line}:${column}`],
      { cwd: this.workspace, env: { ...process.env, PINCITE_CACHE: path.join(this.home, 'cache') } });
    return JSON.parse(stdout).placeholders[0].entries.map(({ key }) => key);
  }

  notifications() {
    return this.page.$$eval('.notifications-toasts .notification-list-item-message', (all) => all.map((one) => one.textContent));
  }

  /** All messages that the author has not put away. */
  async messages() {
    await this.run('Notifications: Show Notifications');
    await this.page.waitForSelector('.notifications-center.visible');
    const shown = await this.page.$$eval('.notifications-center .notification-list-item-message', (all) => all.map((one) => one.textContent));
    await this.hit('Escape');
    return shown;
  }

  /** Press a button of a notification. */
  press(button) {
    return this.page.locator('.notifications-toasts').getByRole('button', { name: button }).click();
  }

  async hit(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** The environments that the extension has finished. */
  environments() {
    const folder = path.join(this.home, 'data/User/globalStorage/pincite.pincite/environments');
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return names.filter((name) => fs.existsSync(path.join(folder, name, 'pincite.json')));
  }

  /** Run a command of the palette. */
  async run(command) {
    const input = this.page.locator('.quick-input-widget input');
    const row = this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${command}"]`).first();
    await until(async () => {
      await this.page.keyboard.press('F1');
      // As a whole: letters typed one by one go to whatever has the focus while the palette opens.
      const written = await input.fill(`>${command}`, { timeout: 5_000 }).then(() => true, () => false);
      // What was shown before may take the focus late, which closes the palette; until a row is clicked, nothing is done.
      if (written && await row.click({ timeout: 5_000 }).then(() => true, () => false)) return true;
      // Opened before the extension was there, the palette does not learn of its commands.
      await this.hit('Escape');
      return false;
    }, 30_000, `the command ${command}`);
  }

  /** Whether the palette has a command of this name. */
  async offersCommand(command) {
    const rows = this.page.locator('.quick-input-list .monaco-list-row');
    await until(async () => {
      await this.hit('Escape', 'F1');
      // Another command, so that the rows are those of this filter.
      const written = await this.page.locator('.quick-input-widget input').fill('>Pincite: Show', { timeout: 5_000 }).then(() => true, () => false);
      return written && rows.filter({ hasText: 'Pincite: Show' }).first().waitFor({ timeout: 5_000 }).then(() => true, () => false);
    }, 30_000, 'the palette');
    await this.page.locator('.quick-input-widget input').fill(`>${command}`);
    await rows.filter({ hasText: 'Pincite: Show' }).first().waitFor({ state: 'hidden' });
    const offered = await rows.evaluateAll((all, name) => all.some((row) => row.getAttribute('aria-label').startsWith(name)), command);
    await this.hit('Escape');
    return offered;
  }

  /** Keep a picture of the window, to be looked at. */
  async screenshot(name) {
    fs.mkdirSync(PINCITE_SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: path.join(PINCITE_SCREENSHOTS, `${name}.png`) });
  }

  async stop() {
    await this.browser?.close();
    if (this.server) await end(this.server);
    if (this.scratch) await remove(this.scratch);
  }
}

/** The processes that a process has started, and those that these have. */
function below(pid) {
  const processes = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((name) => {
    try {
      const parent = Number(fs.readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]);
      return { pid: Number(name), parent, command: fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ') };
    } catch {
      return undefined; // It has ended meanwhile.
    }
  }).filter(Boolean);
  const children = (parent) => processes.filter((one) => one.parent === parent).flatMap((one) => [one, ...children(one.pid)]);
  return children(pid);
}

/** End VS Code and what it has started: what still runs still writes into the profile. */
export async function end(server) {
  const started = [server.pid, ...below(server.pid).map(({ pid }) => pid)];
  const runs = (pid) => {
    try { return process.kill(pid, 0); } catch { return false; }
  };
  server.kill();
  await until(() => !started.some(runs), 10_000, 'all have ended').catch(() => {
    for (const pid of started.filter(runs)) {
      try { process.kill(pid, 'SIGKILL'); } catch { /* It has ended just now. */ }
    }
  });
}

/** Wait until something is so, and return it. */
export async function until(holds, ms, what) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(100)) {
    const held = await holds();
    if (held) return held;
  }
  throw new Error(`not in ${ms / 1000} s: ${what}`);
}

/** Wait until something is as expected; the error states how it differs if it does not become so. */
export async function eventually(read, expected, ms = 30_000) {
  let seen;
  const same = async () => isDeepStrictEqual(seen = await read(), expected);
  await until(same, ms, 'as expected').catch(() => assert.deepEqual(seen, expected));
}

/** Keep what the editor looked like when a test failed. */
export async function pictureOfFailure(editor, { name, passed }) {
  if (passed === false) await editor?.screenshot(`failed: ${name}`.replaceAll(/[^\w]+/g, '-'));
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
