/** Finds or installs a server, with as few questions as possible. */

import path from 'node:path';

import { commands, env, type ExtensionContext, ProgressLocation, Uri, window, workspace } from 'vscode';

import type { Log } from './log';
import type { ChosenPython } from './pythons';
import { type Interpreter, removeOthers } from './installation/environment';
import {
  carriedWheel,
  failure,
  findBase,
  install,
  pythonsOnPath,
  type Unfit,
  type Wheel,
} from './installation/install';
import { locate, type Located, type Places } from './installation/locate';
import { isSame, LastServer } from './installation/memory';
import type { Command } from './installation/processes';
import { OLDEST_PYTHON } from './installation/versions';
import { expanded, SECTION } from './settings';

const INSTALL = 'Install the Pincite server';
const SHOW_LOGS = 'Show logs';
const OPEN_SETTINGS = 'Open settings';
const GET_PYTHON = 'Get Python';

export class Setup {
  /** The source of the server, for a report. */
  found: Pick<Located & { kind: 'found' }, 'from' | 'python'> | undefined;
  private installing = false;
  private upgraded = false;
  /** Whether the author has asked for the installation by a command, and need not be asked. */
  private agreed = false;
  /** Answers the question that is open, if one is. */
  private agree: (() => void) | undefined;
  private readonly last: LastServer;
  /** Whether the search for a server has been done; until then, the last one is used. */
  private looked = false;

  constructor(
    private readonly context: ExtensionContext,
    private readonly log: Log,
    private readonly chosen: ChosenPython,
    /** Called when a server is available. */
    private readonly installed: () => void,
  ) {
    const { version } = context.extension.packageJSON as { version: string };
    this.last = new LastServer(this.cwd, () => {
      const { serverCommand, interpreter } = workspace.getConfiguration(SECTION);
      return JSON.stringify([serverCommand, interpreter, version]);
    });
  }

  /** The extension's own folder, in which programs run. */
  get cwd(): string {
    return this.context.globalStorageUri.fsPath;
  }

  /** Return how to start the server; if there is none, tell the author and return undefined. */
  async findServer(): Promise<Command | undefined> {
    const last = this.looked ? undefined : this.last.recall();
    if (last) this.log.info(`server as last time: ${shown(last)}`);
    return last ?? this.lookForServer();
  }

  /** Install the server if there is none: what the button of the offer does. `look` looks for one, as at the start. */
  async installNow(look: () => Promise<void>): Promise<void> {
    if (this.installing) return;
    if (this.agree) {
      this.agree();
      return;
    }
    this.agreed = true;
    await look();
    if (!this.found) return;
    this.agreed = false;
    void window.showInformationMessage(`The Pincite server is installed; it comes from ${this.found.from}.`);
  }

  /** Called when a server runs: if it is the cached one, check whether it is still the right one. */
  async confirm(): Promise<void> {
    if (this.looked) return;
    const last = this.last.recall();
    const server = await this.lookForServer();
    if (last && server && !isSame(server, last)) this.installed();
  }

  /** Return whether only the cached server failed to start; it is not tried again. */
  lastOneFailed(): boolean {
    const failed = !this.looked;
    this.looked = true;
    return failed;
  }

  private async lookForServer(): Promise<Command | undefined> {
    this.looked = true;
    const server = await this.located();
    await this.last.remember(server);
    return server;
  }

  private async located(): Promise<Command | undefined> {
    await workspace.fs.createDirectory(this.context.globalStorageUri);
    const places = await this.places();
    const located = await locate(places);
    this.found = located.kind === 'found' ? located : undefined;
    if (located.kind === 'found') {
      this.log.info(`server from ${located.from}: ${shown(located.server)}`);
      if (located.environment !== undefined) void removeOthers(places.environments, located.environment);
      return located.server;
    }
    if (located.kind === 'wrong') {
      void this.tell(located.message, located.setting);
      return undefined;
    }
    const earlier = located.kind === 'earlier' ? located : undefined;
    void this.offer(places, earlier).catch((error: unknown) => this.tell(String(error)));
    return earlier?.meanwhile;
  }

  private async places(): Promise<Places> {
    const configuration = workspace.getConfiguration(SECTION);
    const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
    const { version } = this.context.extension.packageJSON as { version: string };
    return {
      serverCommand: configuration
        .get<string[]>('serverCommand', [])
        .map((part) => expanded(part, folder)),
      interpreter: expanded(configuration.get('interpreter', '').trim(), folder),
      activeInterpreter: () => this.chosen.find(),
      environments: path.join(this.cwd, 'environments'),
      wheel: await carriedWheel(path.join(this.context.extensionPath, 'bundled')),
      extensionVersion: version,
      cwd: this.cwd,
    };
  }

