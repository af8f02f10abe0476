/** Letters that an editor loses when it reads a file in another encoding than its own. */

/** What an editor shows for bytes that it cannot decode. */
const LOST = '\ufffd';
const LOST_BYTES = Buffer.from(LOST).toString('latin1');

/** Return whether a text has more lost letters than the file that it was read from: saving it would lose them there, too. */
export function losesLetters(text: string, file: Uint8Array): boolean {
  return count(text, LOST) > count(Buffer.from(file).toString('latin1'), LOST_BYTES);
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
