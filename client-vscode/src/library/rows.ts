/** The Library view as rows: what is wrong first, with what to do, then what is known about the entries. */

import { contextOf, KINDS as KINDS_OF_FINDINGS } from '../claimCheck/findings';
import type { Click, Row, Shown } from '../rows';
import type { Basis, DraftFinding, EntryHealth, LibraryHealth, LibraryProblem, ProblemKind } from '../wire';
import { counted, onOneLine } from '../wording';
import { type Choice, compared, EVERYTHING, filtered, FILTERS, type Order } from './choice';
import { fromService } from './sent';

/** The command that asks where missing files are. */
export const LOCATE = 'pincite.locateFiles';

/** The command that has what is missing fetched. */
export const FETCH = 'pincite.fetchMissing';

/** What one step mends for many entries comes first. Entries known by their title are among those by what is known. */
const PROBLEMS: Readonly<Record<Exclude<ProblemKind, 'title-only'>, string>> = {
  'missing-file': 'Not on this computer',
  encrypted: 'Protected by a password',
  scanned: 'Without readable text',
  unreadable: 'Cannot be read',
  'broken-entry': 'Broken entries',
  duplicate: 'Duplicates',
  'repeated-key': 'Repeated keys',
  'no-year': 'Without a year',
};
const KINDS = Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[];

const BASES: Readonly<Record<Basis, { label: string; icon: string; tooltip: string }>> = {
  'full text': { label: 'Full text', icon: 'book', tooltip: 'Supporting sentences are from the full text, with their pages.' },
  abstract: { label: 'Abstract only', icon: 'note', tooltip: 'Supporting sentences are from the abstract.' },
  title: { label: 'Title only', icon: 'symbol-text', tooltip: 'Ranked by the title; there are no supporting sentences.' },
};

interface Problem {
  entry: EntryHealth | undefined;
  problem: LibraryProblem;
}

/** Return what the view shows of a library; `reading` is the progress of reading its papers. */
export function shownLibrary(whole: LibraryHealth, reading: string, { filter, order }: Choice = EVERYTHING): Shown {
  const health = filtered(whole, filter);
  const { draft, counts, complete, entries, others } = health;
  // What the draft cites matters most.
  const ordered = [...entries.filter(({ cited }) => cited), ...entries.filter(({ cited }) => !cited)];
  const problems: Problem[] = [
    ...ordered.flatMap((entry) => entry.problems.map((problem) => ({ entry, problem }))),
    ...others.map((problem) => ({ entry: undefined, problem })),
  ];
  const message = [...(complete ? [] : [reading === '' ? 'Papers are still being read.' : reading]), ...(health.problems ?? [])].join(' ');
  return {
    description: `${draft}: ${counted(counts.entries, 'entry', 'entries')}, ${counts.cited} cited` +
      (filter === 'all' ? '' : `, shown: ${FILTERS[filter].toLowerCase()}`) +
      (counts.fromZotero > 0 ? `, ${counts.fromZotero} with text from Zotero` : '') +
      (health.fetched ?? []).map((one) => `, ${fromService(one)} from ${one.service}`).join(''),
    ...(message !== '' && { message }),
    rows: [
      ...referenceGroup(health),
      ...(filter === 'broken' || filter === 'duplicates' ? [] : locateRow(health)),
      ...KINDS.flatMap((kind) => problemGroup(kind, problems.filter(({ problem }) => problem.kind === kind), health)),
      ...(Object.keys(BASES) as Basis[]).flatMap((basis) => basisGroup(basis, entries, problems, order)),
    ],
  };
}

/** Return what services report as wrong with entries; what the author has accepted is only counted. */
function referenceGroup({ findings = [], entries }: LibraryHealth): Row[] {
  const left = findings.filter(({ accepted }) => !accepted);
  if (left.length === 0) return [];
  const label = 'References to review';
  const number = left.length === findings.length ? `${left.length}` : `${left.length}, ${findings.length - left.length} accepted`;
  const advice = 'Open a notice, update an entry from services, or accept it as it is.';
  return [{
    id: 'references', label, description: number, tooltip: `${label}: ${number}. ${advice}`, spoken: `${label}: ${number}. ${advice}`,
    icon: 'warning', warns: true, children: left.map((finding) => referenceRow(finding, entries.find(({ key }) => key === finding.key))),
  }];
}

function referenceRow(finding: DraftFinding, entry: EntryHealth | undefined): Row {
  const { key, kind, message, changed, location, id } = finding;
  const name = entry ? nameOf(entry) : key;
  const { title, icon } = KINDS_OF_FINDINGS[kind];
  return {
    id: `reference ${key} ${id}`, label: name, description: `${title} · ${key}`, icon, finding, context: contextOf(finding),
    tooltip: [entry && describe(entry), message, changed].filter(Boolean).join('\n'), spoken: `${name}: ${message}`,
    click: { place: location },
  };
}

