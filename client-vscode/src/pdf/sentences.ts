/** Finding a sentence in a text that has it with other line breaks, hyphens, ligatures or markup. */

export interface Found {
  /** In UTF-16 code units. */
  readonly index: number;
  readonly length: number;
}

/** Letters and digits that stand together elsewhere hardly by chance. */
const LEAST = 30;

/** Return where a sentence stands in a text: one piece, or several where other text comes in between. */
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

/** The longest beginning of what is left of the sentence that stands in the text. */
function longestPiece({ letters }: Letters, from: number, text: string, after: number): Found | undefined {
  const rest = letters.slice(from);
  let [index, low, high] = [-1, Math.min(LEAST, letters.length), rest.length];
  if (low === 0) return undefined;
  // What is found of some length is found of each shorter one.
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
  /** Where the character of each of them begins and ends in the text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Where the first word at or after one of them begins. */
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

/** A ligature in its letters, a letter without its accent, all in lower case. */
function simple(character: string): string {
  return character.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}
