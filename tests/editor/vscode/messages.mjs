// node messages.mjs VSCODE VSIX OUT: what the author is told of a wrong command and of a wrong Python.
import fs from 'node:fs';
import path from 'node:path';

import { Editor, until } from './editor.mjs';

const [vscode, vsix, out] = process.argv.slice(2).map((name) => path.resolve(name));
const examples = path.resolve(path.dirname(new URL(import.meta.url).pathname), '../../../examples');
fs.mkdirSync(out, { recursive: true });

async function told(name, { settings = {}, environment = process.env, says }) {
  const scratch = fs.mkdtempSync('/tmp/pincite-vscode-');
  const workspace = path.join(scratch, 'examples');
  fs.cpSync(examples, workspace, { recursive: true });
  const editor = await Editor.start({ vscode, vsix, workspace, file: path.join(workspace, 'survey.tex'),
    home: path.join(scratch, 'home'), settings, environment });
  try {
    await until(async () => (await editor.notifications()).some((text) => says.test(text)), 30_000, name);
    await editor.page.waitForTimeout(3000);
    console.log(`${name}: ${JSON.stringify(await editor.notifications())}`);
  } catch (error) {
    console.log(`FAILED ${error.message}: ${JSON.stringify(await editor.notifications())}`);
    process.exitCode = 1;
  } finally {
    await editor.page.screenshot({ path: path.join(out, `${name}.png`) });
    await editor.stop();
    fs.rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

await told('wrong-command', { settings: { 'pincite.serverCommand': ['/no/such/program'] }, says: /did not start/ });
await told('failing-command', { settings: { 'pincite.serverCommand': ['/bin/false'] }, says: /did not start/ });
await told('wrong-interpreter', { settings: { 'pincite.interpreter': '/bin/false' }, says: /no Python that runs/ });
