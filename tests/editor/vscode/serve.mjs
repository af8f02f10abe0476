// node serve.mjs: VS Code with the extension on a new copy of the examples, for any browser, until it is stopped.
import path from 'node:path';

import { end, PYTHON, remove, scratchWithExamples, serve } from './editor.mjs';

const { scratch, workspace, home } = scratchWithExamples();
const { server, address } = await serve({ home, settings: {
  'pincite.interpreter': PYTHON,
  'remote.autoForwardPorts': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
} });
const file = `vscode-remote://${new URL(address).host}${path.join(workspace, 'survey.tex')}`;
const payload = encodeURIComponent(JSON.stringify([['openFile', file]]));
console.log(`VS Code with Pincite, on a copy of the examples that is removed at the end (Ctrl-C):
${address}/?folder=${workspace}&payload=${payload}`);

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await end(server);
    await remove(scratch);
  });
}
