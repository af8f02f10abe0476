/** Messages between server and extension beyond the protocol, with the names of docs/reference/protocol.md. */

import type { Location, Position, Range, TextDocumentIdentifier, WorkspaceEdit } from 'vscode-languageserver-protocol';

export interface Supporting {
  text: string;
  score: number;
  strength?: Strength;
  /** Whether the author highlighted it in Zotero. */
  highlighted?: boolean;
  /** What the author noted with it. */
  comment?: string;
  /** The probability that a reader would call it support. */
  probability?: number;
  /** Start and end of matched words, in UTF-16 code units of the text. */
  matched: [number, number][];
  /** Page of the PDF, from 1. */
  page?: number;
  /** The number printed on it. */
  pageLabel?: string;
  section?: string;
  /** The full text at this page. */
  link?: string;
  /** The same in Zotero. */
  zotero?: string;
}

export type Strength = 'strong' | 'partial';

/** The evidence of a cited work for a citation. */
export interface Verdict {
  kind: 'supported' | 'nothing found' | 'not checked';
  /** Of the strongest supporting sentence. */
  strength?: Strength;
  /** How many sentences of the work were compared. */
  sentences: number;
  /** Why the citation was not checked, in two words. */
  reason?: string;
  /** The verdict in words, as all views have it. */
  text: string;
  /** Those that the draft attributes to a work whose full text is known. */
  numbers?: AttributedNumber[];
}

/** A number as written in the draft; `place` is where it is elsewhere in the full text. */
export interface AttributedNumber {
  written: string;
  status: 'shown' | 'elsewhere' | 'missing';
  place?: string;
}

export interface Work {
  key: string;
  /** Empty where the entry has neither. */
  authorYear: string;
  title: string;
  /** What is known about it; empty for an undefined key. */
  basis: ('full text' | 'abstract' | 'title' | 'inlink contexts')[];
  /** Best first. */
  supporting?: Supporting[];
  /** What the evidence lacks and what to do, in Markdown. */
  remark?: string;
  /** The evidence of the work for the place; earlier servers omit it. */
  verdict?: Verdict;
  /** Without a resolver's address. */
  doi?: string;
  /** The full text. */
  file?: string;
  /** Its key in the bibliography. */
  entry?: Location;
  /** From a global bibliography, and missing in the draft's own ones. */
  fromLibrary?: boolean;
  /** The author does not have it. */
  discovered?: boolean;
  /** The identifier or title by which `pincite/findWork` finds it, where only a reference list names it. */
  lookUp?: string;
  /** What it is in, and its entry in BibTeX, if a search of the literature has found it. */
  venue?: string;
  bibtex?: string;
  score?: number;
  internal?: number;
  external?: number;
  /** Words of the context found in it, strongest first. */
  matched?: string[];
  /** The reason for its rank. */
  reason?: string;
}

/** An entry of the library that was copied into a bibliography, with the text put in there. */
export interface AddedEntry {
  key: string;
  uri: string;
  text: string;
}

/** What is found of a work that an author wants to add. */
export interface FoundWorks {
  /** Best first. */
  works: NewWork[];
  /** What would be sent to whom to find it; empty where nothing has to be. */
  sent: { service: string; host: string; values: string[]; hasEmail: boolean; hasKey: boolean }[];
  plan: string;
  /** What was found to be wrong on the way. */
  remarks: string[];
  email?: string;
  /** Why services cannot be asked: Markdown. */
  problem?: string;
}

export interface NewWork {
  key: string;
  title: string;
  authorYear: string;
  /** Where it was found, as an author calls it. */
  origin: string;
  /** Its entry in BibTeX; empty where it is there. */
  entry: string;
  /** The key of the same work in the bibliography. */
  there?: string;
  /** Whether it is the work asked for, without doubt. */
  meant: boolean;
}

export interface AddedWorks {
  keys: string[];
  uri: string;
  text: string;
}

interface Place {
  /** The citation or placeholder; empty elsewhere. */
  range: Range;
  /** The sentence, without its citations. */
  citance: string;
  placeholder: boolean;
  /** False while papers are still being read. */
  complete: boolean;
}

export interface Recommendations extends Place {
  /** The keys cited there. */
  cited: string[];
  /** Whether none of the items is probably cited there. */
  nothingFits?: boolean;
  /** Best first. */
  items: Work[];
}

export interface Evidence extends Place {
  /** The key at the position. */
  key?: string;
  /** In the order of the keys. */
  works: Work[];
}

