/** The command that serves agents, made from that of the language server. */

import type { Command } from './installation/processes';

/** Where papers are read, besides the folders of the drafts. */
export interface Papers {
  readonly folders: readonly string[];
  readonly zotero: string;
}

/** Return the command for some folders; undefined without folders, or if a setting names a server of another kind. */
export function agentTools({ command, args }: Command, folders: readonly string[], papers: Papers): Command | undefined {
  if (folders.length === 0 || args.at(-1) !== 'serve') return undefined;
  const library = papers.folders.flatMap((folder) => ['--library', folder]);
  return { command, args: [...args.slice(0, -1), 'mcp', ...library, '--zotero', papers.zotero, ...folders] };
}

/** Return a command that fails if the Python of a server lacks what serves agents; undefined if it is no Python of ours. */
export function needsOf({ command, args }: Command): Command | undefined {
  const isOurs = args[0] === '-I' && args.includes('-m');
  return isOurs ? { command, args: ['-I', '-c', 'import mcp'] } : undefined;
}
