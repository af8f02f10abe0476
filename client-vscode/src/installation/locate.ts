/** Finds the server: first the settings, then existing installations, then our own. */

import { environmentsIn, type Interpreter, probe, pythonOf } from './environment';
import { environmentFor, type Wheel } from './install';
import { type Command, isProgram, onPath, run } from './processes';
import { isCompatible, isSupportedPython, OLDEST_PYTHON } from './versions';

const VERSION_TIMEOUT_MS = 15_000;

/** Where a server may be. */
export interface Places {
  /** The setting `pincite.serverCommand`. */
  readonly serverCommand: readonly string[];
  /** The setting `pincite.interpreter`. */
  readonly interpreter: string;
  /** The Python selected in another extension. */
  readonly activeInterpreter: () => Promise<string | undefined>;
  /** The folder of our own environments. */
  readonly environments: string;
  readonly wheel: Wheel | undefined;
  readonly extensionVersion: string;
  /** A folder to run programs in. */
  readonly cwd: string;
  readonly processEnvironment?: NodeJS.ProcessEnv;
}

export type Located =
  /** `from`, for the log, is where it was found. */
  | {
      readonly kind: 'found';
      readonly server: Command;
      readonly from: string;
      /** The version of the Python that runs it, if known. */
      readonly python?: string;
      /** Our environment that contains it. */
      readonly environment?: string;
      /** The setting that names it, if one does, and its value. */
      readonly named?: { readonly setting: string; readonly value: string };
    }
  /** The value of a setting is unusable. */
  | { readonly kind: 'wrong'; readonly setting: string; readonly value: string; readonly problem: string }
  /** We installed one for another build of the extension; it can be used until it is upgraded. */
  | { readonly kind: 'earlier'; readonly meanwhile: Command | undefined }
  | { readonly kind: 'none' };

export async function locate(places: Places): Promise<Located> {
  if (places.serverCommand.length > 0) return locateByCommand(places);
  if (places.interpreter !== '') return locateBySetting(places);
  return (
    (await inActiveInterpreter(places)) ?? (await onSearchPath(places)) ?? (await installedByUs(places))
  );
}

async function locateByCommand(places: Places): Promise<Located> {
  const [command = '', ...args] = places.serverCommand;
  const named = { setting: 'pincite.serverCommand', value: command };
  return (await isProgram(command, places.processEnvironment))
    ? { ...found({ command, args }, `the setting ${named.setting}`), named }
    : { kind: 'wrong', ...named, problem: 'is not a program that can be run' };
}

async function locateBySetting(places: Places): Promise<Located> {
  const named = { setting: 'pincite.interpreter', value: places.interpreter };
  const interpreter = await probe({ command: named.value, args: [] }, places.cwd);
  if (!interpreter) return { kind: 'wrong', ...named, problem: 'is not a working Python' };
  if (!isSupportedPython(interpreter.version)) {
    const problem = `is Python ${interpreter.version}; Pincite needs ${OLDEST_PYTHON} or newer`;
    return { kind: 'wrong', ...named, problem };
  }
  return hasServer(interpreter, places)
    ? { ...found(moduleOf(named.value), `the setting ${named.setting}`, interpreter.version), named }
    : installedByUs(places, interpreter.executable);
}

async function inActiveInterpreter(places: Places): Promise<Located | undefined> {
  const python = await places.activeInterpreter();
  if (python === undefined) return undefined;
  const interpreter = await probe({ command: python, args: [] }, places.cwd);
  return interpreter && hasServer(interpreter, places)
    ? found(moduleOf(python), 'the Python that is chosen in this workspace', interpreter.version)
    : undefined;
}

async function onSearchPath(places: Places): Promise<Located | undefined> {
  const command = await onPath('pincite', places.processEnvironment);
  if (command === undefined) return undefined;
  const asking = { command, args: ['--version'] };
  const version = await run(asking, { cwd: places.cwd, timeoutMs: VERSION_TIMEOUT_MS }).catch(() => '');
  return isCompatible(version, places.extensionVersion)
    ? found({ command, args: ['serve'] }, 'the search path')
    : undefined;
}

/** Search our own installations; with `base`, only those made with this Python. */
async function installedByUs(places: Places, base?: string): Promise<Located> {
  const ours = (await environmentsIn(places.environments)).filter(
    (environment) => base === undefined || environment.base === base,
  );
  const place = places.wheel && environmentFor(places.wheel, places.environments);
  // Also checks its Python, which may have been removed.
  const runs = async (folder: string): Promise<string | undefined> => {
    const interpreter = await probe({ command: pythonOf(folder), args: ['-I'] }, places.cwd);
    return interpreter && hasServer(interpreter, places) ? interpreter.version : undefined;
  };
  if (place !== undefined && ours.some(({ folder }) => folder === place)) {
    const python = await runs(place);
    if (python) return { ...found(ownServer(place), 'the environment of the extension', python), environment: place };
  }
  for (const { folder } of ours) {
    if (folder !== place && (await runs(folder))) return { kind: 'earlier', meanwhile: ownServer(folder) };
  }
  return ours.length > 0 ? { kind: 'earlier', meanwhile: undefined } : { kind: 'none' };
}

/** The command for the server in one of our environments; nothing outside of it can be imported. */
export function ownServer(environment: string): Command {
  return { command: pythonOf(environment), args: ['-I', '-m', 'pincite', 'serve'] };
}

function moduleOf(python: string): Command {
  return { command: python, args: ['-m', 'pincite', 'serve'] };
}

function hasServer({ version, server }: Interpreter, { extensionVersion }: Places): boolean {
  return isSupportedPython(version) && server !== null && isCompatible(server, extensionVersion);
}

function found(server: Command, from: string, python?: string): Located & { kind: 'found' } {
  return { kind: 'found', server, from, ...(python !== undefined && { python }) };
}
