/** Remembers the last server: it is started at once, and checked afterwards. */

import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Command } from './processes';

interface Remembered {
  readonly server: Command;
  readonly chosenBy: string;
}

/** Stored in a file, because the editor's storage may be on a different computer from the server. */
export class LastServer {
  private readonly file: string;

  constructor(
    folder: string,
    /** Identifies the settings that choose a server: the last one is valid while they are unchanged. */
    private readonly chosenBy: () => string,
  ) {
    this.file = path.join(folder, 'last-server.json');
  }

  /** Read synchronously: at start-up, anything asynchronous waits for all other extensions. */
  recall(): Command | undefined {
    try {
      const last = JSON.parse(readFileSync(this.file, 'utf8')) as Remembered;
      return last.chosenBy === this.chosenBy() ? last.server : undefined;
    } catch {
      return undefined;
    }
  }

  async remember(server: Command | undefined): Promise<void> {
    if (!server) {
      await rm(this.file, { force: true });
      return;
    }
    const last: Remembered = { server, chosenBy: this.chosenBy() };
    await writeFile(this.file, JSON.stringify(last));
  }
}

export function isSame(one: Command, other: Command): boolean {
  return JSON.stringify([one.command, one.args]) === JSON.stringify([other.command, other.args]);
}
