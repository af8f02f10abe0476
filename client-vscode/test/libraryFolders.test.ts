import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import path from 'node:path';
import test from 'node:test';

import { type LibraryFolders, withFolders } from '../src/commands/libraryFolders';

const thesis = path.resolve('/home/ann/thesis');
const inside = path.join(thesis, 'reading', 'pdfs');
const outside = path.resolve('/data/papers');
const none: LibraryFolders = { folders: [], byUser: false, byWorkspace: false, workspaceFolder: thesis };

test('a folder of the workspace goes into its settings, relative to it', () => {
  assert.deepEqual(withFolders(none, [inside]), {
    level: 'workspace',
    folders: ['reading/pdfs'],
    added: ['reading/pdfs'],
  });
  assert.deepEqual(withFolders(none, [thesis]).added, ['.']);
});

test('any other goes into the settings of the author', () => {
  assert.deepEqual(withFolders(none, [outside]), { level: 'user', folders: [outside], added: [outside] });
  assert.equal(withFolders(none, [inside, outside]).level, 'user');
  assert.equal(withFolders(none, [`${thesis}-old`]).level, 'user');
  assert.deepEqual(withFolders({ ...none, workspaceFolder: undefined }, [inside]).added, [inside]);
});

test('what is added counts, and hides nothing that counts', () => {
  const byUser = { ...none, folders: ['~/papers'], byUser: true };
  assert.deepEqual(withFolders(byUser, [inside]), { level: 'user', folders: ['~/papers', inside], added: [inside] });
  const byWorkspace = { ...none, folders: ['pdfs'], byUser: true, byWorkspace: true };
  assert.deepEqual(withFolders(byWorkspace, [outside]).level, 'workspace');
  assert.deepEqual(withFolders(byWorkspace, [inside, outside]).folders, ['pdfs', 'reading/pdfs', outside]);
});

test('a folder is named once, however it is written', () => {
  const folders = ['reading/pdfs/', '~/papers', '${workspaceFolder}/more', outside];
  const known = { ...none, folders, byWorkspace: true };
  const again = [inside, path.join(homedir(), 'papers'), path.join(thesis, 'more'), outside];
  assert.deepEqual(withFolders(known, again), { level: 'workspace', folders, added: [] });
  assert.deepEqual(withFolders(none, [inside, inside]).added, ['reading/pdfs']);
});
