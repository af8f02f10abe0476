/** “Save report of the claim check…”: the report that the server writes, as an HTML page or as Markdown. */

import path from 'node:path';

import { type CancellationToken, env, type Progress, ProgressLocation, Uri, window, workspace } from 'vscode';

import type { CheckedDraft, ReportFormat } from '../wire';
import { messageOf } from '../wording';

type Check = (report: ReportFormat, progress: Progress<{ increment: number }>, token: CancellationToken) => Promise<CheckedDraft | undefined>;

/** Ask for a file, and write the report of the draft of a document into it. */
export async function saveReport(draft: Uri, check: Check): Promise<void> {
  const name = `${path.parse(draft.path).name}-check.html`;
  const file = await window.showSaveDialog({
    title: 'Save the report of the claim check',
    defaultUri: draft.scheme === 'file' ? Uri.joinPath(draft, '..', name) : Uri.file(name),
    filters: { 'Web page': ['html'], Markdown: ['md'] },
  });
  if (!file) return;
  const format = /\.(md|markdown)$/i.test(file.path) ? 'markdown' : 'html';
  const options = { location: ProgressLocation.Notification, title: 'Checking what the draft cites', cancellable: true };
  const found = await window.withProgress(options, (progress, token) => check(format, progress, token));
  if (found?.report === undefined) return;
  try {
    await workspace.fs.writeFile(file, Buffer.from(found.report));
  } catch (error) {
    void window.showErrorMessage(`The report could not be saved. ${messageOf(error)}`);
    return;
  }
  const open = 'Open';
  if ((await window.showInformationMessage(`The report is saved as “${path.basename(file.path)}”.`, open)) !== open) return;
  if (format === 'markdown') await window.showTextDocument(file);
  else await env.openExternal(file);
}
