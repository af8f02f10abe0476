/** What the server cannot read itself: files and folders of the file systems of other extensions. */

import { FileSystemError, FileType, Uri, workspace } from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

/** The largest bibliographies have some fifty megabytes. */
const MAX_BYTES = 64 * 2 ** 20;

export function answerReading(client: LanguageClient): void {
  client.onRequest('pincite/readFile', ({ uri }: { uri: string }) => ifThere(async () => {
    const file = Uri.parse(uri, true);
    if ((await workspace.fs.stat(file)).size > MAX_BYTES) return null;
    return { base64: Buffer.from(await workspace.fs.readFile(file)).toString('base64') };
  }));
  client.onRequest('pincite/readFolder', ({ uri }: { uri: string }) => ifThere(async () => {
    const entries = await workspace.fs.readDirectory(Uri.parse(uri, true));
    const names = (isWanted: (type: FileType) => boolean): string[] => entries.filter(([, type]) => isWanted(type)).map(([name]) => name);
    // A link to a folder may lead back to where it is.
    return { folders: names((type) => type === FileType.Directory), files: names((type) => (type & FileType.File) !== 0) };
  }));
}

/** Return null for what is not there; that something cannot be read right now is an error. */
async function ifThere<Answer>(read: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileSystemError && error.code === 'FileNotFound') return null;
    throw error;
  }
}
