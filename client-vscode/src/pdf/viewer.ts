/** The author's own PDF viewer: the setting `pincite.pdfViewer`. */

import type { Command } from '../installation/processes';
import { expanded } from '../settings';

/** Return the command that shows a page in the author's viewer; undefined if the setting is empty. */
export function viewerCommand(
  setting: unknown,
  file: string,
  page: number,
  workspaceFolder: string | undefined,
): Command | undefined {
  if (!Array.isArray(setting)) return undefined;
  const [command = '', ...args] = setting
    .filter((part): part is string => typeof part === 'string')
    .map((part) => expanded(part.trim(), workspaceFolder));
  if (command === '') return undefined;
  const filled = args.map((arg) => arg.replace(/\{(file|page)\}/g, (_, name) => (name === 'file' ? file : `${page}`)));
  return { command, args: args.some((arg) => arg.includes('{file}')) ? filled : [...filled, file] };
}
