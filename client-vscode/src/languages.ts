/** The documents that the extension serves. */

import type { TextDocument } from 'vscode';

/** Those that texts without any citation are written in, too: the server decides which are drafts. */
const GENERAL = ['markdown', 'quarto', 'rmd', 'typst'];
/** Exact ids: the editor asks providers for `*` last. */
export const DRAFTS = ['latex', 'tex', 'latex-expl3', 'doctex', 'rsweave', 'jlweave', ...GENERAL];
export const LANGUAGES = [...DRAFTS, 'bibtex'];
/** Schemes of texts in panels, chats and cells; those of all others are documents, of whatever file system. */
const NO_DOCUMENTS = ['output', 'comment', 'search-editor', 'vscode-notebook-cell', 'vscode-interactive-input', 'vscode-chat-code-block',
  'chat-editing-text-model', 'walkThroughSnippet'];
/** Schemes of earlier versions, beside which the file itself is open: they have hovers, and the views stay with the file. */
const EARLIER = ['git'];

/** Without the extensions of Quarto, R and Typst, their files have no language of their own. */
const BY_NAME = /\.(?:qmd|rmd|typ)$/i;
const NAMES = '**/*.{qmd,Rmd,rmd,typ}';

export const SELECTOR = [...LANGUAGES.map((language) => ({ language })), { pattern: NAMES }];

/** Return whether a text is a document of its own. */
export function isDocument({ uri }: Pick<TextDocument, 'uri'>): boolean {
  return !NO_DOCUMENTS.includes(uri.scheme);
}

/** Return whether a document is in a markup that texts without any citation are written in, too. */
export function mayCiteNothing({ languageId, uri }: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return GENERAL.includes(languageId) || BY_NAME.test(uri.path);
}

/** JSON and YAML may be bibliographies (CSL, Hayagriva); the server ignores all others. */
export const SYNCED = [...SELECTOR, ...['json', 'yaml'].map((language) => ({ language }))];

/** Return whether a document is a bibliography in BibTeX or can contain citations. */
export function isServed(document: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return document.languageId === 'bibtex' || isDraft(document);
}

/** Return whether a document can contain citations, and be edited. */
export function isDraft({ languageId, uri }: Pick<TextDocument, 'languageId' | 'uri'>): boolean {
  return (DRAFTS.includes(languageId) || BY_NAME.test(uri.path)) && isDocument({ uri }) && !EARLIER.includes(uri.scheme);
}

/** In Pandoc's header, which may have the entries themselves, and in Typst. */
const NAMES_BIBLIOGRAPHY = /^bibliography[ \t]*:|^references[ \t]*:[ \t]*\r?\n[ \t]*-|#bibliography\(/m;
/** A header is not longer, and in Typst the bibliography is often at the end. */
const LOOKED_AT_CHARACTERS = 20_000;

/** Return whether a text in Markdown or Typst names its bibliography. */
export function namesBibliography(text: string): boolean {
  return [text.slice(0, LOOKED_AT_CHARACTERS), text.slice(-LOOKED_AT_CHARACTERS)].some((part) => NAMES_BIBLIOGRAPHY.test(part));
}

/** A citation, perhaps only begun: in brackets, in a role or as a call. `@name` alone may be a person, as may a link with such a name. */
const CITES = /\[(?:[^[\]\r\n]{0,200}[\s-])?@[\w:.-]*(?:\](?![(:])|[;,\s]|$)|\{cite[:\w]*\}`|#cite\(/m;
const NO_DRAFT = /(?:^|\/)(?:readme|changelog|changes|contributing|license|security|code_of_conduct)\b[^/]*$/i;

/** Return whether a text in Markdown or Typst, of a document that is no README, begins to cite. */
export function beginsToCite({ uri }: Pick<TextDocument, 'uri'>, text: string): boolean {
  return !NO_DRAFT.test(uri.path) && CITES.test(text.slice(0, LOOKED_AT_CHARACTERS));
}

/** A citation whose keys are being written at its end. */
const CITING = /\\\w*cite\w*\*?(?:\[[^\]]*\])*\{[^{}]*$|\[[^[\]]*@[\w:.-]*$|#cite\(<[^>]*$/i;
const LOOKED_BACK_CHARACTERS = 200;

/** Return whether a citation is begun at the end of a text, and its keys are not closed. */
export function endsInCitation(text: string): boolean {
  return CITING.test(text.slice(-LOOKED_BACK_CHARACTERS));
}
