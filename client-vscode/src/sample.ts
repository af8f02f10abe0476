/** The sample draft that comes with the extension: the author's own copy of it, and where to begin in it. */

import { constants } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';

/** The file of the sample to open. */
export const SAMPLE_DRAFT = 'survey.tex';

/** Copy the files of the sample that a folder lacks; those that are there are the author's, and stay as they are. */
export async function restoreSample(carried: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(carried, { withFileTypes: true })) {
    const [from, to] = [path.join(carried, entry.name), path.join(folder, entry.name)];
    if (entry.isDirectory()) await restoreSample(from, to);
    else await copyFile(from, to, constants.COPYFILE_EXCL).catch(ignoreExisting);
  }
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

/** Return the offset between the braces of the first empty citation of a draft, if it has one; comments do not count. */
export function firstGap(text: string): number | undefined {
  const found = /^[^%\n]*?\\[cC]ite\w*\{(?=\})/m.exec(text);
  return found ? found.index + found[0].length : undefined;
}
