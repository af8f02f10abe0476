// A project that is not trusted brings a Python of its own, and another extension chooses it.
import fs from 'node:fs';
import path from 'node:path';
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, scratchWithExamples, until } from './editor.mjs';

const withoutServer = (folder) => !fs.existsSync(path.join(folder, 'pincite'));

let editor;
let ran;
before(async () => {
  const { scratch, workspace, home } = scratchWithExamples();
  ran = path.join(scratch, 'ran');
  const python = path.join(workspace, '.venv/bin/python');
  fs.mkdirSync(path.dirname(python), { recursive: true });
  fs.writeFileSync(python, `#!/bin/sh\ntouch ${ran}\nexit 1\n`, { mode: 0o755 });
  editor = await Editor.start({
    home, scratch, workspace, file: path.join(workspace, 'survey.tex'), standins: ['python-environments'],
    settings: { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never' },
    environment: { ...process.env, PATH: process.env.PATH.split(path.delimiter).filter(withoutServer).join(path.delimiter) },
  });
}, { timeout: 180_000 });
afterEach((t) => pictureOfFailure(editor, t));
after(() => editor?.stop());

test('the Python of a project that is not trusted is not run', async () => {
  await editor.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
  // Every Python that may be run has been looked at when the server is offered.
  await until(async () => (await editor.notifications()).some((text) => /It is installed once/.test(text)), 60_000, 'the offer');
  assert.ok(!fs.existsSync(ran));
});

test('once the project is trusted, the chosen Python is looked at', async () => {
  await editor.run('Workspaces: Manage Workspace Trust');
  await editor.page.locator('.workspace-trust-buttons-row').getByRole('button', { name: 'Trust', exact: true }).first().click();
  await until(() => fs.existsSync(ran), 30_000, 'the chosen Python has run');
});
