/** The documents that the extension serves. */

import type { TextDocument } from 'vscode';

/** Exact ids: the editor asks providers for `*` last. */
export const DRAFTS = ['latex', 'tex', 'latex-expl3', 'doctex', 'rsweave', 'jlweave'];
export const LANGUAGES = [...DRAFTS, 'bibtex'];
export const SCHEMES = ['file', 'untitled'];

export const SELECTOR = SCHEMES.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language })));

/** JSON and YAML may be bibliographies (CSL, Hayagriva); the server ignores all others. */
export const SYNCED = [
  ...SELECTOR,
  ...SCHEMES.flatMap((scheme) => ['json', 'yaml'].map((language) => ({ scheme, language }))),
];

/** Return whether a document can contain citations. */
export function isDraft({ languageId, uri }: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return DRAFTS.includes(languageId) && SCHEMES.includes(uri.scheme);
}