  /** Install the server: an upgrade automatically, once; otherwise whenever the author asks. */
  private async offer(places: Places, earlier: (Located & { kind: 'earlier' }) | undefined): Promise<void> {
    const { wheel, environments } = places;
    if (this.installing) return;
    if (!wheel) {
      void this.tell('This build of the extension carries no server.', 'pincite.serverCommand');
      return;
    }
    const base = await findBase(this.pythons(places), this.cwd);
    if ('reason' in base) {
      // If an earlier server runs, show nothing.
      if (!earlier?.meanwhile) void this.tellUnfit(base);
      return;
    }
    if (earlier && !this.upgraded) {
      this.upgraded = true;
      if (await this.install(base, wheel, environments, 'Upgrading the Pincite server')) return;
    }
    if (earlier?.meanwhile) return;
    // Asking again closes a question that is still open.
    while (await this.wanted()) {
      if (await this.install(base, wheel, environments, 'Installing the Pincite server')) return;
    }
  }

  private async *pythons({ interpreter, activeInterpreter }: Places): AsyncGenerator<Command> {
    const named = interpreter !== '' ? interpreter : await activeInterpreter();
    if (named !== undefined) yield { command: named, args: [] };
    if (interpreter === '') yield* pythonsOnPath();
  }

  private async wanted(): Promise<boolean> {
    const message =
      'Pincite ranks your references and finds supporting sentences with a server that runs on this computer. ' +
      'It is installed once, into its own folder (about 330 MB).';
    if (this.agreed) {
      this.agreed = false;
      return true;
    }
    const agreed = new Promise<typeof INSTALL>((resolve) => { this.agree = () => { resolve(INSTALL); }; });
    const answer = await Promise.race([agreed, window.showInformationMessage(message, INSTALL, 'Not now')]);
    this.agree = undefined;
    return answer === INSTALL;
  }

  private async install(
    base: Interpreter,
    wheel: Wheel,
    environments: string,
    title: string,
  ): Promise<boolean> {
    const stopped = new AbortController();
    this.installing = true;
    try {
      await window.withProgress(
        { location: ProgressLocation.Notification, title, cancellable: true },
        async (progress, token) => {
          token.onCancellationRequested(() => { stopped.abort(); });
          await install({
            base,
            wheel,
            folder: environments,
            signal: stopped.signal,
            report: (message) => { progress.report({ message }); },
            log: (line) => { this.log.info(line); },
          });
        },
      );
    } catch (error) {
      this.log.error(String(error));
      if (!stopped.signal.aborted) void this.tell(`The server could not be installed. ${failure(error)}`);
      return false;
    } finally {
      this.installing = false;
    }
    this.installed();
    return true;
  }

  private async tellUnfit({ reason, interpreter }: Unfit): Promise<void> {
    const then = 'Then run “Pincite: Restart server”.';
    if (reason === 'no environments' && interpreter) {
      const [major, minor] = interpreter.version.split('.');
      const message =
        `${interpreter.executable} cannot make virtual environments. On Debian and Ubuntu, run ` +
        `“sudo apt install python3-venv” (or python${major ?? '3'}.${minor ?? ''}-venv). ${then}`;
      await this.tell(message, 'pincite.interpreter');
      return;
    }
    const found = interpreter ? `only Python ${interpreter.version} was found` : 'none was found';
    const message = `Pincite needs Python ${OLDEST_PYTHON} or newer; ${found}. Install one, or name it in the settings. ${then}`;
    this.log.error(message);
    const answer = await window.showErrorMessage(message, GET_PYTHON, OPEN_SETTINGS);
    if (answer === GET_PYTHON) await env.openExternal(Uri.parse('https://www.python.org/downloads/'));
    if (answer === OPEN_SETTINGS) await openSetting('pincite.interpreter');
  }

  private async tell(message: string, setting?: string): Promise<void> {
    this.log.error(message);
    const choices = setting === undefined ? [SHOW_LOGS] : [OPEN_SETTINGS, SHOW_LOGS];
    const answer = await window.showErrorMessage(`Pincite: ${message}`, ...choices);
    if (answer === SHOW_LOGS) this.log.show();
    if (answer === OPEN_SETTINGS && setting !== undefined) await openSetting(setting);
  }
}

function shown({ command, args }: Command): string {
  return [command, ...args].join(' ');
}

async function openSetting(setting: string): Promise<void> {
  await commands.executeCommand('workbench.action.openSettings', setting);
}
