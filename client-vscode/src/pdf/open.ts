/** The command that opens a full text at the page, or at the sentence, that supports a claim. */

import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';

import { commands, Disposable, type ExtensionContext, Range, Uri, window, workspace } from 'vscode';

import type { Command } from '../installation/processes';
import type { Log } from '../log';
import { SECTION } from '../settings';
import { PdfPanels } from './panel';
import { type FullTextPlace, placeIn } from './place';
import { findSentence } from './sentences';
import { viewerCommand } from './viewer';

const OPEN_SETTINGS = 'Open settings';

/** Register the command `pincite.openPdf`. */
export function registerOpenPdf(context: ExtensionContext, log: Log): Disposable {
  const panels = new PdfPanels(Uri.joinPath(context.extensionUri, 'dist/pdf'));
  const cwd = context.globalStorageUri.fsPath;
  return Disposable.from(
    panels,
    window.registerWebviewPanelSerializer(PdfPanels.viewType, panels),
    commands.registerCommand('pincite.openPdf', async (argument: unknown) => {
      const place = placeIn(argument);
      if (!place) {
        log.warn(`no place in a full text: ${JSON.stringify(argument)}`);
        return;
      }
      // The hover with the link would cover the opened PDF.
      void commands.executeCommand('editor.action.hideHover').then(undefined, () => undefined);
      try {
        await openAt(place, panels, cwd, log);
      } catch (error) {
        void window.showErrorMessage(`Pincite: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  );
}

async function openAt(place: FullTextPlace, panels: PdfPanels, cwd: string, log: Log): Promise<void> {
  const file = Uri.parse(place.uri);
  if (!(await isPdf(file))) {
    await openText(file, place, panels);
    return;
  }
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const setting: unknown = workspace.getConfiguration(SECTION).get('pdfViewer');
  const viewer = viewerCommand(setting, file.fsPath, place.page ?? 1, folder);
  if (viewer) start(viewer, cwd, log);
  else panels.show(file, place);
}

/** Return whether an existing file is a PDF; fail if only its name is that of one. */
async function isPdf(file: Uri): Promise<boolean> {
  const head = Buffer.alloc(1024);
  try {
    const opened = await open(file.fsPath);
    await opened.read(head).finally(() => opened.close());
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Error(missing ? `${file.fsPath} does not exist.` : `${file.fsPath} cannot be read.`, { cause: error });
  }
  if (head.includes('%PDF-')) return true;
  if (/\.pdf$/i.test(file.path)) throw new Error(`${file.fsPath} is not a PDF, or is damaged.`);
  return false;
}

async function openText(file: Uri, { sentence }: FullTextPlace, panels: PdfPanels): Promise<void> {
  const document = await workspace.openTextDocument(file);
  const found = sentence === undefined ? [] : findSentence(sentence, document.getText());
  const [first, last] = [found[0], found.at(-1)];
  await window.showTextDocument(document, {
    viewColumn: panels.column,
    ...(first && last && {
      selection: new Range(document.positionAt(first.index), document.positionAt(last.index + last.length)),
    }),
  });
}

function start({ command, args }: Command, cwd: string, log: Log): void {
  log.info(`PDF viewer: ${[command, ...args].join(' ')}`);
  const viewer = spawn(command, args, { cwd, detached: true, stdio: 'ignore' });
  viewer.unref();
  viewer.on('error', (error) => {
    log.error(String(error));
    void showNotStarted(command);
  });
  viewer.on('exit', (code) => {
    if (code !== 0) log.warn(`${command} ended with ${code ?? 'a signal'}`);
  });
}

async function showNotStarted(command: string): Promise<void> {
  const message = `Pincite: the PDF viewer “${command}” does not start. Choose another one in the settings.`;
  if ((await window.showErrorMessage(message, OPEN_SETTINGS)) === OPEN_SETTINGS) {
    await commands.executeCommand('workbench.action.openSettings', 'pincite.pdfViewer');
  }
}
