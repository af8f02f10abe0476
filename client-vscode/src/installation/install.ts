/** Installs the bundled server into its own environment. */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { type Interpreter, probe, pythonOf, writeStamp } from './environment';
import { type Command, onPath, ProcessError, run } from './processes';
import { isSupportedPython } from './versions';

const STEP_TIMEOUT_MS = 15 * 60 * 1000;

/** The size of an environment, for the author. */
export const ENVIRONMENT_MB = 190;

/** The bundled server. */
export interface Wheel {
  readonly file: string;
  readonly version: string;
  readonly sha256: string;
}

/** Return the wheel in a folder; undefined if the extension was built without one. */
export async function carriedWheel(folder: string): Promise<Wheel | undefined> {
  const names = await readdir(folder).catch(() => []);
  const name = names.find((one) => /^pincite-.*\.whl$/.test(one));
  const version = name?.split('-')[1];
  if (name === undefined || version === undefined) return undefined;
  const file = path.resolve(folder, name);
  const sha256 = createHash('sha256').update(await readFile(file)).digest('hex');
  return { file, version, sha256 };
}

/** The folder of the environment for a wheel. */
export function environmentFor(wheel: Wheel, folder: string): string {
  return path.join(folder, `${wheel.version}-${wheel.sha256.slice(0, 8)}`);
}

/** Why no Python can create an environment. */
export interface Unfit {
  readonly reason: 'none' | 'too old' | 'no environments';
  readonly interpreter?: Interpreter;
}

/** Return the first Python that can create an environment, or what is wrong with the best one. */
export async function findBase(
  candidates: AsyncIterable<Command> | Iterable<Command>,
  cwd: string,
): Promise<Interpreter | Unfit> {
  let unfit: Unfit = { reason: 'none' };
  for await (const candidate of candidates) {
    const interpreter = await probe(candidate, cwd);
    if (!interpreter) continue;
    if (!isSupportedPython(interpreter.version)) {
      if (unfit.reason === 'none') unfit = { reason: 'too old', interpreter };
    } else if (!interpreter.makesEnvironments) {
      unfit = { reason: 'no environments', interpreter };
    } else {
      return interpreter;
    }
  }
  return unfit;
}

/** The Pythons on the search path. */
export async function* pythonsOnPath(
  environment: NodeJS.ProcessEnv = process.env,
): AsyncGenerator<Command> {
  const names = ['python3', 'python', ...[14, 13, 12, 11, 10].map((minor) => `python3.${minor}`)];
  for (const name of names) {
    const command = await onPath(name, environment);
    if (command !== undefined) yield { command, args: [] };
  }
  const launcher = process.platform === 'win32' ? await onPath('py', environment) : undefined;
  if (launcher !== undefined) yield { command: launcher, args: ['-3'] };
}

export interface Installation {
  readonly base: Interpreter;
  readonly wheel: Wheel;
  /** The folder of environments. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Called with each step, for the author. */
  readonly report: (step: string) => void;
  /** Called with all output. */
  readonly log: (line: string) => void;
}

/**
 * Make an environment with the server in it, and return its folder.
 *
 * It is created beside its final location and moved there when complete: another window may do the same, and an
 * interrupted installation is never mistaken for a server. (Moving breaks scripts, but not `python -m`.)
 */
export async function install(installation: Installation): Promise<string> {
  const { base, wheel, folder, signal, report, log } = installation;
  const place = environmentFor(wheel, folder);
  const making = `${place}.${process.pid}`;
  const step = (command: string, args: string[], onLine: (line: string) => void): Promise<string> => {
    log(`${command} ${args.join(' ')}`);
    return run({ command, args }, { cwd: folder, timeoutMs: STEP_TIMEOUT_MS, signal, onLine });
  };
  await mkdir(folder, { recursive: true });
  await rm(making, { recursive: true, force: true });
  try {
    report('Creating an environment…');
    await step(base.executable, ['-I', '-m', 'venv', making], log);
    const pip = ['-I', '-m', 'pip', '--disable-pip-version-check', '--no-input', 'install'];
    await step(pythonOf(making), [...pip, '--progress-bar', 'off', '--prefer-binary', wheel.file], (line) => {
      log(line);
      const step = pipStep(line);
      if (step !== undefined) report(step);
    });
    await writeStamp(making, { version: wheel.version, wheel: wheel.sha256, base: base.executable });
    await rm(place, { recursive: true, force: true });
    await rename(making, place);
    return place;
  } catch (error) {
    await rm(making, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
}

/** Return a message for the author for a line of pip's output, if any. */
export function pipStep(line: string): string | undefined {
  const collecting = /^Collecting ([\w.-]+)/.exec(line.trim());
  if (collecting?.[1]) return `Fetching ${collecting[1]}…`;
  return line.startsWith('Installing collected packages') ? 'Installing…' : undefined;
}

/** Return the most informative line of a failed installation. */
export function failure(error: unknown): string {
  if (!(error instanceof ProcessError)) return error instanceof Error ? error.message : String(error);
  if (/ConnectionError|NewConnectionError|Name or service not known|Temporary failure|getaddrinfo|ReadTimeout/i.test(error.output)) {
    return 'The Python packages it needs could not be downloaded. Is there a connection?';
  }
  if (/No space left on device/i.test(error.output)) return 'The disk is full.';
  const reason = error.output.split(/\r?\n/).filter((line) => /^(ERROR|Error)/.test(line)).at(-1);
  return reason?.replace(/^error:?\s*/i, '') ?? error.message;
}
