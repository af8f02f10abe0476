// A real VS Code in a browser without a window, on this machine alone.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
  'editor.accessibilitySupport': 'off',
  'editor.minimap.enabled': false,
};

const ROOT = path.resolve(path.dirname(new URL(import.meta.url).pathname), '../../..');
const { PINCITE_VSCODE = path.join(ROOT, 'build/vscode'), PINCITE_SCREENSHOTS = path.join(ROOT, 'build/screenshots') } = process.env;
const { PINCITE_PYTHON = path.join(ROOT, '.venv/bin/python') } = process.env;

/** The package of the extension that is tested. */
export function packaged() {
  const { PINCITE_VSIX, PINCITE_DIST = path.join(ROOT, 'dist') } = process.env;
  return PINCITE_VSIX ?? path.join(PINCITE_DIST, fs.readdirSync(PINCITE_DIST).find((name) => name.endsWith('.vsix')));
}

/** The server of VS Code with a new profile, and the page that shows it. */
export class Editor {
  /** Open a draft in a copy of the examples; the server is this checkout's own. */
  static async onExamples({ file = 'survey.tex', settings = {}, ...rest } = {}) {
    const scratch = fs.mkdtempSync(path.join(tmpdir(), 'pincite-vscode-'));
    const workspace = path.join(scratch, 'examples');
    fs.cpSync(path.join(ROOT, 'examples'), workspace, { recursive: true });
    const editor = await Editor.start({ vscode: PINCITE_VSCODE, vsix: packaged(), workspace, file: path.join(workspace, file),
      home: path.join(scratch, 'home'), settings: { 'pincite.interpreter': PINCITE_PYTHON, ...settings }, ...rest });
    return Object.assign(editor, { scratch, workspace });
  }

  /** `vscode` is a folder made by setup.sh; `home` a new one for all that this profile keeps. */
  static async start({ vscode, home, vsix, workspace, file, settings = {}, environment = process.env }) {
    const editor = new Editor();
    const user = path.join(home, 'data', 'User');
    fs.mkdirSync(user, { recursive: true });
    fs.writeFileSync(path.join(user, 'settings.json'), JSON.stringify({ ...SETTINGS, ...settings }));
    const main = path.join(vscode, 'vscode/out/server-main.js');
    const profile = ['--accept-server-license-terms', '--server-data-dir', home,
      '--user-data-dir', path.join(home, 'data'), '--extensions-dir', path.join(home, 'ext')];
    const node = path.join(vscode, 'node');
    execFileSync(node, [main, ...profile, '--install-extension', vsix], { stdio: 'pipe' });
    const port = await freePort();
    const log = fs.openSync(path.join(home, 'server.log'), 'a');
    editor.home = home;
    editor.server = spawn(node, [main, '--host', '127.0.0.1', '--port', `${port}`,
      '--without-connection-token', '--telemetry-level', 'off', ...profile],
      { env: environment, stdio: ['ignore', log, log] });
    const address = `http://127.0.0.1:${port}`;
    await until(() => fetch(address).then((answer) => answer.ok, () => false), 30_000, 'VS Code answers');
    editor.browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'] });
    editor.page = await (await editor.browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
    // With the authority: without, edits by the server go into a second document for the same file.
    const payload = JSON.stringify([['openFile', `vscode-remote://127.0.0.1:${port}${file}`]]);
    await editor.page.goto(`${address}/?folder=${workspace}&payload=${encodeURIComponent(payload)}`, { waitUntil: 'domcontentloaded' });
    await editor.page.waitForSelector('.monaco-editor .view-lines .view-line', { timeout: 60_000 });
    return editor;
  }

  /** Set the cursor: the editor counts lines and columns from 1. */
  async goTo(line, column) {
    await this.page.locator('.monaco-editor .view-lines').first().click();
    await this.page.keyboard.press('Control+g');
    await this.page.waitForSelector('.quick-input-widget input');
    await this.page.keyboard.type(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.waitForSelector('.quick-input-widget', { state: 'hidden' });
  }

  type(text) {
    return this.page.keyboard.type(text, { delay: 40 });
  }

  /** What the list of suggestions shows, as a screen reader reads it. */
  suggestions() {
    return this.page.$$eval('.suggest-widget.visible .monaco-list-row', (rows) => rows.map((row) => row.getAttribute('aria-label')));
  }

  notifications() {
    return this.page.$$eval('.notifications-toasts .notification-list-item-message', (all) => all.map((one) => one.textContent));
  }

  press(button) {
    return this.page.locator('.notifications-toasts').getByRole('button', { name: button }).click();
  }

  /** The environments that the extension has finished. */
  environments() {
    const folder = path.join(this.home, 'data/User/globalStorage/pincite.pincite/environments');
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return names.filter((name) => fs.existsSync(path.join(folder, name, 'pincite.json')));
  }

  /** Run a command of the palette. */
  async run(command) {
    await this.page.keyboard.press('F1');
    await this.page.waitForSelector('.quick-input-widget input');
    await this.page.keyboard.type(command);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: command }).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Keep a picture of the window, to be looked at. */
  async screenshot(name) {
    fs.mkdirSync(PINCITE_SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: path.join(PINCITE_SCREENSHOTS, `${name}.png`) });
  }

  async stop() {
    await this.browser?.close();
    this.server?.kill();
    if (this.scratch) fs.rmSync(this.scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Wait until something is so, and return it. */
export async function until(holds, ms, what) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(100)) {
    const held = await holds();
    if (held) return held;
  }
  throw new Error(`not in ${ms / 1000} s: ${what}`);
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
