/** Other extensions that serve the same documents, by the server's names for them. */

const PEERS: Readonly<Record<string, string>> = {
  'james-yu.latex-workshop': 'latex-workshop',
  'efoerster.texlab': 'texlab',
  'quarto.quarto': 'quarto',
  'notzaki.pandocciter': 'pandoc-citer',
  'myriad-dreamin.tinymist': 'tinymist',
};

/** Return the peers among the installed extensions. */
export function peersAmong(extensionIds: readonly string[]): string[] {
  const peers = extensionIds.map((id) => PEERS[id.toLowerCase()]);
  return [...new Set(peers.filter((peer) => peer !== undefined))].sort();
}

export function isPeer(extensionId: string): boolean {
  return extensionId.toLowerCase() in PEERS;
}
