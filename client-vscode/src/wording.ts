/** Small parts of what is said to an author. */

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Return how far something is, from 0 to 1, in percent. */
export function percent(done: number): string {
  return `${Math.round(Math.min(Math.max(done, 0), 1) * 100)} %`;
}

export function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Return a text on one line, cut at a word where it is longer than this. */
export function shortened(text: string, length: number): string {
  const line = onOneLine(text);
  if (line.length <= length) return line;
  const end = line.lastIndexOf(' ', length - 1);
  return `${line.slice(0, end > 0 ? end : length - 1)}…`;
}

/** Return a text for where the editor would draw an icon for `$(name)`, which is mathematics in titles. */
export function withoutIcons(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** Return what an error says to an author. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
