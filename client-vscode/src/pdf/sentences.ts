/** Finds a sentence in a text with different line breaks, hyphens, ligatures or markup. */

export interface Found {
  /** In UTF-16 code units. */
  readonly index: number;
  readonly length: number;
}

/** A run of this many letters and digits hardly occurs elsewhere by chance. */
const MIN_PREFIX = 30;

/** Return where a sentence is in a text: one piece, or several if other text intervenes. */
export function findSentence(sentence: string, text: string): Found[] {
  const wanted = lettersOf(sentence);
  const there = lettersOf(text);
  const found: Found[] = [];
  let [from, after] = [0, 0];
  while (from < wanted.letters.length) {
    const piece = longestPiece(wanted, from, there.letters, after);
    if (piece) {
      const start = there.starts[piece.index] ?? 0;
      found.push({ index: start, length: (there.ends[piece.index + piece.length - 1] ?? start) - start });
      after = piece.index + piece.length;
    }
    from = wanted.wordAfter(from + (piece?.length ?? 1));
  }
  return found;
}

/** The longest prefix of the rest of the sentence that occurs in the text. */
function longestPiece({ letters }: Letters, from: number, text: string, after: number): Found | undefined {
  const rest = letters.slice(from);
  let [index, low, high] = [-1, Math.min(MIN_PREFIX, letters.length), rest.length];
  if (low === 0) return undefined;
  // If a prefix occurs, so does every shorter one.
  while (low <= high) {
    const length = high === rest.length && index === -1 ? high : Math.floor((low + high) / 2);
    const at = text.indexOf(rest.slice(0, length), after);
    if (at >= 0) [index, low] = [at, length + 1];
    else high = length - 1;
  }
  return index < 0 ? undefined : { index, length: low - 1 };
}

interface Letters {
  readonly letters: string;
  /** The start and end in the text of each character. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The start of the first word at or after each character. */
  wordAfter(letter: number): number;
}

function lettersOf(text: string): Letters {
  const letters: string[] = [];
  const [starts, ends, words]: [number[], number[], number[]] = [[], [], []];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    words.push(letters.length);
    let start = index;
    for (const character of word) {
      for (const letter of simple(character).split('')) {
        letters.push(letter);
        starts.push(start);
        ends.push(start + character.length);
      }
      start += character.length;
    }
  }
  return {
    letters: letters.join(''),
    starts,
    ends,
    wordAfter: (letter) => words.find((word) => word >= letter) ?? letters.length,
  };
}

/** Expand ligatures, remove accents, and convert to lower case. */
function simple(character: string): string {
  return character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
