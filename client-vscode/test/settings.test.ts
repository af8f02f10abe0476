import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import path from 'node:path';
import test from 'node:test';

import manifest from '../package.json';
import { peersAmong } from '../src/peers';
import { expanded, serverSettings } from '../src/settings';

test('the server is sent all settings but those of the extension', () => {
  const section = {
    serverCommand: ['pincite', 'serve'],
    interpreter: '',
    trace: { server: 'off' },
    library: { folders: ['~/papers'] },
    inlayHints: 'on',
  };
  assert.deepEqual(serverSettings(section, undefined, []), {
    library: { folders: ['~/papers'] },
    inlayHints: 'on',
    peers: [],
  });
});

test('installed peers are sent unless the author names some, or none', () => {
  const found = peersAmong(['vscode.latex', 'James-Yu.latex-workshop', 'efoerster.texlab']);
  assert.deepEqual(found, ['latex-workshop', 'texlab']);
  assert.deepEqual(peersAmong(['quarto.quarto', 'notZaki.pandocciter', 'myriad-dreamin.tinymist']), ['pandoc-citer', 'quarto', 'tinymist']);
  assert.deepEqual(serverSettings({}, undefined, found).peers, found);
  assert.deepEqual(serverSettings({}, ['digestif'], found).peers, ['digestif']);
  assert.deepEqual(serverSettings({}, [], found).peers, []);
});

test('without trust, Zotero is not read and nothing fetched', () => {
  assert.deepEqual(serverSettings({ zotero: 'auto' }, undefined, []), { zotero: 'auto', peers: [] });
  assert.deepEqual(serverSettings({ zotero: 'auto' }, undefined, [], false), { zotero: 'off', enrich: 'off', peers: [] });
});

test('paths may begin at home or in the workspace', () => {
  assert.equal(expanded('~/bin/python', undefined), path.posix.join(homedir(), 'bin/python'));
  assert.equal(expanded('${workspaceFolder}/.venv/bin/python', '/drafts'), '/drafts/.venv/bin/python');
  assert.equal(expanded('${workspaceFolder}/x', undefined), '${workspaceFolder}/x');
  assert.equal(expanded('/data/a~b', '/drafts'), '/data/a~b');
});

test('what a workspace that is not trusted could make us run or read is restricted', () => {
  const properties = Object.assign({}, ...manifest.contributes.configuration.map((c) => c.properties)) as Record<
    string,
    { scope: string }
  >;
  const ofMachine = Object.keys(properties).filter((name) => properties[name]?.scope === 'machine-overridable');
  assert.ok(ofMachine.includes('pincite.serverCommand'));
  assert.deepEqual(
    [...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort(),
    ofMachine.sort(),
  );
});

test('the server can be installed while none runs', () => {
  const { when } = manifest.contributes.menus.commandPalette.find(({ command }) => command === 'pincite.install') ?? {};
  assert.equal(when, '!pincite.serverRuns');
});
