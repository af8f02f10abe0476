import assert from 'node:assert/strict';
import test from 'node:test';

import { agentTools, needsOf } from '../src/agentTools';
import { ownServer } from '../src/installation/locate';

test('agents are served by the same Python, for the folders of the workspace', () => {
  const own = ownServer('/env');
  assert.deepEqual(agentTools(own, ['/a', '/b']), { command: own.command, args: ['-I', '-m', 'pincite', 'mcp', '/a', '/b'] });
  assert.deepEqual(agentTools({ command: 'pincite', args: ['serve'] }, ['/a']), { command: 'pincite', args: ['mcp', '/a'] });
});

test('nothing is offered without a folder, or for a command that is not known', () => {
  assert.equal(agentTools(ownServer('/env'), []), undefined);
  assert.equal(agentTools({ command: 'ssh', args: ['host', 'pincite-server'] }, ['/a']), undefined);
});

test('what is missing is only looked for in our own environments', () => {
  const own = ownServer('/env');
  assert.deepEqual(needsOf(own), { command: own.command, args: ['-I', '-c', 'import mcp'] });
  assert.equal(needsOf({ command: 'pincite', args: ['serve'] }), undefined);
});
