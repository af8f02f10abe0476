/** The place that the views follow: the cursor in the last active draft. */

import { type Disposable, EventEmitter, Position, type TextEditor, window, workspace } from 'vscode';

import { isDraft, isServed } from './languages';
import { moved } from './moved';
import type { Place } from './server';

export class FollowedPlace implements Disposable {
  private place: Place | undefined;
  private readonly moves = new EventEmitter<void>();
  private readonly listening: { dispose(): void }[];

  /** Fired when the place, the text around it or a bibliography has changed. */
  readonly onDidMove = this.moves.event;

  constructor() {
    const editors = [window.activeTextEditor, ...window.visibleTextEditors];
    const draft = editors.find((editor) => editor && isDraft(editor.document));
    this.place = draft && placeIn(draft);
    this.listening = [
      this.moves,
      // If another file is active, such as a paper, the view stays with the draft.
      window.onDidChangeActiveTextEditor((editor) => { if (editor) this.follow(editor); }),
      // Also a document that becomes a draft by a change of its language.
      workspace.onDidOpenTextDocument((document) => {
        const editor = window.activeTextEditor;
        if (editor?.document === document) this.follow(editor);
      }),
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === window.activeTextEditor) this.follow(textEditor);
      }),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (!isServed(document) || contentChanges.length === 0 || !this.place) return;
        const { uri, position } = this.place;
        if (uri.toString() !== document.uri.toString()) this.moves.fire();
        else this.go({ uri, position: at(moved(position, contentChanges)) });
      }),
      workspace.onDidCloseTextDocument(({ uri }) => {
        if (this.place?.uri.toString() === uri.toString()) this.go(undefined);
      }),
    ];
  }

  get current(): Place | undefined {
    return this.place;
  }

  /** Stay at this place until the cursor moves. */
  go(place: Place | undefined): void {
    this.place = place;
    this.moves.fire();
  }

  dispose(): void {
    for (const one of this.listening) one.dispose();
  }

  private follow(editor: TextEditor): void {
    if (isDraft(editor.document)) this.go(placeIn(editor));
  }
}

/** A place that stays with its text while the author goes on writing. */
export class MovingPlace implements Disposable {
  private readonly listening: Disposable;

  constructor(public current: Place) {
    this.listening = workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const { uri, position } = this.current;
      if (document.uri.toString() === uri.toString()) this.current = { uri, position: at(moved(position, contentChanges)) };
    });
  }

  dispose(): void {
    this.listening.dispose();
  }
}

/** Return the cursor of an editor. */
export function placeIn({ document, selection }: TextEditor): Place {
  return { uri: document.uri, position: selection.active };
}

/** Return a position as the editor has it. */
function at({ line, character }: { line: number; character: number }): Position {
  return new Position(line, character);
}
