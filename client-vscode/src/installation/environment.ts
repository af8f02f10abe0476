/** Python interpreters, and the environments that the extension creates for its server. */

import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { type Command, run } from './processes';

const PROBE_TIMEOUT_MS = 10_000;
const MIN_AGE_MS = 60 * 60 * 1000;

/** Queries a Python of any version, without slow imports. */
const QUESTIONS = `
import json, sys
def server():
    try:
        from importlib.metadata import version
        return version("pincite")
    except Exception:
        return None
def environments():
    try:
        import ensurepip, venv
        return True
    except Exception:
        return False
print(json.dumps({
    "executable": sys.executable,
    "version": "%d.%d.%d" % sys.version_info[:3],
    "server": server(),
    "makesEnvironments": environments(),
}))
`;

/** A working Python. */
export interface Interpreter {
  readonly executable: string;
  readonly version: string;
  /** The version of Pincite that is installed in it. */
  readonly server: string | null;
  /** Whether it can create virtual environments with pip; on Debian this is a separate package. */
  readonly makesEnvironments: boolean;
}

/** Query a Python; undefined if it is not one. */
export async function probe(python: Command, cwd: string): Promise<Interpreter | undefined> {
  const asking = { ...python, args: [...python.args, '-c', QUESTIONS] };
  try {
    const answer = await run(asking, { cwd, timeoutMs: PROBE_TIMEOUT_MS });
    // An author's start-up files may print, too: the answer is the last line.
    return JSON.parse(answer.trim().split(/\r?\n/).at(-1) ?? '') as Interpreter;
  } catch {
    return undefined;
  }
}

/** What one of our environments was made from; written last, once everything is installed. */
export interface Stamp {
  readonly version: string;
  /** SHA-256 of the wheel. */
  readonly wheel: string;
  /** The Python that it was made with. */
  readonly base: string;
}

const STAMP = 'pincite.json';

export function pythonOf(environment: string): string {
  return process.platform === 'win32'
    ? path.join(environment, 'Scripts', 'python.exe')
    : path.join(environment, 'bin', 'python');
}

export async function readStamp(environment: string): Promise<Stamp | undefined> {
  try {
    return JSON.parse(await readFile(path.join(environment, STAMP), 'utf8')) as Stamp;
  } catch {
    return undefined;
  }
}

export async function writeStamp(environment: string, stamp: Stamp): Promise<void> {
  await writeFile(path.join(environment, STAMP), JSON.stringify(stamp, null, 1));
}

/** The finished environments in a folder, with their stamps. */
export async function environmentsIn(folder: string): Promise<(Stamp & { folder: string })[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const environment = path.join(folder, name);
      const stamp = await readStamp(environment);
      return stamp && { ...stamp, folder: environment };
    }),
  );
  return found.filter((environment) => environment !== undefined);
}

/** Remove environments of other versions, except those that another window may be creating. */
export async function removeOthers(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const other = path.join(folder, name);
    const changed = await stat(other).catch(() => undefined);
    if (other === current || !changed || Date.now() - changed.mtimeMs < MIN_AGE_MS) continue;
    await rm(other, { recursive: true, force: true }).catch(() => undefined);
  }
}
