// What the author is told when there is no server: once, and what to do.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import { Editor, pictureOfFailure, until } from './editor.mjs';

let editor, page;
before(async () => {
  // VSCODE_CLI: the editor would else take the search path from a login shell.
  const { HOME } = process.env;
  editor = await Editor.onExamples({ settings: { 'pincite.interpreter': '' }, environment: { HOME, PATH: '/nowhere', VSCODE_CLI: '1' } });
  page = editor.page;
}, { timeout: 120_000 });
after(() => editor?.stop());
afterEach((t) => pictureOfFailure(editor, t));

const comesTo = (status) => until(async () => (await editor.status())?.startsWith(status), 20_000, `the status is ${status}`);

/** Wait until the author is told something, and that the extension has come to rest; return all that is told. */
async function told() {
  await until(async () => (await editor.notifications()).length > 0, 30_000, 'a message');
  // What else there was to tell comes before what is shown now.
  await editor.run('Pincite: Show logs');
  await page.locator('.part.panel .pane-body, .part.panel .content').first().waitFor();
  return editor.notifications();
}

/** Change settings, with all put away that was told; return what the author is told then. */
async function toldWith(settings, status) {
  await editor.run('Notifications: Clear All Notifications');
  await editor.configure(settings);
  await comesTo(status);
  return told();
}

test('without a Python, that one is needed', async () => {
  await comesTo('No server');
  assert.deepEqual(await told(), [
    'Pincite needs Python 3.10 or newer; none was found. Install one, or name it in the settings. Then run “Pincite: Restart server”.',
  ]);
  await editor.screenshot('no-python');
});

test('a command that does not exist', async () => {
  const settings = { 'pincite.serverCommand': ['/no/such/program'] };
  assert.deepEqual(await toldWith(settings, 'Server stopped'), ['Pincite: the server did not start.']);
  await editor.screenshot('wrong-command');
});

test('who asks for suggestions then is told what to do', async () => {
  await page.locator('.monaco-editor .view-lines').first().click();
  await editor.run('Pincite: Suggest citations here');
  await until(async () => (await editor.notifications()).includes('The Pincite server has stopped.'), 10_000, 'a message');
});

test('a command that fails', async () => {
  const settings = { 'pincite.serverCommand': ['/bin/false'] };
  assert.deepEqual(await toldWith(settings, 'Server stopped'), ['Pincite: the server did not start.']);
});

test('an interpreter that is none', async () => {
  const settings = { 'pincite.interpreter': '/bin/false' };
  assert.deepEqual(await toldWith(settings, 'No server'), ['Pincite: /bin/false is not a working Python.']);
});
