/** The documents that the extension serves. */

import type { TextDocument } from 'vscode';

/** Those in which other texts are written, too: the server tells which are drafts. */
const COMMON = ['markdown', 'quarto', 'rmd', 'typst'];
/** Exact ids: the editor asks providers for `*` last. */
export const DRAFTS = ['latex', 'tex', 'latex-expl3', 'doctex', 'rsweave', 'jlweave', ...COMMON];
export const LANGUAGES = [...DRAFTS, 'bibtex'];
export const SCHEMES = ['file', 'untitled'];

/** Without the extensions of Quarto, R and Typst, their files have no language of their own. */
const BY_NAME = /\.(?:qmd|rmd|typ)$/i;

export const SELECTOR = SCHEMES.flatMap((scheme) => [
  ...LANGUAGES.map((language) => ({ scheme, language })),
  { scheme, pattern: '**/*.{qmd,Rmd,rmd,typ}' },
]);

/** Return whether a document is in a markup that texts without any citation are written in, too. */
export function mayBeOther({ languageId, uri }: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return COMMON.includes(languageId) || BY_NAME.test(uri.path);
}

/** Return whether a document is in Typst. */
export function isTypst({ languageId, uri }: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return languageId === 'typst' || uri.path.endsWith('.typ');
}

/** JSON and YAML may be bibliographies (CSL, Hayagriva); the server ignores all others. */
export const SYNCED = [
  ...SELECTOR,
  ...SCHEMES.flatMap((scheme) => ['json', 'yaml'].map((language) => ({ scheme, language }))),
];

/** Return whether a document can contain citations. */
export function isDraft({ languageId, uri }: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return (DRAFTS.includes(languageId) || BY_NAME.test(uri.path)) && SCHEMES.includes(uri.scheme);
}
