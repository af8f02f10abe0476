/** The author's settings: those of the extension, and those of the server. */

import { homedir } from 'node:os';

export const SECTION = 'pincite';

/** Settings of the extension itself; all others in the section are the server's. */
const OUR_OWN: ReadonlySet<string> = new Set(['serverCommand', 'interpreter', 'pdfViewer', 'agents', 'trace']);

/** Settings that take effect only when the server restarts. */
export const STARTING = ['pincite.serverCommand', 'pincite.interpreter'];

/** Return the settings for the server: all but our own, with the detected peers unless the author names some; without trust, no Zotero and no network. */
export function serverSettings(
  section: Readonly<Record<string, unknown>>,
  peersByAuthor: readonly string[] | undefined,
  peersFound: readonly string[],
  isTrusted = true,
): Record<string, unknown> {
  const theirs = Object.entries(section).filter(([name]) => !OUR_OWN.has(name));
  const settings = { ...Object.fromEntries(theirs), peers: [...(peersByAuthor ?? peersFound)] };
  return isTrusted ? settings : { ...settings, zotero: 'off', enrich: 'off' };
}

/** Expand the folder variables at the beginning of a path in a setting. */
export function expanded(value: string, workspaceFolder: string | undefined): string {
  return value
    .replace(/^~(?=$|[/\\])/, () => homedir())
    .replaceAll('${userHome}', () => homedir())
    .replaceAll('${workspaceFolder}', (whole) => workspaceFolder ?? whole);
}
