/** “Open the sample thesis”: a draft to try Pincite on, with the cursor where a citation is missing. */

import path from 'node:path';

import { commands, Disposable, type ExtensionContext, Selection, type TextEditor, Uri, window, workspace } from 'vscode';

import { firstGap, restoreSample, SAMPLE_DRAFT } from '../sample';
import type { Server } from '../server';
import { messageOf } from '../wording';

/** The list shows works ranked by their titles until the papers are read; this is how long it waits for the papers. */
const PATIENCE_MS = 10_000;

export function registerOpenSample(context: ExtensionContext, server: Server): Disposable {
  const carried = path.join(context.extensionPath, 'bundled', 'sample');
  const folder = path.join(context.globalStorageUri.fsPath, 'sample');
  let waiting: Disposable | undefined;
  const opening = commands.registerCommand('pincite.openSample', async () => {
    try {
      await restoreSample(carried, folder);
    } catch (error) {
      void window.showErrorMessage(`The sample could not be copied to ${folder}. ${messageOf(error)}`);
      return;
    }
    const document = await workspace.openTextDocument(Uri.file(path.join(folder, SAMPLE_DRAFT)));
    await commands.executeCommand('pincite.evidenceView.focus', { preserveFocus: true });
    const editor = await window.showTextDocument(document, { preview: false });
    const gap = firstGap(document.getText());
    if (gap === undefined) return;
    const place = document.positionAt(gap);
    editor.selection = new Selection(place, place);
    editor.revealRange(editor.selection);
    waiting?.dispose();
    waiting = whenRead(server, document.uri, () => { suggest(editor); });
  });
  return Disposable.from(opening, { dispose: () => { waiting?.dispose(); } });
}

/** Call `then` once, when the server runs and has read the papers of a draft, or has had time enough for that. */
function whenRead(server: Server, uri: Uri, then: () => void): Disposable {
  const parts: { dispose(): void }[] = [];
  const stop = (): void => { for (const part of parts.splice(0)) part.dispose(); };
  let timer: NodeJS.Timeout | undefined;
  const finish = (): void => {
    if (parts.length === 0) return;
    stop();
    then();
  };
  const look = async (): Promise<void> => {
    if (server.state !== 'running') return;
    timer ??= setTimeout(finish, PATIENCE_MS);
    const status = await server.status(uri).catch(() => undefined);
    if (status?.state === 'ready' && status.entries > 0) finish();
  };
  parts.push(
    server.onDidChangeState(() => void look()),
    server.onDidReadPapers(({ done }) => { if (done >= 1) void look(); }),
    { dispose: () => { clearTimeout(timer); } },
  );
  void look();
  return new Disposable(stop);
}

/** Ask for the list, unless the author has gone elsewhere meanwhile. */
function suggest(editor: TextEditor): void {
  const { document, selection } = window.activeTextEditor ?? {};
  if (document !== editor.document || !selection?.isEmpty) return;
  if (firstGap(document.getText()) !== document.offsetAt(selection.active)) return;
  void commands.executeCommand('editor.action.triggerSuggest');
}
