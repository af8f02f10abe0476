/** “Report a problem”: collect diagnostic information in a document that the author can review. */

import os from 'node:os';

import { commands, type Disposable, env, type Extension, extensions, Position, Range, UIKind, Uri, version, window, workspace } from 'vscode';

import { isPeer } from '../peers';
import type { Server } from '../server';
import type { Setup } from '../setup';
import type { Status } from '../wire';
import { within } from '../within';
import { type Facts, reportText, type Setting } from './reportText';

/** Do not wait long: reports are needed most when the server does not answer. */
const PATIENCE_MS = 3_000;

export function registerReport(
  server: Server,
  extension: Extension<unknown>,
  found: () => Setup['found'],
): Disposable {
  return commands.registerCommand('pincite.report', async () => {
    const facts = await factsOf(server, extension.packageJSON as Manifest, found());
    const document = await workspace.openTextDocument({ language: 'markdown', content: reportText(facts) });
    const below = new Position(1, 0);
    await window.showTextDocument(document, { selection: new Range(below, below) });
    const page = (extension.packageJSON as Manifest).bugs?.url;
    const copy = page === undefined ? 'Copy' : 'Copy and Open the Page';
    const answer = await window.showInformationMessage('Add what happened, then copy the report into an issue.', copy);
    if (answer !== copy) return;
    await env.clipboard.writeText(document.getText());
    if (page !== undefined) await env.openExternal(Uri.parse(page, true));
  });
}

interface Manifest {
  version: string;
  /** The page for issues, of a build that names one. */
  bugs?: { url?: string };
  contributes: { configuration: { properties: Record<string, Setting['schema']> }[] };
}

async function factsOf(server: Server, manifest: Manifest, found: Setup['found']): Promise<Facts> {
  const kind = env.uiKind === UIKind.Web ? 'in a browser' : 'on the desktop';
  return {
    extension: manifest.version,
    server: { state: server.state, version: server.version, from: found?.from, python: found?.python },
    editor: `${env.appName} ${version} ${kind}`,
    system: `${os.type()} ${/^[\d.]*/.exec(os.release())?.[0] ?? ''} ${process.arch}`,
    remote: env.remoteName,
    trusted: workspace.isTrusted,
    folders: workspace.workspaceFolders?.length ?? 0,
    peers: extensions.all
      .filter(({ id }) => isPeer(id))
      .map(({ id, packageJSON }) => `${id} ${(packageJSON as Manifest).version}`),
    status: await statusOf(server),
    settings: settingsOf(manifest),
  };
}

/** Errors may name files: the report states only that there was one. */
async function statusOf(server: Server): Promise<Status | string> {
  try {
    return (await within(PATIENCE_MS, () => server.status())) ?? 'no server to ask';
  } catch {
    return 'the server did not answer';
  }
}

function settingsOf({ contributes }: Manifest): Setting[] {
  const configuration = workspace.getConfiguration();
  return contributes.configuration
    .flatMap(({ properties }) => Object.entries(properties))
    .map(([name, schema]) => ({ name, schema, value: configuration.get(name) }));
}
