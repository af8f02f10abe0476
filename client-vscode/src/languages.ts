/** The documents that the extension is for. */

import type { TextDocument } from 'vscode';

/** Exact ids: the editor asks `*` last, after all others. */
export const DRAFTS = ['latex', 'tex', 'latex-expl3', 'doctex', 'rsweave', 'jlweave'];
export const LANGUAGES = [...DRAFTS, 'bibtex'];
export const SCHEMES = ['file', 'untitled'];

export const SELECTOR = SCHEMES.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language })));

/** Tell whether works can be cited in a document. */
export function isDraft({ languageId, uri }: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return DRAFTS.includes(languageId) && SCHEMES.includes(uri.scheme);
}
