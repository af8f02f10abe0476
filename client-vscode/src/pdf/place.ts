/** A place in a full text: the argument of the command `pincite.openPdf`. */

export interface FullTextPlace {
  readonly uri: string;
  /** Page of the PDF, from 1. */
  readonly page?: number;
  readonly sentence?: string;
}

/** Parse an argument into a place; the page may be in the URI: `…pdf#page=7`. */
export function placeIn(argument: unknown): FullTextPlace | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const { uri: address, page: given, sentence } = argument as Record<string, unknown>;
  if (typeof address !== 'string') return undefined;
  const [uri = '', fragment] = address.split('#', 2);
  if (!/^[a-z][a-z0-9+.-]*:./i.test(uri)) return undefined;
  const page = pageNumber(given) ?? pageNumber(Number(/(?:^|&)page=(\d+)/.exec(fragment ?? '')?.[1]));
  return {
    uri,
    ...(page !== undefined && { page }),
    ...(typeof sentence === 'string' && sentence.trim() !== '' && { sentence }),
  };
}

function pageNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 1 ? (value as number) : undefined;
}
