/** Moves positions through edits. */

interface Position {
  line: number;
  character: number;
}

interface Change {
  range: { start: Position; end: Position };
  text: string;
}

/** Return a position after changes, which are ordered from the end of the text to its start. */
export function moved(position: Position, changes: readonly Change[]): Position {
  return changes.reduce(movedByOne, position);
}

function movedByOne(position: Position, { range: { start, end }, text }: Change): Position {
  if (before(position, end)) return before(start, position) ? start : position;
  const lines = text.split('\n');
  const line = position.line - end.line + start.line + lines.length - 1;
  if (position.line > end.line) return { line, character: position.character };
  const from = (lines.length === 1 ? start.character : 0) + (lines.at(-1) ?? '').length;
  return { line, character: from + position.character - end.character };
}

function before(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
