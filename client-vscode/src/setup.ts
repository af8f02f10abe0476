/** Finds or installs a server, with as few questions as possible. */

import path from 'node:path';

import { type ExtensionContext, ProgressLocation, window, workspace } from 'vscode';

import type { Log } from './log';
import { showState } from './messages';
import type { ChosenPython } from './pythons';
import { removeOthers } from './installation/environment';
import { thisSystem } from './installation/getPython';
import {
  carriedWheel,
  failure,
  findBase,
  findUv,
  install,
  pythonsOnPath,
  type Installation,
  type Unfit,
} from './installation/install';
import { locate, type Located, type Places } from './installation/locate';
import { isSame, LastServer } from './installation/memory';
import type { Command } from './installation/processes';
import { expanded, SECTION } from './settings';
import { INSTALL, type Obstacle, type SetupHolder, setupText, SHOW_LOGS } from './setupState';

export class Setup {
  /** The source of the server, for a report. */
  found: Pick<Located & { kind: 'found' }, 'from' | 'python' | 'named' | 'environment'> | undefined;
  private installing = false;
  private upgraded = false;
  /** Whether the author has asked for the installation by a command, and need not be asked. */
  private agreed = false;
  /** Answers the question that is open, if one is. */
  private agree: (() => void) | undefined;
  private readonly last: LastServer;
  /** Number of searches for a server. The first uses the last known one; results of outdated searches are ignored. */
  private looks = 0;

  constructor(
    private readonly context: ExtensionContext,
    private readonly log: Log,
    private readonly chosen: ChosenPython,
    private readonly state: SetupHolder,
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

  /** Return how to start the server; if there is none, show why and return undefined. */
  async findServer(): Promise<Command | undefined> {
    const last = this.looks > 0 ? undefined : this.last.recall();
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
    if (this.looks > 0) return;
    const last = this.last.recall();
    const server = await this.lookForServer();
    if (last && server && !isSame(server, last)) this.installed();
  }

  /** A server did not start: if a setting names it, that setting is wrong; return whether it is. */
  failedToStart(): boolean {
    const named = this.found?.named;
    if (named) this.showObstacle({ kind: 'wrong setting', ...named, problem: 'ended before it answered as a Pincite server; the log shows why' });
    return named !== undefined;
  }

  /** Return whether only the cached server failed to start; it is not tried again. */
  lastOneFailed(): boolean {
    const failed = this.looks === 0;
    this.looks += 1;
    return failed;
  }

  private async lookForServer(): Promise<Command | undefined> {
    this.looks += 1;
    this.state.update({ obstacle: undefined });
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
      this.showObstacle({ ...located, kind: 'wrong setting' });
      return undefined;
    }
    const earlier = located.kind === 'earlier' ? located : undefined;
    void this.offer(places, earlier).catch((error: unknown) => this.showError(String(error)));
    return earlier?.meanwhile;
  }

  private async places(): Promise<Places> {
    const configuration = workspace.getConfiguration(SECTION);
    const first = workspace.workspaceFolders?.[0]?.uri;
    const folder = first?.scheme === 'file' ? first.fsPath : undefined;
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
    const look = this.looks;
    if (!wheel) {
      this.state.update({ obstacle: { kind: 'not installed' } });
      void this.showError('This build of the extension contains no server. Set the command of one in pincite.serverCommand.');
      return;
    }
    const uv = await findUv();
    const base = await findBase(this.pythons(places), this.cwd, uv);
    // Meanwhile a setting may have come that names a server.
    if (look !== this.looks) return;
    if ('reason' in base) {
      // If an earlier server runs, show nothing.
      if (!earlier?.meanwhile) this.showObstacle({ kind: 'no Python', lacking: lackingIn(base) });
      return;
    }
    this.state.update({ obstacle: { kind: 'not installed' } });
    let failed = '';
    if (earlier && !this.upgraded) {
      this.upgraded = true;
      const upgraded = await this.install({ base, uv, wheel, folder: environments }, true);
      if (upgraded === undefined) return;
      failed = upgraded;
    }
    if (earlier?.meanwhile) {
      if (failed !== '') void this.showError(`The server could not be upgraded. ${failed}`);
      return;
    }
    // Asking again closes a question that is still open.
    while (await this.wanted(failed)) {
      const installed = await this.install({ base, uv, wheel, folder: environments }, false);
      if (installed === undefined) return;
      failed = installed;
    }
  }

  private async *pythons({ interpreter, activeInterpreter }: Places): AsyncGenerator<Command> {
    const named = interpreter !== '' ? interpreter : await activeInterpreter();
    if (named !== undefined) yield { command: named, args: [] };
    if (interpreter === '') yield* pythonsOnPath();
  }

  /** Ask whether to install the server, or to try again after this failure. */
  private async wanted(failed: string): Promise<boolean> {
    const state: Obstacle = { kind: 'not installed', ...(failed !== '' && { failed }) };
    this.state.update({ obstacle: state });
    if (this.agreed) {
      this.agreed = false;
      return true;
    }
    const { title, text, offers: [install] } = setupText(state);
    const agreed = new Promise<string | undefined>((resolve) => { this.agree = () => { resolve(install?.label); }; });
    const asked = failed === '' ? window.showInformationMessage(text, INSTALL.label, 'Not now')
      : window.showErrorMessage(`${title}. ${text}`, 'Try again', SHOW_LOGS.label);
    const answer = await Promise.race([agreed, asked]);
    this.agree = undefined;
    if (answer === SHOW_LOGS.label) this.log.show();
    return answer !== undefined && answer === install?.label;
  }

  /** Return why the server could not be installed: nothing to show if the author cancelled it; undefined once it is there. */
  private async install(
    what: Pick<Installation, 'base' | 'uv' | 'wheel' | 'folder'>,
    upgrades: boolean,
  ): Promise<string | undefined> {
    const stopped = new AbortController();
    this.installing = true;
    const { title } = setupText({ kind: 'installing', upgrades, step: '' });
    try {
      await window.withProgress(
        { location: ProgressLocation.Notification, title, cancellable: true },
        async (progress, token) => {
          token.onCancellationRequested(() => { stopped.abort(); });
          await install({
            ...what,
            signal: stopped.signal,
            report: (step) => {
              progress.report({ message: step });
              this.state.update({ installing: { upgrades, step } });
            },
            log: (line) => { this.log.info(line); },
          });
        },
      );
    } catch (error) {
      this.log.error(String(error));
      return stopped.signal.aborted ? '' : failure(error);
    } finally {
      this.installing = false;
      this.state.update({ installing: undefined });
    }
    this.installed();
    return undefined;
  }

  /** Show what prevents the server from starting, and store it in the state. */
  private showObstacle(obstacle: Obstacle): void {
    this.state.update({ obstacle });
    const { title, text } = setupText(obstacle);
    this.log.error(`${title}. ${text}`);
    void showState(obstacle);
  }

  private async showError(message: string): Promise<void> {
    this.log.error(message);
    const answer = await window.showErrorMessage(`Pincite: ${message}`, SHOW_LOGS.label);
    if (answer === SHOW_LOGS.label) this.log.show();
  }
}

function lackingIn({ reason, interpreter }: Unfit): (Obstacle & { kind: 'no Python' })['lacking'] {
  const nearest = interpreter && { executable: interpreter.executable, version: interpreter.version };
  return { reason, system: thisSystem(), ...nearest };
}

function shown({ command, args }: Command): string {
  return [command, ...args].join(' ');
}
