/** Extends settings with folders, such as `pincite.library.folders`. */

import path from 'node:path';

import { expanded } from '../settings';

/** The current setting. */
export interface LibraryFolders {
  /** The effective value. */
  readonly folders: readonly string[];
  readonly byUser: boolean;
  readonly byWorkspace: boolean;
  /** The first folder of a trusted workspace, where relative paths start. */
  readonly workspaceFolder: string | undefined;
}

export interface Change {
  readonly level: 'user' | 'workspace';
  readonly folders: string[];
  /** The folders that are new. */
  readonly added: string[];
}

/** Return the setting with more folders, without duplicates, at a level where they take effect and hide nothing. */
export function withFolders(setting: LibraryFolders, chosen: readonly string[]): Change {
  const { folders, byUser, byWorkspace, workspaceFolder } = setting;
  const isInside = (folder: string): boolean => workspaceFolder !== undefined && contains(workspaceFolder, folder);
  const known = new Set(folders.map((folder) => resolved(folder, workspaceFolder)));
  const fresh = [...new Set(chosen.map((folder) => path.resolve(folder)))].filter((folder) => !known.has(folder));
  const level = byWorkspace || (!byUser && fresh.every(isInside)) ? 'workspace' : 'user';
  const added = fresh.map((folder) =>
    level === 'workspace' && workspaceFolder !== undefined && isInside(folder)
      ? path.relative(workspaceFolder, folder).split(path.sep).join('/') || '.'
      : folder,
  );
  return { level, folders: [...folders, ...added], added };
}

export function resolved(folder: string, workspaceFolder: string | undefined): string {
  return path.resolve(workspaceFolder ?? '', expanded(folder, workspaceFolder));
}

function contains(outer: string, inner: string): boolean {
  const way = path.relative(outer, inner);
  return !path.isAbsolute(way) && way.split(path.sep)[0] !== '..';
}
