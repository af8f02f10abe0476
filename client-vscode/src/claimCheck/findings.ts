/** The findings of a claim check: which of them the author has checked, which comes next, and their rows. */

import type { Row, Shown } from '../rows';
import type { CheckedDraft, DecidedFinding, DraftFinding, FindingKind, Unchecked, Verdicts } from '../wire';
import { counted, shortened } from '../wording';

/** The commands of rows. */
export const SHOW_FINDING = 'pincite.showFinding';

export const KINDS: Readonly<Record<FindingKind, { title: string; icon: string; tooltip: string }>> = {
  'undefined-key': { title: 'Undefined keys', icon: 'error', tooltip: 'No bibliography has these keys; LaTeX prints “?”.' },
  placeholder: { title: 'Placeholders', icon: 'edit', tooltip: 'Places that still need a citation, or a sign of one.' },
  'weak-support': {
    title: 'Weak support', icon: 'warning',
    tooltip: 'The full text has no supporting sentence, or lacks a number that the draft gives. Only words and numbers are compared, and ' +
      'a work may be cited for its data or an idea: read it before you change anything.',
  },
  'missing-citation': {
    title: 'Uncited claims', icon: 'quote',
    tooltip: 'Sentences about other people’s work with no citation in or beside them.',
  },
  retracted: {
    title: 'Retracted or corrected', icon: 'error',
    tooltip: 'A notice about the work was published. Read it before you rely on the work.',
  },
  'wrong-identifier': {
    title: 'Identifiers of other works', icon: 'error',
    tooltip: 'The identifier leads to a work with a different title and different authors, or to none.',
  },
  'not-found': {
    title: 'Not found', icon: 'question',
    tooltip: 'None of the services asked knows the work. They do not cover everything, so look for it yourself.',
  },
  published: { title: 'Published preprints', icon: 'info', tooltip: 'The published version is known; it may differ from the preprint.' },
  'entry-differs': {
    title: 'Entries that differ', icon: 'diff',
    tooltip: 'Two services agree on a value, and the entry has a different one.',
  },
  'title-only': {
    title: 'Title only', icon: 'symbol-text',
    tooltip: 'Works with neither full text nor abstract, so what you cite them for was not checked. Each is listed where it is first cited. ' +
      'The Library view shows what to do.',
  },
};
/** What can be done something about in the draft; the rest was not checked. */
const ORDER = (Object.keys(KINDS) as FindingKind[]).filter((kind) => kind !== 'title-only');
/** The reasons for which citations are among the findings. */
const FOUND = ['undefined key', 'title only'];
const EXCERPT_LENGTH = 200;

/** A finding with an id of its own; that of the decision about it may be that of several in a sentence. */
export interface Finding extends DraftFinding {
  readonly decision: string;
}

/** Return the findings with ids of their own. */
export function identified(findings: readonly DraftFinding[]): Finding[] {
  const seen = new Map<string, number>();
  return findings.map((finding) => {
    const before = seen.get(finding.id) ?? 0;
    seen.set(finding.id, before + 1);
    return { ...finding, decision: finding.id, id: before === 0 ? finding.id : `${finding.id}#${before}` };
  });
}

/** Return what a decision about a finding is about. */
export function decided({ decision, kind, key, work, about }: Finding): DecidedFinding {
  return { id: decision, kind, key, work, about };
}

/** The findings that the author or a co-author has accepted. */
export class Marks {
  private readonly ids: Set<string>;

  constructor(findings: readonly Finding[]) {
    this.ids = new Set(findings.filter(({ accepted }) => accepted !== undefined).map(({ id }) => id));
  }

  has(id: string): boolean {
    return this.ids.has(id);
  }

  set(id: string, checked: boolean): void {
    if (checked) this.ids.add(id);
    else this.ids.delete(id);
  }
}

/** Return the finding that is not checked and follows the one with this rank, or precedes it; at an end, go on at the other one. */
export function nextFinding(findings: readonly Finding[], marks: Pick<Marks, 'has'>, rank: number, step: 1 | -1): Finding | undefined {
  for (let tried = 1; tried <= findings.length; tried += 1) {
    const finding = findings.at((rank + step * tried) % findings.length);
    if (finding && !marks.has(finding.id)) return finding;
  }
  return undefined;
}

/** Return the rank between two findings for a place of a file, to go on from there; -1 for a file without findings. */
export function rankAt(findings: readonly Finding[], uri: string, { line, character }: { line: number; character: number }): number {
  let rank = -1;
  for (const [at, { location: { uri: its, range: { start } } }] of findings.entries()) {
    if (its !== uri) continue;
    if (start.line > line || (start.line === line && start.character > character)) return rank < 0 ? at - 1 : rank;
    rank = at;
  }
  return rank;
}

/** Return the text of a finding where the author is: its rank among all, and what was found. */
export function findingStatus(finding: Finding, findings: readonly Finding[]): string {
  return `${findings.indexOf(finding) + 1} of ${counted(findings.length, 'finding')}: ${finding.message}`;
}

