import assert from 'node:assert/strict';
import test from 'node:test';

import manifest from '../package.json';
import { disclosed, type Facts, reportText, type Setting } from '../src/commands/reportText';

const schemas = Object.assign(
  {},
  ...manifest.contributes.configuration.map(({ properties }) => properties),
) as Record<string, Setting['schema']>;
const facts: Facts = {
  extension: '0.1.0',
  server: { state: 'running', version: '0.1.1', from: 'the search path', python: '3.11.2' },
  editor: 'VS Code 1.100.3 on the desktop',
  system: 'Linux 6.1.0 x64',
  remote: 'ssh-remote',
  trusted: true,
  folders: 1,
  peers: ['james-yu.latex-workshop 10.17.1'],
  status: { state: 'ready', entries: 25, fullTexts: 13, abstracts: 7, titles: 5, broken: 0 },
  settings: [],
};

test('a report has the versions, the server and the index', () => {
  const text = reportText(facts);
  for (const line of [
    '| Pincite | 0.1.0 |',
    '| Server | 0.1.1, running, from the search path, Python 3.11.2 |',
    '| System | Linux 6.1.0 x64, remote: ssh-remote |',
    '| Workspace | 1 folder, trusted |',
    '| Beside | james-yu.latex-workshop 10.17.1 |',
    '| Index | 25 entries: 13 full texts, 7 abstracts, 5 titles; ready |',
    'none.',
  ]) assert.ok(text.split('\n').includes(line), line);
});

test('a report without a server states it', () => {
  const server = { state: 'missing' };
  const text = reportText({ ...facts, server, remote: undefined, peers: [], status: 'no server to ask' });
  for (const line of ['| Server | missing |', '| System | Linux 6.1.0 x64 |', '| Beside | none |', '| Index | no server to ask |']) {
    assert.ok(text.split('\n').includes(line), line);
  }
});

test('a remote is named by its kind, not by its address', () => {
  assert.match(reportText({ ...facts, remote: 'ann.example.org:8080' }), /x64, remote: of another kind \|/);
});

test('settings are listed where they differ, by value only where that is one of a choice', () => {
  const value: Record<string, unknown> = {
    'pincite.inlayHints': 'on',
    'pincite.diagnostics.weakSupport': true,
    'pincite.peers': ['texlab'],
    'pincite.library.folders': ['/home/ann/papers', '~/more'],
  };
  const settings = Object.entries(schemas).map(([name, schema]) => ({ name, schema, value: value[name] ?? schema.default }));
  const lines = reportText({ ...facts, settings }).split('\n').filter((line) => line.startsWith('- '));
  assert.deepEqual(lines.sort(), [
    '- `pincite.diagnostics.weakSupport`: true',
    '- `pincite.inlayHints`: on',
    '- `pincite.library.folders`: 2 given',
    '- `pincite.peers`: texlab',
  ]);
});

test('nothing that an author has written can be in a report, whatever the setting', () => {
  for (const secret of ['ann-s-secret', ['ann-s-secret'], { path: 'ann-s-secret' }]) {
    const settings = Object.entries(schemas).map(([name, schema]) => ({ name, schema, value: secret }));
    const text = reportText({ ...facts, settings });
    assert.equal(text.split('\n').filter((line) => line.startsWith('- ')).length, settings.length);
    assert.doesNotMatch(text, /secret/);
  }
  assert.equal(disclosed('elsewhere', { enum: ['on', 'off'] }), 'an invalid value');
});