function locateRow({ counts: { missingFiles, namedFiles }, commonFolder }: LibraryHealth): Row[] {
  if (missingFiles === 0) return [];
  const label = `Locate ${counted(missingFiles, 'file')}…`;
  const missing = `${missingFiles} of ${counted(namedFiles, 'paper')} ${missingFiles === 1 ? 'is' : 'are'} not on this computer`;
  const where = commonFolder === undefined
    ? 'Choose their folder on this computer.'
    : `${commonFolder.shared === missingFiles ? 'All' : commonFolder.shared} should be in “${commonFolder.folder}”: ` +
      'choose that folder on this computer, for example the storage folder of Zotero.';
  return [{
    id: 'locate', label, description: missing, tooltip: `${missing}. ${where}`, spoken: `${label} ${missing}. ${where}`,
    icon: 'folder-opened', warns: true, click: { command: LOCATE },
  }];
}

function problemGroup(kind: keyof typeof PROBLEMS, found: readonly Problem[], { counts }: LibraryHealth): Row[] {
  const [first] = found;
  if (!first) return [];
  const label = PROBLEMS[kind];
  const number = kind === 'missing-file' ? `${counts.missingFiles} of ${counts.namedFiles}` : `${found.length}`;
  const advice = sentence(first.problem.advice);
  return [{
    id: kind, label, description: number, tooltip: `${label}: ${number}. ${advice}`, spoken: `${label}: ${number}. ${advice}`,
    icon: 'warning', warns: true, context: kind,
    children: found.map((one, rank) => problemRow(one, `${kind} ${rank}`)),
  }];
}

function problemRow({ entry, problem }: Problem, id: string): Row {
  const name = entry ? nameOf(entry) : fileName(problem.file ?? '') || problem.what;
  const opened = problem.kind === 'scanned' || problem.kind === 'encrypted' || problem.kind === 'unreadable';
  const path = opened ? problem.file : undefined;
  const place = problem.location ?? entry?.entry;
  const click: Click | undefined = path !== undefined ? { path } : place && { place };
  const detail = problem.kind === 'missing-file' ? fileName(problem.file ?? '') : problem.kind === 'no-year' ? '' : problem.what;
  const text = entry ? `${entry.key} ${problem.what}` : problem.what;
  return {
    id, label: name, description: [entry && entry.key !== name && entry.key, detail !== name && detail].filter(Boolean).join(' · '),
    tooltip: [entry && describe(entry), `${sentence(text)} ${sentence(problem.advice)}`].filter(Boolean).join('\n'),
    spoken: `${name}: ${problem.what}`,
    ...(click && { click }),
    ...(path !== undefined && place && { context: 'entry', entry: place }),
  };
}

function basisGroup(basis: Basis, entries: readonly EntryHealth[], problems: readonly Problem[], order: Order): Row[] {
  const found = entries.filter((entry) => entry.basis === basis);
  if (found.length === 0) return [];
  const { label, icon, tooltip } = BASES[basis];
  const advice = basis === 'title' ? problems.find(({ problem }) => problem.kind === 'title-only')?.problem.advice : undefined;
  const text = advice === undefined ? tooltip : `${tooltip} ${sentence(advice)}`;
  const named = found.map((entry) => ({ name: nameOf(entry), entry })).sort(compared(order));
  return [{
    id: basis, label, icon, description: `${found.length}`, tooltip: `${label}: ${found.length}. ${text}`,
    spoken: `${label}: ${found.length}. ${text}`, context: basis.replace(' ', '-'),
    children: named.map(({ name, entry }) => entryRow(entry, name, basis)),
  }];
}

function entryRow(entry: EntryHealth, name: string, basis: Basis): Row {
  const { key, file, entry: place, title, cited } = entry;
  const click: Click | undefined = file !== undefined ? { file } : place && { place };
  const freeCopy = freeCopyOf(entry);
  return {
    id: `${basis} ${key}`, label: name, description: name === key ? '' : key, tooltip: describe(entry),
    spoken: [name, name !== onOneLine(title) && onOneLine(title), cited && 'cited'].filter(Boolean).join(', '),
    ...(click && { click }),
    ...(file !== undefined && place && { context: 'entry', entry: place }),
    ...(file === undefined && freeCopy !== undefined && { context: 'free-copy', freeCopy }),
  };
}

/** Return where a free copy of a work without a full text is; only an address of the web is one. */
function freeCopyOf({ openAccess, basis }: EntryHealth): string | undefined {
  return basis !== 'full text' && /^https?:\/\//i.test(openAccess ?? '') ? openAccess : undefined;
}

function describe(entry: EntryHealth): string {
  const name = nameOf(entry);
  const title = onOneLine(entry.title);
  const freeCopy = freeCopyOf(entry);
  return [
    name, title !== name && title, `${entry.key}, ${entry.cited ? 'cited' : 'not cited'} in this draft`,
    entry.citedBy !== undefined && `cited by ${counted(entry.citedBy, 'work')}`,
    freeCopy !== undefined && `Free copy: ${freeCopy}`,
  ].filter(Boolean).join('\n');
}

function nameOf({ authorYear, title, key }: EntryHealth): string {
  return authorYear || onOneLine(title) || key;
}

/** Return the last part of a path of any system. */
function fileName(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`;
}