export interface Status {
  state: 'reading' | 'ready';
  entries: number;
  fullTexts: number;
  abstracts: number;
  titles: number;
  /** Entries that are broken. */
  broken: number;
  /** While papers are read, once they are counted. */
  reading?: Reading;
  /** The main file of the draft that the document is a part of, a URI. */
  main?: string;
  /** What gives the draft a bibliography, if it has none; earlier servers omit it. */
  offers?: BibliographyOffer[];
}

/** Something that the author can do about a draft without a bibliography. */
export interface BibliographyOffer {
  title: string;
  /** What the draft lacks, in a sentence. */
  why: string;
  command: string;
  arguments: unknown[];
}

/** A value of a setting that cannot be used. */
export interface WrongSetting {
  /** Its full name. */
  readonly setting: string;
  readonly value: string;
  /** What is wrong with it: continues a sentence that begins with the value. */
  readonly problem: string;
}

export interface Reading {
  read: number;
  papers: number;
}

export interface StatusChanged {
  /** Name of the draft's main file. */
  draft: string;
  /** 1 when all are read and put to use. */
  done: number;
  read: number;
  papers: number;
}

/** How the duplicates of a draft's bibliographies are merged. */
export interface Merging {
  /** Name of the draft's main file. */
  draft: string;
  merges: { kept: EntryPlace; gone: EntryPlace[] }[];
  unmerged: { entries: EntryPlace[]; why: string; fields: { field: string; values: string[] }[] }[];
  /** Whether aliases have a meaning. */
  byBiber: boolean;
  /** Those that are changed. */
  files: string[];
  /** What is changed, as a unified diff. */
  diff: string;
  edit?: WorkspaceEdit;
}

export interface EntryPlace {
  key: string;
  /** From 1. */
  line: number;
  file: string;
  entry: Location;
}

/** What is known of the entries of a draft, and what is wrong with them. */
export interface LibraryHealth {
  /** Name of the draft's main file. */
  draft: string;
  /** False while papers are still being read. */
  complete: boolean;
  entries: EntryHealth[];
  counts: LibraryCounts;
  /** Of files and entries that belong to no key. */
  others: LibraryProblem[];
  /** What serves of what was fetched from the network; earlier servers omit it. */
  fetched?: FromService[];
  /** Where most missing files should be. */
  commonFolder?: CommonFolder;
  /** What services report as wrong with entries, those that are cited first; earlier servers omit it. */
  findings?: DraftFinding[];
  /** What could not be read of the decisions, or of the file of retractions. */
  problems?: string[];
}

export interface FromService {
  service: string;
  abstracts: number;
  /** In which other works cite the entries. */
  sentences: number;
}

/** What is missing of the entries of a draft, and what would be sent to find it. */
export interface Missing {
  /** Name of the draft's main file. */
  draft: string;
  /** Names what would be sent. */
  plan: string;
  entries: number;
  /** Entries without an abstract or a full text. */
  withoutAbstract: number;
  /** Entries of which somebody would be asked. */
  unanswered: number;
  sent: Sent[];
  /** The author's e-mail address, where it is sent, too. */
  email?: string;
  /** Why nothing can be fetched, in Markdown. */
  problem?: string;
}

/** What would be sent to a service, at most. */
export interface Sent {
  service: string;
  host: string;
  dois: string[];
  titles: string[];
  /** Whether the e-mail address goes there, too. */
  hasEmail: boolean;
  /** Whether the author's own key goes along. */
  hasKey: boolean;
}

/** What would be sent to find works around those of a draft. */
export interface Discovery {
  draft: string;
  plan: string;
  entries: number;
  /** Keys of works without a DOI or an identifier at arXiv. */
  unidentified: string[];
  /** The most that are sent. */
  requests: number;
  sent: Sent[];
  email?: string;
  problem?: string;
}

export interface Discovered {
  /** Whether the plan is another by now, and nothing was sent. */
  changed: boolean;
  works: number;
  unknown?: string[];
  /** Why services could not be asked for all. */
  problem?: string;
}

/** What a search of the literature would send, and to whom. */
export interface Literature {
  /** Proposed: rare words of the sentence. */
  words: string;
  sent: { service: string; host: string; hasEmail: boolean; hasKey: boolean }[];
  email?: string;
  /** Why nothing can be sent, in Markdown. */
  problem?: string;
}

export interface FoundLiterature {
  /** Best first, each with its entry. */
  items: Work[];
  /** Why services did not answer. */
  failures: string[];
}

export interface Fetched {
  /** Whether the plan is another by now, and nothing was sent. */
  changed: boolean;
  found: FromService[];
  wrongDois: WrongDoi[];
  /** Why services did not answer. */
  failures: string[];
}

