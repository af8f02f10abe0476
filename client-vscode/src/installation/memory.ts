/** What served last time: it is started at once, and only then is looked for the right one. */

import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Command } from './processes';

interface Remembered {
  readonly server: Command;
  readonly chosenBy: string;
}

/** Kept in a file, because the editor's own memory may be on another computer than the server. */
export class LastServer {
  private readonly file: string;

  constructor(
    folder: string,
    /** Tells the settings that choose a server: the last one counts as long as they are the same. */
    private readonly chosenBy: () => string,
  ) {
    this.file = path.join(folder, 'last-server.json');
  }

  /** Return it at once: when the editor starts, all that is waited for waits for the other extensions, too. */
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
