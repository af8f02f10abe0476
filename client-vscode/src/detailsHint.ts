/** How the details of a suggestion open: the editor hides them by default, and only its manual explains how. */

import { type CompletionItem, CompletionItemKind, type Memento, window } from 'vscode';

const SHOWN = 'showedDetailsHint';
const HINT = 'Press Ctrl+Space in the list to see why a work fits';
const SHOWN_MS = 120_000;

/** Shows this once, in the status bar: beside a title, a row has no room for it. */
export class DetailsHint {
  constructor(private readonly state: Memento) {}

  /** Show it with the first list of works. */
  showWith(items: readonly CompletionItem[]): void {
    // Rows that act have little in their details.
    if (this.state.get(SHOWN) === true || !items.some(({ kind }) => kind !== CompletionItemKind.Event)) return;
    void this.state.update(SHOWN, true);
    window.setStatusBarMessage(HINT, SHOWN_MS);
  }
}
