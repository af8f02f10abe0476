/** Offers the tools of `pincite mcp` to the agents of the editor, where it is new enough (VS Code 1.101) to be offered any. */

import { existsSync } from 'node:fs';

import * as vscode from 'vscode';
import { type CancellationToken, type Disposable, EventEmitter, ProgressLocation, window, workspace } from 'vscode';

import { agentTools, needsOf } from './agentTools';
import { resolved } from './commands/libraryFolders';
import { addAgents, carriedWheel, findUv } from './installation/install';
import { type Command, run } from './installation/processes';
import type { Log } from './log';
import { SECTION } from './settings';

const LABEL = 'Pincite';
const SETTINGS = ['pincite.agents', 'pincite.library.folders', 'pincite.zotero'];
const CHECK_TIMEOUT_MS = 30_000;
const INSTALL = 'Install';

/** What `@types/vscode` of our oldest VS Code lacks. */
interface Newer {
  readonly lm?: {
    registerMcpServerDefinitionProvider?: (id: string, provider: Provider) => Disposable;
  };
  readonly McpStdioServerDefinition?: new (
    label: string, command: string, args: string[], env: Record<string, string>, version: string,
  ) => object;
}

interface Provider {
  readonly onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions: () => object[];
  resolveMcpServerDefinition: (definition: object, token: CancellationToken) => Promise<object>;
}

export class Agents implements Disposable {
  private readonly changes = new EventEmitter<void>();
  private readonly listening: { dispose(): unknown }[] = [this.changes];
  private server: Command | undefined;
  private environment: string | undefined;

  constructor(
    private readonly extension: { readonly extensionPath: string; readonly cwd: string; readonly version: string },
    private readonly log: Log,
  ) {
    const { lm, McpStdioServerDefinition: Definition } = vscode as unknown as Newer;
    if (!lm?.registerMcpServerDefinitionProvider || !Definition) return;
    const provider: Provider = {
      onDidChangeMcpServerDefinitions: this.changes.event,
      provideMcpServerDefinitions: () => {
        const tools = this.tools();
        return tools ? [new Definition(LABEL, tools.command, [...tools.args], {}, extension.version)] : [];
      },
      resolveMcpServerDefinition: async (definition, token) => {
        await this.prepare(token);
        return definition;
      },
    };
    try {
      this.listening.push(lm.registerMcpServerDefinitionProvider('pincite.tools', provider));
    } catch (error) {
      // VS Code 1.100 has it as a proposal, which extensions from elsewhere may not use.
      log.info(`no tools for agents in this editor: ${String(error)}`);
      return;
    }
    const change = (): void => { this.changes.fire(); };
    this.listening.push(
      workspace.onDidChangeWorkspaceFolders(change),
      workspace.onDidGrantWorkspaceTrust(change),
      workspace.onDidChangeConfiguration((changed) => { if (SETTINGS.some((name) => changed.affectsConfiguration(name))) change(); }),
    );
  }

  /** The server that was found, and our environment if it is in one. */
  use(server: Command, environment: string | undefined): void {
    this.server = server;
    this.environment = environment;
    this.changes.fire();
  }

  dispose(): void {
    for (const each of this.listening) each.dispose();
  }

  private tools(): Command | undefined {
    const settings = workspace.getConfiguration(SECTION);
    if (!this.server || !workspace.isTrusted || !settings.get<boolean>('agents', true)) return undefined;
    const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
    const papers = settings.get<string[]>('library.folders', []).map((folder) => resolved(folder, folders[0]));
    return agentTools(this.server, folders, { folders: papers.filter((each) => existsSync(each)), zotero: settings.get('zotero', 'auto') });
  }

  /** Install what serves agents into our own environment, once the author agrees. */
  private async prepare(token: CancellationToken): Promise<void> {
    const needs = this.server && this.environment !== undefined ? needsOf(this.server) : undefined;
    const { cwd, extensionPath } = this.extension;
    if (!needs || await run(needs, { cwd, timeoutMs: CHECK_TIMEOUT_MS }).then(() => true, () => false)) return;
    const wheel = await carriedWheel(`${extensionPath}/bundled`);
    const question = 'For agents, Pincite needs a few more Python packages from PyPI (about 30 MB).';
    if (!wheel || (await window.showInformationMessage(question, INSTALL, 'Not now')) !== INSTALL) {
      throw new Error('The Python package mcp is not installed.');
    }
    const stopped = new AbortController();
    token.onCancellationRequested(() => { stopped.abort(); });
    const { environment } = this;
    if (environment === undefined) return;
    await window.withProgress({ location: ProgressLocation.Notification, title: 'Installing packages for agents…' }, async () => {
      await addAgents({
        environment, wheel, uv: await findUv(), cwd, signal: stopped.signal, log: (line) => { this.log.info(line); },
      });
    });
  }
}
