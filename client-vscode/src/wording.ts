/** Helpers for messages to the author. */

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Return a text on one line, truncated at a word boundary. */
export function shortened(text: string, length: number): string {
  const line = onOneLine(text);
  if (line.length <= length) return line;
  const end = line.lastIndexOf(' ', length - 1);
  return `${line.slice(0, end > 0 ? end : length - 1)}…`;
}

/** Escape `$(name)`, which the editor would render as an icon, but which is mathematics in titles. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** Return an error's message for the author. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
