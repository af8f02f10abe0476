/** Which base folder mends most missing files. */

import path from 'node:path';

/**
 * Return the base folder that a choice stands for, with how many files it mends; undefined if it mends none.
 *
 * A name such as `files/x.pdf` begins in the folder above the one that an author chooses.
 */
export async function baseFolder(
  chosen: string,
  missing: number,
  missingWith: (base: string) => Promise<number | undefined>,
): Promise<{ base: string; found: number } | undefined> {
  let best: { base: string; found: number } | undefined;
  for (const base of new Set([chosen, path.dirname(chosen)])) {
    const found = missing - ((await missingWith(base)) ?? missing);
    if (found > (best?.found ?? 0)) best = { base, found };
  }
  return best;
}
