/** How the details of a suggestion open: the editor hides them by default, and only its manual explains how. */

import { type CompletionItem, CompletionItemKind, type Memento } from 'vscode';

const SHOWN = 'showedDetailsHint';
const HINT = 'Ctrl+Space: details';

/** Puts the hint into the first row of each list of works, in the first window that shows one. */
export class DetailsHint {
  private readonly isNew: boolean;

  constructor(private readonly state: Memento) {
    this.isNew = state.get(SHOWN) !== true;
  }

  addTo(items: readonly CompletionItem[]): void {
    const first = items[0];
    // A row that acts needs no details.
    if (!this.isNew || first === undefined || typeof first.label === 'string' || first.kind === CompletionItemKind.Event) return;
    first.label.description = [first.label.description, HINT].filter(Boolean).join(' · ');
    void this.state.update(SHOWN, true);
  }
}
