/**
 * Connects all parts: finds the server, starts it, and restarts it when needed.
 *
 * `installation/locate` finds an existing server, `installation/install` creates an environment with the bundled wheel,
 * `installation/memory` remembers the last server; `setup` asks the author. `client` starts the language client and
 * sends settings, `server` is the other modules' interface to the server, `peers` detects other extensions for the same documents,
 * `clientFiles` reads files of other file systems for the server, `begunCitation` asks for the list that an author waits for.
 * `sight` lets nothing begin while only a README is open, unless a command or a view asks for it.
 *
 * `commands/` has a file for each command; logic that does not need the editor is in modules that do not import `vscode`
 * and are unit-tested. `evidence/` is the first view of the side bar: `latest` cancels outdated requests, `look`
 * queries the server, `page` renders escaped HTML, `browser/` runs in the webview, and `view` connects them. `library/` and
 * `claimCheck/` are the trees below it: their state as `rows`, which `rowTree` shows. `follow` is the draft that all three are about. `pdf/` opens
 * full texts: `open` decides where, `panel` keeps one panel for each PDF, `page/` runs inside it on pdf.js, `sentences`
 * locates a sentence by its letters. `setupState` is the state of the set-up with its texts, which `status` (the language
 * status), the Evidence view, `walkthrough` and `messages` show.
 *
 * `tests/editor/vscode` drives a real VS Code; its `standin/` extensions answer as LaTeX Workshop, texlab,
 * Quarto's extension, Pandoc Citer and others do.
 */

import { commands, env, type ExtensionContext, extensions, type LogOutputChannel, Uri, type WebviewView, workspace } from 'vscode';

import { AddedEntries } from './addedEntries';
import { Agents } from './agents';
import { suggestAtBegunCitation } from './begunCitation';
import { type Client, startClient, sendSettings } from './client';
import { registerAddLibraryFolder } from './commands/addLibraryFolder';
import { registerAddWork } from './commands/addWork';
import { registerOpenSample } from './commands/openSample';
import { registerRebuildIndex } from './commands/rebuildIndex';
import { registerReport } from './commands/report';
import { registerSearchLiterature } from './commands/searchLiterature';
import { registerSuggestHere } from './commands/suggestHere';
import { ClaimCheckView } from './claimCheck/view';
import { DetailsHint } from './detailsHint';
import { EvidenceView } from './evidence/view';
import { FollowedPlace } from './follow';
import { LibraryView } from './library/view';
import { createLog } from './log';
import { showState } from './messages';
import { openSetting } from './openSetting';
import { registerOpenPdf } from './pdf/open';
import { ChosenPython } from './pythons';
import { Restarts } from './restarts';
import { Server } from './server';
import { STARTING } from './settings';
import { Setup } from './setup';
import { SetupHolder } from './setupState';
import { draftInSight, whenInSight } from './sight';
import { followServer, registerStatus } from './status';
import { checkOff, followSetup } from './walkthrough';

let running: Extension | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const begin = async (evidence?: WebviewView): Promise<void> => {
    running = new Extension(context, evidence);
    await running.restart();
  };
  if (await draftInSight()) await begin();
  else whenInSight(context, begin);
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

class Extension {
  private readonly log: LogOutputChannel = createLog();
  private readonly restarts = new Restarts(() => this.restartNow());
  private readonly server = new Server();
  private readonly state = new SetupHolder();
  private readonly added = new AddedEntries();
  private readonly hint: DetailsHint;
  private readonly setup: Setup;
  private readonly agents: Agents;
  private client: Client | undefined;

  constructor(context: ExtensionContext, shown?: WebviewView) {
    const restart = (): void => void this.restart();
    const chosen = new ChosenPython(this.log, restart);
    this.setup = new Setup(context, this.log, chosen, this.state, restart);
    const { version } = context.extension.packageJSON as { version: string };
    this.agents = new Agents({ extensionPath: context.extensionPath, cwd: this.setup.cwd, version }, this.log);
    this.hint = new DetailsHint(context.globalState);
    const followed = new FollowedPlace();
    const evidence = new EvidenceView(context.extensionUri, this.server, this.state, followed, this.log);
    if (shown) evidence.resolveWebviewView(shown);
    context.subscriptions.push(
      this.log,
      this.server,
      this.added,
      registerOpenPdf(context, this.log),
      followServer(this.server, this.state),
      ...followSetup(this.state),
      this.server.onDidChangeState((state) => {
        void commands.executeCommand('setContext', 'pincite.serverRuns', state === 'running');
        if (state === 'running') checkOff('server');
      }),
      evidence,
      new ClaimCheckView(this.server, this.state, followed, this.log),
      new LibraryView(this.server, this.state, followed, this.log),
      followed,
      chosen,
      this.agents,
      registerSuggestHere(this.server, this.state, (place, work) => { evidence.preview(place, work); }),
      registerSearchLiterature(this.server, this.state, context.extension),
      registerAddLibraryFolder(),
      registerAddWork(this.server, this.state, followed),
      registerRebuildIndex(this.server, this.state),
      registerReport(this.server, context.extension, () => this.setup.found),
      registerStatus(this.state),
      registerOpenSample(context, this.server),
      commands.registerCommand('pincite.install', () => this.setup.installNow(() => this.restart())),
      commands.registerCommand('pincite.openWrongSetting', () => this.openWrongSetting(context)),
      commands.registerCommand('pincite.getPython', () => env.openExternal(Uri.parse('https://www.python.org/downloads/'))),
      commands.registerCommand('pincite.restartServer', () => this.restart()),
      commands.registerCommand('pincite.showLogs', () => { this.log.show(); }),
      workspace.onDidChangeConfiguration((change) => {
        if (STARTING.some((name) => change.affectsConfiguration(name))) restart();
      }),
      workspace.onDidGrantWorkspaceTrust(restart),
      extensions.onDidChange(() => {
        if (this.client?.isRunning()) void sendSettings(this.client);
      }),
    );
  }

  restart(): Promise<void> {
    return this.restarts.request();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A server that has died or never started cannot be stopped.
    await client?.dispose().catch((error: unknown) => { this.log.warn(String(error)); });
  }

  private async restartNow(): Promise<void> {
    this.server.detach('starting');
    await this.stop();
    try {
      const found = await this.setup.findServer();
      if (!found) {
        this.server.detach('missing');
        return;
      }
      this.client = await startClient(found, this.setup.cwd, this.log, this.added, this.hint);
      this.server.attach(this.client);
      this.agents.use(found, this.setup.found?.environment);
      this.log.info(`server ${this.server.version ?? 'of no version'} runs`);
      void suggestAtBegunCitation();
      void this.setup.confirm().catch((error: unknown) => { this.log.error(String(error)); });
    } catch (error) {
      this.log.error(String(error));
      if (this.setup.lastOneFailed()) {
        await this.restartNow();
        return;
      }
      const isNamed = this.setup.failedToStart();
      this.server.detach('stopped');
      if (!isNamed) void showState({ kind: 'stopped' });
    }
  }

  /** Open the setting that prevents the server from running, or that it cannot use. */
  private async openWrongSetting({ extension }: ExtensionContext): Promise<void> {
    const state = this.state.current;
    const setting = state.kind === 'wrong setting' ? state.setting : 'pincite.interpreter';
    await openSetting(setting, extension);
  }
}
