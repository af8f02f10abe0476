/** Installs the bundled server into its own environment. */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { type Interpreter, probe, pythonOf, readStamp, writeStamp } from './environment';
import { type Command, onPath, ProcessError, run } from './processes';
import { isSupportedPython } from './versions';

const STEP_TIMEOUT_MS = 15 * 60 * 1000;

/** The size of an environment, for the author. */
export const ENVIRONMENT_MB = 130;
/** What is downloaded for it, about. */
const DOWNLOAD_MB = 40;

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
  /** Makes environments with any Python, if it is there. */
  uv?: string,
): Promise<Interpreter | Unfit> {
  let unfit: Unfit = { reason: 'none' };
  for await (const candidate of candidates) {
    const interpreter = await probe(candidate, cwd);
    if (!interpreter) continue;
    if (!isSupportedPython(interpreter.version)) {
      if (unfit.reason === 'none') unfit = { reason: 'too old', interpreter };
    } else if (!interpreter.makesEnvironments && uv === undefined) {
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

/** Return the path of uv, which installs much faster than pip, if it is on the search path. */
export function findUv(environment: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  return onPath('uv', environment);
}

export interface Installation {
  readonly base: Interpreter;
  /** Used in place of pip; if it fails, pip is tried. */
  readonly uv: string | undefined;
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
  const { base, uv, wheel, folder, signal, report, log } = installation;
  const place = environmentFor(wheel, folder);
  const making = `${place}.${process.pid}`;
  const clean = (): Promise<void> => rm(making, { recursive: true, force: true });
  const step: Step = (command, args, onLine = log) => {
    log(`${command} ${args.join(' ')}`);
    return run({ command, args }, { cwd: folder, timeoutMs: STEP_TIMEOUT_MS, signal, onLine });
  };
  const steps = new InstallationSteps();
  const follow = (line: string): void => {
    log(line);
    const message = steps.message(line);
    if (message !== undefined) report(message);
  };
  await mkdir(folder, { recursive: true });
  await clean();
  try {
    report('Creating an environment…');
    const made = uv !== undefined && (await byUv(uv, base, wheel, making, step, follow).then(() => true, (error: unknown) => {
      if (signal.aborted || !base.makesEnvironments) throw error;
      log(`uv failed, so pip is used: ${String(error)}`);
      return false;
    }));
    if (!made) {
      await clean();
      await byPip(base, wheel, making, step, follow);
    }
    await writeStamp(making, { version: wheel.version, wheel: wheel.sha256, base: base.executable });
    await rm(place, { recursive: true, force: true });
    await rename(making, place);
    return place;
  } catch (error) {
    await clean().catch(() => undefined);
    throw error;
  }
}

/** Add to one of our environments what serves agents: it is large, and few authors need it. */
export async function addAgents(
  { environment, wheel, uv, cwd, signal, log }: {
    environment: string; wheel: Wheel; uv: string | undefined; cwd: string; signal: AbortSignal; log: (line: string) => void;
  },
): Promise<void> {
  const step: Step = (command, args) => run({ command, args }, { cwd, timeoutMs: STEP_TIMEOUT_MS, signal, onLine: log });
  const python = pythonOf(environment);
  if (uv !== undefined) {
    await step(uv, ['pip', 'install', '--python', python, requirementOf(wheel, 'mcp')]);
    return;
  }
  const base = (await readStamp(environment))?.base ?? python;
  await pipInto(python, await carriedPip(base, step), requirementOf(wheel, 'mcp'), step, log);
}

/** The wheel, with what fetching abstracts needs: an author who agrees to that has no other way to install it here. */
function requirementOf(wheel: Wheel, extra = 'enrich'): string {
  return `pincite[${extra}] @ ${pathToFileURL(wheel.file).href}`;
}

type Step = (command: string, args: string[], onLine?: (line: string) => void) => Promise<string>;
type Line = (line: string) => void;

async function byUv(uv: string, base: Interpreter, wheel: Wheel, making: string, step: Step, follow: Line): Promise<void> {
  await step(uv, ['venv', '--no-project', '--python', base.executable, making]);
  await step(uv, ['pip', 'install', '--python', pythonOf(making), requirementOf(wheel)], follow);
}

/** The pip that Python carries to put into environments; "" where it is somewhere else. */
const CARRIED_PIP = `import ensurepip, glob, os, sysconfig
folders = os.path.join(os.path.dirname(ensurepip.__file__), '_bundled'), sysconfig.get_config_var('WHEEL_PKG_DIR')
wheels = (wheel for folder in folders if folder for wheel in glob.glob(os.path.join(folder, 'pip-*.whl')))
print(next(wheels, ''))`;

/** Runs pip from its wheel, as ensurepip does; the arguments are the wheel and those of pip. */
const RUN_CARRIED = `import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
runpy.run_module('pip', run_name='__main__', alter_sys=True)`;

async function byPip(base: Interpreter, wheel: Wheel, making: string, step: Step, follow: Line): Promise<void> {
  const carried = await carriedPip(base.executable, step);
  // To put pip into the environment, and to take it out again, would take a quarter of the time.
  await step(base.executable, ['-I', '-m', 'venv', ...(carried === undefined ? [] : ['--without-pip']), making]);
  await pipInto(pythonOf(making), carried, requirementOf(wheel), step, follow);
}

async function carriedPip(python: string, step: Step): Promise<string | undefined> {
  return /\S.*\.whl(?=\s*$)/.exec(await step(python, ['-I', '-c', CARRIED_PIP]).catch(() => ''))?.[0];
}

async function pipInto(python: string, carried: string | undefined, requirement: string, step: Step, follow: Line): Promise<void> {
  const pip = carried === undefined ? ['-m', 'pip'] : ['-c', RUN_CARRIED, carried];
  // Python compiles what the server imports when it imports it; to compile all takes longer than the first start.
  const options = ['--no-compile', '--progress-bar', 'off', '--prefer-binary'];
  await step(python, ['-I', ...pip, '--disable-pip-version-check', '--no-input', 'install', ...options, requirement], follow);
}

/** What packages are for, as far as an author may wonder. */
const PURPOSES: ReadonlyMap<string, string> = new Map([
  ['numpy', 'arithmetic'],
  ['pypdfium2', 'the PDF reader'],
  ['lxml', 'the XML reader'],
  ['py3langid', 'language detection'],
  ['rapidfuzz', 'title comparison'],
  ['regex', 'the text reader'],
  ['safetensors', 'word vectors'],
  ['snowballstemmer', 'word stems'],
  ['pystemmer', 'word stems'],
  ['joblib', 'parallel processing'],
  ['msgspec', 'the index of papers'],
  ['platformdirs', 'the index of papers'],
  ['lsprotocol', 'the link to the editor'],
  ['cattrs', 'the link to the editor'],
  ['attrs', 'the link to the editor'],
  ['typer', 'the command line'],
  ['httpx', 'network look-ups, which run only if you ask'],
  ['rich', 'the command line'],
]);

function purposeOf(name: string): string {
  return PURPOSES.get(name.toLowerCase().replaceAll(/[._]/g, '-')) ?? 'a small library';
}

/** Messages for the author from the output of pip or uv: what is fetched, and how much of all. */
export class InstallationSteps {
  private fetched = 0;

  /** Return a message for a line, if it has news. */
  message(line: string): string | undefined {
    const { name, size, unit } = /^Downloading (?<name>[\w.-]+?)(?:-\d[^ ]*)? \((?<size>[\d.]+) ?(?<unit>[kM])i?B\)/.exec(line.trim())?.groups ?? {};
    if (name !== undefined) {
      const mb = Number(size) / (unit === 'k' ? 1024 : 1);
      this.fetched += mb;
      const shown = mb < 1 ? 'less than 1 MB' : `${Math.round(mb)} MB`;
      return `Fetching ${purposeOf(name)}, ${shown} (${Math.round(this.fetched)} of about ${DOWNLOAD_MB} MB)…`;
    }
    const collected = /^Collecting ([\w.-]+)/.exec(line.trim())?.[1];
    if (collected !== undefined) return `Fetching ${purposeOf(collected)}…`;
    return /^(Installing collected packages|Prepared \d+ package)/.test(line.trim()) ? `Installing about ${ENVIRONMENT_MB} MB…` : undefined;
  }
}

/** Return the most informative line of a failed installation. */
export function failure(error: unknown): string {
  if (!(error instanceof ProcessError)) return error instanceof Error ? error.message : String(error);
  if (/ConnectionError|NewConnectionError|Name or service not known|Temporary failure|getaddrinfo|ReadTimeout|Failed to fetch|error sending request|\(from versions: none\)/i.test(error.output)) {
    return 'The Python packages it needs could not be downloaded. Check your internet connection.';
  }
  if (/No space left on device/i.test(error.output)) return 'The disk is full.';
  const reason = error.output.split(/\r?\n/).filter((line) => /^(ERROR|Error)/.test(line)).at(-1);
  return reason?.replace(/^error:?\s*/i, '') ?? error.message;
}
