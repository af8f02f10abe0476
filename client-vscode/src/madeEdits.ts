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
      for (const edit of this.made) if (edit.document === document) edit.text.follow(contentChanges);
      if (this.hasEnded) return;
      const text = this.before.get(document);
      for (const { rangeOffset: start, rangeLength: length, text: written } of contentChanges) {
        const replaced = text?.slice(start, start + length) ?? '';
        this.made.push({ document, text: new TrackedText(start, written), replaced });
      }
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

  /** Take back the edits whose texts are still there; return the documents in which that was done. */
  async takeBack(): Promise<ReadonlySet<TextDocument>> {
    const edits = this.made.filter(({ document, text }) => text.isIn(document.getText()));
    const documents = new Set(edits.map(({ document }) => document));
    this.made = [];
    // One edit for each file: the editor asks before it undoes one of several files.
    for (const document of documents) {
      const back = new WorkspaceEdit();
      for (const { text, replaced } of edits.filter((edit) => edit.document === document)) {
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
