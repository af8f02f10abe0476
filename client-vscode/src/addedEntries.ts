/** Entries of the author's library that are copied into a bibliography: shows a message, saves it, and undoes it. */

import path from 'node:path';

import { commands, Disposable, Range, type TextDocument, TextDocumentChangeReason, Uri, window, workspace, WorkspaceEdit } from 'vscode';

import { isDraft } from './languages';
import { losesLetters } from './lostLetters';
import { MadeEdits, reopened } from './madeEdits';
import { TrackedText } from './trackedText';
import type { AddedEntry } from './wire';

/** The server's command that copies an entry. */
export const ADD_ENTRY = 'pincite.addEntry';

/** A key that was put into a draft together with the entry. */
interface Cited {
  readonly draft: TextDocument;
  readonly key: TrackedText;
}

interface Addition extends AddedEntry {
  readonly cited: Cited | undefined;
  isTakenBack: boolean;
}

export class AddedEntries implements Disposable {
  /** The last addition, for which undoing the citation in the draft also takes back the entry. */
  private last: Addition | undefined;
  /** Of citations whose entries are being added, too. */
  private readonly followed = new Set<Cited>();
  private readonly listening: Disposable;

  constructor() {
    this.listening = workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) => {
      for (const cited of this.followed) {
        if (cited.draft === document) cited.key.follow(contentChanges);
      }
      const { last } = this;
      if (last?.cited?.draft !== document || last.cited.key.isIn(document.getText())) return;
      this.forget(last);
      if (reason === TextDocumentChangeReason.Undo) void takeBackEntry(last).then(hideWhatWasAdded);
    });
  }

  /** Have the server copy an entry; the argument is that of its command. */
  async add(argument: unknown, execute: () => unknown): Promise<void> {
    const cited = citedBefore(argument);
    if (cited) this.followed.add(cited);
    const unsaved = unsavedDocuments();
    const added = (await execute()) as AddedEntry | null | undefined;
    if (!added) {
      if (cited) this.followed.delete(cited);
      return;
    }
    if (this.last) this.forget(this.last);
    const addition = (this.last = { ...added, cited, isTakenBack: false });
    const uri = Uri.parse(added.uri, true);
    const bibliography = await workspace.openTextDocument(uri);
    if (!unsaved.has(bibliography)) await save(bibliography);
    const undo = 'Undo';
    const answer = await window.showInformationMessage(addedMessage(added.key, uri), undo);
    if (answer === undo) await this.takeBack(addition);
  }

  dispose(): void {
    this.listening.dispose();
  }

  /** Take back the citation, if it still is in the draft, and the entry. */
  private async takeBack(addition: Addition): Promise<void> {
    const { cited } = addition;
    const isCited = cited && this.followed.has(cited) && cited.key.isIn(cited.draft.getText());
    this.forget(addition);
    // One edit for each file: the editor asks before it undoes one of several files.
    if (isCited) await remove(cited.draft, cited.key.range);
    await takeBackEntry(addition);
  }

  private forget(addition: Addition): void {
    if (addition.cited) this.followed.delete(addition.cited);
    if (this.last === addition) this.last = undefined;
  }
}

/** Cite with one edit that may also add the entry; save a bibliography that was saved before, show a message, and offer to undo both. */
export async function savingEntry(key: string, cite: () => Promise<boolean>): Promise<boolean> {
  const unsaved = unsavedDocuments();
  const edits = new MadeEdits();
  let isCited = false;
  try {
    isCited = await cite();
  } finally {
    edits.end();
    const bibliographies = [...edits.documents].filter((document) => !isDraft(document));
    void offerUndo(key, edits, bibliographies, unsaved).finally(() => {
      edits.dispose();
    });
  }
  return isCited;
}

async function offerUndo(
  key: string,
  edits: MadeEdits,
  bibliographies: readonly TextDocument[],
  unsaved: ReadonlySet<TextDocument>,
): Promise<void> {
  const [bibliography] = bibliographies;
  if (!bibliography) return;
  if (!unsaved.has(bibliography)) await save(bibliography);
  const undo = 'Undo';
  if ((await window.showInformationMessage(addedMessage(key, bibliography.uri), undo)) !== undo) return;
  const now = await reopened(bibliography);
  const wasSaved = !now.isDirty;
  const changed = await edits.takeBack();
  if (!changed.has(now)) void window.showInformationMessage(entryStaysMessage(key, bibliography.uri));
  else if (wasSaved) await save(now);
}

/** Save a bibliography, unless letters of it would be lost that its file has. */
async function save(bibliography: TextDocument): Promise<void> {
  // A file that is gone has no letters to lose.
  const bytes = await Promise.resolve(workspace.fs.readFile(bibliography.uri)).catch(() => new Uint8Array());
  if (!losesLetters(bibliography.getText(), bytes)) {
    await bibliography.save();
    return;
  }
  const name = path.basename(bibliography.uri.fsPath);
  void window.showWarningMessage(
    `Pincite did not save ${name}: it is not in UTF-8, and its accented letters would be lost. Revert the file, ` +
      'then reopen it with its encoding or save it as UTF-8.',
  );
}

function addedMessage(key: string, bibliography: Uri): string {
  return `Added ${key} to ${path.basename(bibliography.fsPath)}.`;
}

function entryStaysMessage(key: string, bibliography: Uri): string {
  return `${key} stays in ${path.basename(bibliography.fsPath)}: it has been changed there.`;
}

function unsavedDocuments(): Set<TextDocument> {
  return new Set(workspace.textDocuments.filter(({ isDirty }) => isDirty));
}

/** Remove an entry from its bibliography, unless it was changed there; save what was saved. */
async function takeBackEntry(addition: Addition): Promise<void> {
  const { key, uri, text, isTakenBack } = addition;
  // The message with the button stays while the author undoes the citation in the draft.
  if (isTakenBack) return;
  addition.isTakenBack = true;
  const bibliography = await workspace.openTextDocument(Uri.parse(uri, true));
  const start = bibliography.getText().indexOf(text);
  if (start < 0) {
    void window.showInformationMessage(entryStaysMessage(key, bibliography.uri));
    return;
  }
  const wasSaved = !bibliography.isDirty;
  const removed = await remove(bibliography, { start, end: start + text.length });
  if (removed && wasSaved) await save(bibliography);
}

/** The message that the entry was added is true no more; the editor can only hide all that it shows. */
function hideWhatWasAdded(): void {
  void commands.executeCommand('notifications.hideToasts');
}

function remove(document: TextDocument, { start, end }: { start: number; end: number }): Thenable<boolean> {
  const edit = new WorkspaceEdit();
  edit.delete(document.uri, new Range(document.positionAt(start), document.positionAt(end)));
  return workspace.applyEdit(edit);
}

/** Return the text before the cursor if it is what an accepted suggestion has just put there. */
function citedBefore(argument: unknown): Cited | undefined {
  const { cited } = (argument ?? {}) as { cited?: unknown };
  const { document: draft, selection } = window.activeTextEditor ?? {};
  if (typeof cited !== 'string' || !draft || !selection) return undefined;
  const key = new TrackedText(draft.offsetAt(selection.active) - cited.length, cited);
  return key.isIn(draft.getText()) ? { draft, key } : undefined;
}
