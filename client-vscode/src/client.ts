/** The language client: its documents, its capabilities, and the settings that it sends. */

import { type ChildProcess, spawn } from 'node:child_process';

import { commands, EventEmitter, extensions, type LogOutputChannel, workspace } from 'vscode';
import {
  type ClientCapabilities,
  CloseAction,
  DidChangeConfigurationNotification,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type ProgressToken,
  RevealOutputChannelOn,
  type StaticFeature,
  WorkDoneProgressCancelNotification,
} from 'vscode-languageclient/node';

import { ADD_ENTRY, type AddedEntries } from './addedEntries';
import { answerReading } from './clientFiles';
import type { DetailsHint } from './detailsHint';
import { givesBibliography, givingBibliography } from './firstBibliography';
import { isDocument, SYNCED } from './languages';
import { peersAmong } from './peers';
import type { Command } from './installation/processes';
import { SECTION, serverSettings } from './settings';
import { checkOff } from './walkthrough';

/** Features that the server may offer (docs/reference/protocol.md), and our commands that implement them. */
const OFFERED_BY_COMMAND = {
  pinciteOpenPdf: 'pincite.openPdf',
  pinciteShowEvidence: 'pincite.showEvidence',
  pinciteSuggestHere: 'pincite.suggestHere',
  pinciteAddWork: 'pincite.addWork',
} as const;

/** Return the current settings for the server. */
export function currentSettings(): Record<string, unknown> {
  const configuration = workspace.getConfiguration();
  const peers = configuration.inspect<string[]>(`${SECTION}.peers`);
  const byAuthor = peers?.workspaceFolderValue ?? peers?.workspaceValue ?? peers?.globalValue;
  const found = peersAmong(extensions.all.map(({ id }) => id));
  return serverSettings(configuration.get(SECTION, {}), byAuthor, found, workspace.isTrusted);
}

/** Send the current settings to a running server. */
export async function sendSettings(client: LanguageClient): Promise<void> {
  await client.sendNotification(DidChangeConfigurationNotification.type, {
    settings: { [SECTION]: currentSettings() },
  });
}

/** A client that leaves reporting a failed start to the extension. */
export class Client extends LanguageClient {
  answered = false;
  /** Fires once the server knows that files have changed on disk. */
  readonly changedFiles = new EventEmitter<void>();
  /** The tasks whose progress the server reports. */
  private readonly tokens = new Set<ProgressToken>();

  /** Record that a task begins, continues or ends. */
  follow(token: ProgressToken, { kind }: { kind: string }): void {
    if (kind === 'end') this.tokens.delete(token);
    else this.tokens.add(token);
  }

  /** Ask the server to cancel the tasks whose progress it reports. */
  async stopWork(): Promise<void> {
    for (const token of this.tokens) {
      await this.sendNotification(WorkDoneProgressCancelNotification.type, { token });
    }
  }

  override error(message: string, data?: unknown, show?: boolean | 'force'): void {
    super.error(message, data, this.answered && show);
  }
}

/** Start a server and return its client; fail if the server ends before it answers. */
export async function startClient(
  { command, args }: Command,
  cwd: string,
  log: LogOutputChannel,
  added: AddedEntries,
  hint: DetailsHint,
): Promise<Client> {
  let rejectEnded: (error: Error) => void = () => undefined;
  const ended = new Promise<never>((_, reject) => {
    rejectEnded = reject;
  });
  // We listen only until the server runs: after that, the client restarts it and reports if that fails.
  ended.catch(() => undefined);
  // Spawned here, because the client does not report a server that ends immediately.
  const spawnServer = (): ChildProcess => {
    const server = spawn(command, args, { cwd, windowsHide: true });
    server.on('error', rejectEnded);
    server.on('exit', (code, signal) => {
      rejectEnded(new Error(`${command} ended with ${code ?? signal ?? 'an error'}`));
    });
    return server;
  };
  // The server needs a moment before it listens; create the client meanwhile.
  let first: ChildProcess | undefined = spawnServer();
  const nextServer = (): Promise<ChildProcess> => {
    const server = first ?? spawnServer();
    first = undefined;
    return Promise.resolve(server);
  };
  const options: LanguageClientOptions = {
    documentSelector: SYNCED,
    initializationOptions: currentSettings,
    // Links to pages of PDFs are commands of ours.
    markdown: { isTrusted: { enabledCommands: [OFFERED_BY_COMMAND.pinciteOpenPdf] } },
    outputChannel: log,
    traceOutputChannel: log,
    // Do not interrupt an author who is writing: the log opens on request.
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    // It would show the error itself.
    initializationFailedHandler: () => false,
    errorHandler: {
      // A failed write to a server that has just died must not prevent the next start;
      // it is logged, and an author can do nothing about it.
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () =>
        client.answered ? usual.closed() : { action: CloseAction.DoNotRestart, handled: true },
    },
    middleware: {
      didOpen: (document, next) => (isDocument(document) ? next(document) : Promise.resolve()),
      executeCommand: (command, args: unknown[], next) => {
        const execute = (): unknown => next(command, args) as unknown;
        if (command === ADD_ENTRY) return added.add(args[0], execute);
        return givesBibliography(command) ? givingBibliography(execute) : execute();
      },
      handleWorkDoneProgress: (token, params, next) => {
        client.follow(token, params);
        next(token, params);
      },
      provideHover: async (document, position, token, next) => {
        const hover = await next(document, position, token);
        if (hover) checkOff('support');
        return hover;
      },
      provideCompletionItem: async (document, position, context, token, next) => {
        const list = await next(document, position, context, token);
        const items = (Array.isArray(list) ? list : list?.items) ?? [];
        if (items.length) checkOff('suggestion');
        hint.showWith(items);
        return list;
      },
      workspace: {
        // The server does not know the extension's own settings; it gets the peers.
        configuration: async (params, token, next) => {
          const answers = await next(params, token);
          if (!Array.isArray(answers)) return answers;
          return params.items.map(({ section }, i) =>
            section === SECTION ? currentSettings() : (answers as unknown[])[i],
          );
        },
        didChangeConfiguration: () => sendSettings(client),
        didChangeWatchedFile: async (event, next) => {
          await next(event);
          client.changedFiles.fire();
        },
      },
    },
  };
  const client = new Client(SECTION, 'Pincite', nextServer, options);
  const usual = client.createDefaultErrorHandler();
  answerReading(client);
  client.registerFeature(experimental(await commands.getCommands(true)));
  const starting = client.start();
  try {
    await Promise.race([starting, ended]);
  } catch (error) {
    void starting.catch(() => undefined);
    void client.dispose().catch(() => undefined);
    throw error;
  }
  client.answered = true;
  return client;
}

function experimental(known: readonly string[]): StaticFeature {
  const offered = Object.entries(OFFERED_BY_COMMAND)
    .filter(([, command]) => known.includes(command))
    .map(([capability]) => [capability, true] as const);
  const flags = { ...Object.fromEntries(offered), pinciteStatus: true, pinciteWrongSettings: true, pinciteEntryAdded: true, pinciteReadFiles: true };
  return {
    fillClientCapabilities(capabilities: ClientCapabilities): void {
      capabilities.experimental = { ...(capabilities.experimental as object), ...flags };
    },
    initialize: () => undefined,
    getState: () => ({ kind: 'static' }),
    clear: () => undefined,
  };
}