/** Return what the view shows of a checked draft. */
export function shownFindings(
  { draft, complete, verdicts }: Omit<CheckedDraft, 'findings'>,
  findings: readonly Finding[],
  marks: Pick<Marks, 'has'>,
  changed: boolean,
): Shown {
  const left = findings.filter(({ id }) => !marks.has(id)).length;
  const state = findings.length === 0 ? 'nothing found' : left === 0 ? 'all checked' : `${left} to check`;
  const message = [
    !complete && 'Papers are still being read. Pincite will then check the citations of their works.',
    changed && 'The draft has changed since the check. It will be checked again when you save it.',
    findings.length === 0 && complete && 'Nothing was found: no undefined keys, no placeholders, no weakly supported and no missing citations.',
    verdicts && `${verdicts.text}.`,
  ].filter((one) => one !== false && one !== undefined).join(' ');
  return {
    description: `${draft}: ${state}`,
    ...(message !== '' && { message }),
    rows: [
      ...ORDER.flatMap((kind) => group(kind, findings.filter((one) => one.kind === kind), marks, true)),
      ...notChecked(verdicts, group('title-only', findings.filter(({ kind }) => kind === 'title-only'), marks, false)),
    ],
  };
}

/** Return one folded row with all that was not checked: the works of which the title is known, and citations by reason. */
function notChecked(verdicts: Verdicts | undefined, titles: Row[]): Row[] {
  if (!verdicts || verdicts.notChecked === 0) return titles;
  const reasons = verdicts.reasons.filter(({ reason }) => !FOUND.includes(reason));
  const others = reasons.map(({ reason, number }): Row => {
    const cited = verdicts.unchecked.filter(({ verdict }) => verdict.reason === reason);
    const label = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`;
    const why = cited[0]?.verdict.text ?? '';
    return {
      id: `not checked: ${reason}`, label, description: `${number}`, icon: 'circle-slash', tooltip: why, spoken: `${label}: ${number}. ${why}`,
      children: cited.map(uncheckedRow),
    };
  });
  // The message above the rows has the reasons.
  const description = `${verdicts.notChecked} of ${verdicts.citations} citations`;
  return [{
    id: 'not checked', label: 'Not checked', description, icon: 'circle-slash', tooltip: verdicts.text, spoken: `Not checked: ${description}. ${verdicts.text}`,
    children: [...titles, ...others],
  }];
}

function uncheckedRow({ file, line, key, sentence, verdict, location }: Unchecked, rank: number): Row {
  const place = `${file}:${line}`;
  return {
    id: `not checked: ${verdict.reason ?? ''}: ${rank}`, label: key, description: `${place} · ${shortened(sentence, EXCERPT_LENGTH)}`,
    tooltip: `${verdict.text}\n${place}\n${sentence}`, spoken: `${key}, ${verdict.text}. ${file}, line ${line}`,
    ...(location && { click: { place: location } }),
  };
}

function group(kind: FindingKind, findings: readonly Finding[], marks: Pick<Marks, 'has'>, open: boolean): Row[] {
  if (findings.length === 0) return [];
  const { title, icon, tooltip } = KINDS[kind];
  const checked = findings.filter(({ id }) => marks.has(id)).length;
  const number = checked === 0 ? `${findings.length}` : `${findings.length}, ${checked} checked`;
  return [{
    id: kind, label: title, description: number, icon, tooltip: `${title}: ${number}. ${tooltip}`, spoken: `${title}: ${number}. ${tooltip}`,
    context: 'findings', children: findings.map((finding) => rowOf(finding, marks.has(finding.id))), ...(open && { open }),
  }];
}

/** Return the context of the row of a finding. */
export function contextOf({ notice, values }: DraftFinding): string {
  return notice !== undefined ? 'finding-notice' : values ? 'finding-mend' : 'finding';
}

function rowOf(finding: Finding, checked: boolean): Row {
  const { id, kind, key, message, excerpt, sentence, file, line, accepted, changed } = finding;
  const place = `${file}:${line}`;
  // The key of a finding identifies it best. A row has room for the first words, so these are those of the sentence.
  const words = shortened(key === '' && sentence ? sentence : excerpt.replace(/^… /, ''), EXCERPT_LENGTH);
  const description = key === '' ? place : kind === 'weak-support' ? `${place} · ${words}` : place;
  return {
    id, label: key || words, description, checked, context: contextOf(finding), finding,
    tooltip: [
      message, changed, accepted && `Accepted on ${accepted.on}${accepted.by && ` by ${accepted.by}`}${accepted.note && `: ${accepted.note}`}`,
      place, shortened(excerpt, EXCERPT_LENGTH),
    ].filter(Boolean).join('\n'),
    spoken: `${message} ${key === '' ? words : ''} ${file}, line ${line}`,
    click: { command: SHOW_FINDING, argument: id },
  };
}
