/** The documents that the extension serves. */

import type { TextDocument } from 'vscode';

/** Those of Markdown, which other texts are written in, too: the server tells which are drafts. */
const MARKDOWN = ['markdown', 'quarto', 'rmd'];
/** Exact ids: the editor asks providers for `*` last. */
export const DRAFTS = ['latex', 'tex', 'latex-expl3', 'doctex', 'rsweave', 'jlweave', ...MARKDOWN];
export const LANGUAGES = [...DRAFTS, 'bibtex'];
export const SCHEMES = ['file', 'untitled'];

/** Without the extensions of Quarto and R, their files have no language of their own. */
const BY_NAME = /\.(?:qmd|rmd)$/i;

export const SELECTOR = SCHEMES.flatMap((scheme) => [
  ...LANGUAGES.map((language) => ({ scheme, language })),
  { scheme, pattern: '**/*.{qmd,Rmd,rmd}' },
]);

/** Return whether a document is in a markup that texts without any citation are written in, too. */
export function isMarkdown({ languageId, uri }: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return MARKDOWN.includes(languageId) || BY_NAME.test(uri.path);
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
