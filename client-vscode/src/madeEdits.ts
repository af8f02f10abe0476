/** Edits as they are made, which can be taken back one by one while their texts are still there. */

import { type Disposable, Range, type TextDocument, workspace, WorkspaceEdit } from 'vscode';

import { TrackedText } from './trackedText';

interface MadeEdit {
  readonly document: TextDocument;
  readonly text: TrackedText;
  readonly replaced: string;
}

/** Records the edits of all documents until `end`, and follows their texts from then on. */
export class MadeEdits implements Disposable {
  private made: MadeEdit[] = [];
  private readonly before = new Map(workspace.textDocuments.map((document) => [document, document.getText()]));
  private hasEnded = false;
  private readonly listening: Disposable;

  constructor() {
    this.listening = workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const text = this.before.get(document);
      // The editor makes several changes of one edit, the last in the text first: each moves those after it.
      for (const change of contentChanges) {
        for (const edit of this.made) if (isOf(edit, document)) edit.text.follow([change]);
        if (this.hasEnded) continue;
        const { rangeOffset: start, rangeLength: length, text: written } = change;
        const replaced = text?.slice(start, start + length) ?? '';
        this.made.push({ document, text: new TrackedText(start, written), replaced });
      }
      if (this.hasEnded) return;
      this.before.set(document, document.getText());
    });
  }

  get documents(): ReadonlySet<TextDocument> {
    return new Set(this.made.map(({ document }) => document));
  }

  end(): void {
    this.hasEnded = true;
    this.before.clear();
  }

  /** Take back the edits whose texts are still there; return the documents in which that was done, as they are now. */
  async takeBack(): Promise<ReadonlySet<TextDocument>> {
    const { made } = this;
    this.made = [];
    const documents = new Set<TextDocument>();
    for (const { document } of made) documents.add(await reopened(document));
    // One edit for each file: the editor asks before it undoes one of several files.
    for (const document of documents) {
      const content = document.getText();
      const edits = made.filter((edit) => isOf(edit, document) && edit.text.isIn(content));
      if (edits.length === 0) {
        documents.delete(document);
        continue;
      }
      const back = new WorkspaceEdit();
      for (const { text, replaced } of edits) {
        const { start, end } = text.range;
        back.replace(document.uri, new Range(document.positionAt(start), document.positionAt(end)), replaced);
      }
      await workspace.applyEdit(back);
    }
    return documents;
  }

  dispose(): void {
    this.listening.dispose();
  }
}

/** Return the document that a file has now: the editor closes what it does not show. That of a file that is gone stays. */
export async function reopened(document: TextDocument): Promise<TextDocument> {
  return Promise.resolve(workspace.openTextDocument(document.uri)).catch(() => document);
}

/** Whether an edit was made in a document, which may have been closed and opened since. */
function isOf(edit: MadeEdit, document: TextDocument): boolean {
  return edit.document.uri.toString() === document.uri.toString();
}
