/** Finds and runs other programs. */

import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

export interface RunOptions {
  /** Never one of the author's folders: Python would import modules from there. */
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Called with each line of output. */
  readonly onLine?: (line: string) => void;
}

/** A program that did not start, failed or took too long; `output` is its output so far. */
export class ProcessError extends Error {
  constructor(
    message: string,
    readonly output: string,
  ) {
    super(message);
  }
}

/** Run a program and return its stdout. */
export function run({ command, args }: Command, options: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let [stdout, all] = ['', ''];
    const lines = options.onLine && byLine(options.onLine);
    const take = (text: string): void => {
      all += text;
      lines?.(text);
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      take(text);
    });
    child.stderr.setEncoding('utf8').on('data', take);

    const fail = (why: string): void => {
      finish();
      child.kill('SIGKILL');
      // Do not wait for child processes that keep its output open.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(new ProcessError(`${command} ${why}`, all));
    };
    const stop = (): void => { fail('was stopped'); };
    const timer = setTimeout(() => { fail(`took longer than ${options.timeoutMs / 1000} s`); }, options.timeoutMs);
    const finish = (): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', stop);
    };
    options.signal?.addEventListener('abort', stop);
    child.on('error', (error) => { fail(`does not start: ${error.message}`); });
    child.on('close', (code, signal) => {
      if (code === 0) {
        finish();
        resolve(stdout);
      } else {
        fail(`ended with ${code ?? signal ?? 'an error'}`);
      }
    });
    if (options.signal?.aborted) stop();
  });
}

function byLine(onLine: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    lines.filter((line) => line.trim() !== '').forEach(onLine);
  };
}

/** Return the full path of a program on the search path. */
export async function onPath(
  name: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  const windows = process.platform === 'win32';
  const searched = environment.PATH ?? environment.Path ?? '';
  for (const folder of searched.split(path.delimiter)) {
    // A relative folder would be one of the author's workspace.
    if (!path.isAbsolute(folder)) continue;
    const file = path.join(folder, windows ? `${name}.exe` : name);
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

/** Whether a command names a program: by its path, or by a name on the search path. */
export async function isProgram(command: string, environment?: NodeJS.ProcessEnv): Promise<boolean> {
  if (path.basename(command) !== command) return isExecutable(command);
  // Windows finds programs by their names without the ending.
  return (await onPath(command.replace(/\.exe$/i, ''), environment)) !== undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
