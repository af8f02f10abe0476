/** Folders and programs for tests that run real ones. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

/** A new folder, removed when the tests of the file are done. */
export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'pincite-test-'));
  after(() => { rmSync(folder, { recursive: true, force: true }); });
  return folder;
}

/** Write a program for the shell; return its path. */
export function program(file: string, script: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Write a Python that answers as one of this version with this Pincite in it would. */
export function python(file: string, version: string, server: string | null): string {
  const answer = JSON.stringify({ executable: file, version, server, makesEnvironments: true });
  return program(file, `echo '${answer}'`);
}
