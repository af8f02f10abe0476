import assert from 'node:assert/strict';
import test from 'node:test';

import { agentTools, needsOf } from '../src/agentTools';
import { ownServer } from '../src/installation/locate';

const NONE = { folders: [], zotero: 'off' };

test('agents are served by the same Python, for the folders of the workspace and the papers of the settings', () => {
  const own = ownServer('/env');
  const papers = { folders: ['/papers', '/more'], zotero: 'auto' };
  assert.deepEqual(agentTools(own, ['/a', '/b'], papers), {
    command: own.command,
    args: ['-I', '-m', 'pincite', 'mcp', '--library', '/papers', '--library', '/more', '--zotero', 'auto', '/a', '/b'],
  });
  assert.deepEqual(agentTools({ command: 'pincite', args: ['serve'] }, ['/a'], NONE), { command: 'pincite', args: ['mcp', '--zotero', 'off', '/a'] });
});

test('nothing is offered without a folder, or for a command that is not known', () => {
  assert.equal(agentTools(ownServer('/env'), [], NONE), undefined);
  assert.equal(agentTools({ command: 'ssh', args: ['host', 'pincite-server'] }, ['/a'], NONE), undefined);
});

test('what is missing is only looked for in our own environments', () => {
  const own = ownServer('/env');
  assert.deepEqual(needsOf(own), { command: own.command, args: ['-I', '-c', 'import mcp'] });
  assert.equal(needsOf({ command: 'pincite', args: ['serve'] }), undefined);
});
