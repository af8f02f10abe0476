/** Follows a text in a document while the document changes. */

/** A change, as the editor describes it: changes of one event apply one after the other. */
export interface Change {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

export class TrackedText {
  constructor(
    /** Where it starts, in UTF-16 code units. */
    private start: number,
    readonly text: string,
  ) {}

  get range(): { start: number; end: number } {
    return { start: this.start, end: this.start + this.text.length };
  }

  /** Follow changes; those that touch the text itself may leave something else in its place (see `isIn`). */
  follow(changes: readonly Change[]): void {
    for (const { rangeOffset, rangeLength, text } of changes) {
      if (rangeOffset + rangeLength <= this.start) this.start += text.length - rangeLength;
    }
  }

  /** Whether the text is still where it was in a document with this content. */
  isIn(content: string): boolean {
    return content.startsWith(this.text, this.start);
  }
}