export interface WrongDoi {
  key: string;
  message: string;
  /** Its key in the bibliography. */
  entry?: Location;
}

export interface EntryHealth {
  key: string;
  /** Empty where the entry has neither. */
  authorYear: string;
  title: string;
  basis: Basis;
  cited: boolean;
  problems: LibraryProblem[];
  /** The full text. */
  file?: string;
  /** Its key in the bibliography. */
  entry?: Location;
  /** Address of a copy that is free to read, and how many works cite it, as services report. */
  openAccess?: string;
  citedBy?: number;
}

export type Basis = 'full text' | 'abstract' | 'title';

export interface LibraryProblem {
  kind: ProblemKind;
  /** Continues a sentence that begins with the key. */
  what: string;
  /** What the author can do; the same for all of a kind. */
  advice: string;
  /** Path of the file concerned; a missing one as the entry names it. */
  file?: string;
  /** Where it is, if that is not the whole entry. */
  location?: Location;
}

export type ProblemKind =
  | 'missing-file' | 'scanned' | 'encrypted' | 'unreadable' | 'duplicate' | 'repeated-key' | 'no-year' | 'broken-entry' | 'title-only';

/** Those of the numbers that are shown. */
export interface LibraryCounts {
  entries: number;
  cited: number;
  /** Entries that name files. */
  namedFiles: number;
  /** Those of them without any file here. */
  missingFiles: number;
  /** Entries whose full text or abstract is Zotero's. */
  fromZotero: number;
}

export interface CommonFolder {
  /** As the entries name it. */
  folder: string;
  /** How many of the missing files are in it. */
  shared: number;
}

/** What the claim check found, in reading order. */
export interface CheckedDraft {
  /** Name of the draft's main file. */
  draft: string;
  /** False while papers are still being read: they are not reported then. */
  complete: boolean;
  findings: DraftFinding[];
  /** Once papers are read; earlier servers omit it. */
  verdicts?: Verdicts;
  report?: string;
  /** What could not be read of the decisions, or of the file of retractions. */
  problems?: string[];
}

/** How many citations of keys have each verdict, and which were not checked. */
export interface Verdicts {
  citations: number;
  supported: number;
  withoutSupport: number;
  notChecked: number;
  /** The most frequent one first. */
  reasons: { reason: string; number: number }[];
  /** All numbers in words. */
  text: string;
  unchecked: Unchecked[];
}

/** A citation that was not checked. */
export interface Unchecked {
  file: string;
  /** From 1. */
  line: number;
  key: string;
  /** The sentence, without citations. */
  sentence: string;
  verdict: Verdict;
  location?: Location;
}

export type FindingKind =
  'undefined-key' | 'placeholder' | 'weak-support' | 'missing-citation' | 'title-only' |
  'retracted' | 'wrong-identifier' | 'not-found' | 'published' | 'entry-differs';

export interface DraftFinding {
  /** Relative to the folder of the main file. */
  file: string;
  /** From 1. */
  line: number;
  kind: FindingKind;
  /** Empty for a missing citation, and for a placeholder unless it is a key without its sign. */
  key: string;
  message: string;
  /** The source around the place, in one line. */
  excerpt: string;
  /** The sentence there, without citations. */
  sentence: string;
  /** That of the decision about it, and what that rests on. */
  id: string;
  work: string;
  about: string;
  /** That the author, or a co-author, has accepted it. */
  accepted?: { on: string; note: string; by: string };
  /** What has changed since it was accepted. */
  changed?: string;
  /** The address of a notice of retraction. */
  notice?: string;
  /** What fields of an entry should be. */
  values?: Record<string, string>;
  location: Location;
}

/** What a decision is about. */
export type DecidedFinding = Pick<DraftFinding, 'id' | 'kind' | 'key' | 'work' | 'about'>;

/** What is fetched where that is limited. */
export type Fetchable = 'abstracts' | 'citing' | 'references';

export type ReportFormat = 'html' | 'markdown';

export interface RecommendationsParams {
  textDocument: TextDocumentIdentifier;
  position: Position;
  limit?: number;
  /** How many items, from the first, come with their supporting sentences. */
  supporting?: number;
  /** What the works are searched for, by key, author, title or year. */
  typed?: string;
  /** Leave out all works but those of the author's Zotero. */
  only?: 'zotero' | 'discovered';
  /** In the order of adding, not of fit. */
  newest?: boolean;
}

export interface EvidenceParams {
  textDocument: TextDocumentIdentifier;
  position: Position;
  key?: string;
}
