import assert from 'node:assert/strict';
import test from 'node:test';

import { baseFolder } from '../src/library/baseFolder';
import { mergeQuestion, nothingToMerge, whatStays } from '../src/library/merging';
import { shownLibrary } from '../src/library/rows';
import type { Row } from '../src/rows';
import type { DraftFinding, EntryHealth, LibraryHealth, LibraryProblem, ProblemKind } from '../src/wire';

const place = (line: number) => ({
  uri: 'file:///draft/refs.bib', range: { start: { line, character: 9 }, end: { line, character: 12 } },
});
const entry = (key: string, more: Partial<EntryHealth> = {}): EntryHealth =>
  ({ key, authorYear: '', title: '', basis: 'full text', cited: false, problems: [], entry: place(1), ...more });
const problem = (kind: ProblemKind, what: string, more: Partial<LibraryProblem> = {}): LibraryProblem =>
  ({ kind, what, advice: 'do this', ...more });
const COUNTS = { entries: 3, cited: 1, namedFiles: 0, missingFiles: 0, fromZotero: 0 };
const library = (entries: EntryHealth[], more: Partial<LibraryHealth> = {}): LibraryHealth =>
  ({ draft: 'survey.tex', complete: true, entries, counts: COUNTS, others: [], ...more });

const outline = (rows: readonly Row[]): unknown[] =>
  rows.map(({ label, description, children }) => [label, description, ...(children ? [outline(children)] : [])]);

test('how many entries have their text from Zotero is shown, if any', () => {
  const of = (fromZotero: number): string | undefined => shownLibrary(library([], { counts: { ...COUNTS, fromZotero } }), '').description;
  assert.deepEqual([of(0), of(2)], ['survey.tex: 3 entries, 1 cited', 'survey.tex: 3 entries, 1 cited, 2 with text from Zotero']);
});

test('what services report as wrong with entries comes first, and what is accepted is only counted', () => {
  const finding = (key: string, more: Partial<DraftFinding> = {}): DraftFinding => ({
    file: 'refs.bib', line: 1, kind: 'entry-differs', key, message: 'The entry differs.', excerpt: '', sentence: '', id: key, work: '', about: '',
    location: place(1), ...more,
  });
  const findings = [
    finding('a', { kind: 'retracted', notice: 'https://doi.org/10.1000/notice' }), finding('b', { values: { year: '1996' } }),
    finding('c', { accepted: { on: '2026-01-01', note: '', by: '' } }),
  ];
  const whole = library([entry('a', { authorYear: 'Abe 2001', cited: true }), entry('b')], { findings, problems: ['rw.csv: has no column.'] });
  const { rows: [first], message } = shownLibrary(whole, '');
  assert.deepEqual(outline(first ? [first] : []), [
    ['References to review', '2, 1 accepted', [['Abe 2001', 'Retracted or corrected · a'], ['b', 'Entries that differ · b']]],
  ]);
  assert.deepEqual(first?.children?.map(({ context }) => context), ['finding-notice', 'finding-mend']);
  assert.equal(message, 'rw.csv: has no column.');
  assert.equal(shownLibrary(whole, '', { filter: 'cited', order: 'author' }).rows[0]?.children?.length, 1);
  assert.notEqual(shownLibrary(whole, '', { filter: 'broken', order: 'author' }).rows[0]?.id, 'references');
});

test('what was fetched from the network is shown by service', () => {
  const { description } = shownLibrary(library([], { fetched: [{ service: 'OpenAlex', abstracts: 2, sentences: 0 }] }), '');
  assert.equal(description, 'survey.tex: 3 entries, 1 cited, 2 abstracts from OpenAlex');
});

test('entries are listed by what is known of them, by name', () => {
  const { rows, message, description } = shownLibrary(library([
    entry('swales1990', { authorYear: 'Swales 1990', basis: 'title' }),
    entry('z', { authorYear: 'Zipf 1949' }),
    entry('a', { authorYear: 'Abe 2001' }),
    entry('nameless'),
    entry('titled', { title: 'Of\n  Ponds', basis: 'abstract' }),
  ]), '');
  assert.equal(message, undefined);
  assert.equal(description, 'survey.tex: 3 entries, 1 cited');
  assert.deepEqual(outline(rows), [
    ['Full text', '3', [['Abe 2001', 'a'], ['nameless', ''], ['Zipf 1949', 'z']]],
    ['Abstract only', '1', [['Of Ponds', 'titled']]],
    ['Title only', '1', [['Swales 1990', 'swales1990']]],
  ]);
});

test('a free copy of a work without a full text can be opened, if it is an address of the web', () => {
  const rowOf = (more: Partial<EntryHealth>): Row | undefined => shownLibrary(library([entry('a', more)]), '').rows[0]?.children?.[0];
  const openAccess = 'https://example.org/a.pdf';
  const offered = rowOf({ basis: 'abstract', openAccess });
  assert.deepEqual([offered?.context, offered?.freeCopy], ['free-copy', openAccess]);
  assert.match(offered?.tooltip ?? '', /Free copy: https:\/\/example\.org\/a\.pdf$/);
  for (const more of [{ basis: 'full text', openAccess }, { basis: 'title', openAccess: 'command:evil' }] as const) {
    assert.equal(rowOf(more)?.context, undefined);
    assert.doesNotMatch(rowOf(more)?.tooltip ?? '', /Free copy/);
  }
});

test('problems come first, those of cited works before others, and each row states what is wrong', () => {
  const { rows } = shownLibrary(library([
    entry('b', { problems: [problem('duplicate', 'seems to be the same work as a')] }),
    entry('c', { cited: true, problems: [problem('duplicate', 'seems to be the same work as d'), problem('no-year', 'has no year')] }),
    entry('t', { basis: 'title', problems: [problem('title-only', 'only the title is known', { advice: 'give it a file' })] }),
  ], { others: [problem('unreadable', 'x.pdf: the PDF is damaged', { file: '/papers/x.pdf' })] }), '');
  assert.deepEqual(outline(rows.slice(0, 3)), [
    ['Cannot be read', '1', [['x.pdf', 'x.pdf: the PDF is damaged']]],
    ['Duplicates', '2', [['c', 'seems to be the same work as d'], ['b', 'seems to be the same work as a']]],
    ['Without a year', '1', [['c', '']]],
  ]);
  assert.match(rows[1]?.tooltip ?? '', /^Duplicates: 2\. Do this\.$/);
  assert.match(rows[1]?.children?.[0]?.tooltip ?? '', /C seems to be the same work as d\. Do this\.$/);
  assert.match(rows.at(-1)?.tooltip ?? '', /Give it a file\.$/);
});

test('a click opens what can be mended: the place in the bibliography, or the file', () => {
  const { rows } = shownLibrary(library([
    entry('full', { file: 'file:///papers/full.pdf' }),
    entry('bare', { basis: 'title', entry: place(4) }),
    entry('broken', { basis: 'title', problems: [problem('broken-entry', 'lacks a comma', { location: place(7) })] }),
    entry('locked', { basis: 'title', problems: [problem('encrypted', 'locked.pdf: needs a password', { file: '/papers/locked.pdf' })] }),
  ]), '');
  const clicks = Object.fromEntries(rows.flatMap(({ children = [] }) => children.map(({ id, click }) => [id, click])));
  assert.deepEqual(clicks, {
    'encrypted 0': { path: '/papers/locked.pdf' },
    'broken-entry 0': { place: place(7) },
    'full text full': { file: 'file:///papers/full.pdf' },
    'title bare': { place: place(4) },
    'title broken': { place: place(1) },
    'title locked': { place: place(1) },
  });
  const full = rows.find(({ id }) => id === 'full text')?.children?.[0];
  assert.deepEqual([full?.context, full?.entry], ['entry', place(1)]);
});

test('missing files are reported once, with how many and where they should be', () => {
  const gone = entry('gone', {
    basis: 'title',
    problems: [problem('missing-file', 'names a file that is not on this computer', { file: 'C:\\Zotero\\storage\\AB\\gone.pdf' })],
  });
  const counts = { ...COUNTS, namedFiles: 332, missingFiles: 238 };
  const { rows: [first, group] } = shownLibrary(library([gone], { counts, commonFolder: { folder: 'C:/Zotero/storage', shared: 238 } }), '');
  assert.equal(first?.label, 'Locate 238 files…');
  assert.match(first.tooltip ?? '', /^238 of 332 papers are not on this computer\. All should be in “C:\/Zotero\/storage”/);
  assert.deepEqual(first.click, { command: 'pincite.locateFiles' });
  assert.deepEqual(outline(group ? [group] : []), [['Not on this computer', '238 of 332', [['gone', 'gone.pdf']]]]);
});

test('while papers are read the view shows how far', () => {
  const health = library([entry('a')], { complete: false });
  assert.equal(shownLibrary(health, '').message, 'Papers are still being read.');
  assert.equal(shownLibrary(health, 'Reading 12 of 60 papers; more may follow.').message, 'Reading 12 of 60 papers; more may follow.');
});

test('ids are unique, though a key has several problems and more than one entry has none', () => {
  const { rows } = shownLibrary(library([
    entry('a', { problems: [problem('repeated-key', 'line 1'), problem('repeated-key', 'line 2')] }), entry('b'),
  ]), '');
  const ids = rows.flatMap((row) => [row.id, ...(row.children ?? []).map(({ id }) => id)]);
  assert.equal(new Set(ids).size, ids.length);
});

test('the folder that mends most is taken: the chosen one, or the one above', async () => {
  const missingWith = (missing: Record<string, number>) => (base: string) => Promise.resolve(missing[base]);
  assert.deepEqual(await baseFolder('/home/ann/files', 5, missingWith({ '/home/ann/files': 1, '/home/ann': 5 })), { base: '/home/ann/files', found: 4 });
  assert.deepEqual(await baseFolder('/home/ann/files', 5, missingWith({ '/home/ann/files': 5, '/home/ann': 0 })), { base: '/home/ann', found: 5 });
  assert.deepEqual(await baseFolder('/home/ann/files', 5, missingWith({ '/home/ann/files': 0, '/home/ann': 0 })), { base: '/home/ann/files', found: 5 });
  assert.equal(await baseFolder('/home/ann/files', 5, missingWith({ '/home/ann/files': 5 })), undefined);
});

test('the author chooses what is listed, and in which order', () => {
  const health = library([
    entry('old', { authorYear: 'Zipf 1949', cited: true, problems: [problem('broken-entry', 'lacks a brace')] }),
    entry('new', { authorYear: 'Abe 2001', problems: [problem('duplicate', 'seems to be the same work as old'), problem('no-year', 'has no year')] }),
    entry('mid', { authorYear: 'Ng 1990b', basis: 'title' }),
  ]);
  const listed = (choice: Parameters<typeof shownLibrary>[2]): unknown => outline(shownLibrary(health, '', choice).rows);
  assert.deepEqual(listed({ filter: 'cited', order: 'author' }), [
    ['Broken entries', '1', [['Zipf 1949', 'old · lacks a brace']]], ['Full text', '1', [['Zipf 1949', 'old']]],
  ]);
  assert.deepEqual(listed({ filter: 'duplicates', order: 'author' }), [
    ['Duplicates', '1', [['Abe 2001', 'new · seems to be the same work as old']]], ['Full text', '1', [['Abe 2001', 'new']]],
  ]);
  assert.deepEqual(listed({ filter: 'without text', order: 'author' }), [['Title only', '1', [['Ng 1990b', 'mid']]]]);
  const orders = (['author', 'year', 'key'] as const).map((order) =>
    shownLibrary(health, '', { filter: 'all', order }).rows.find(({ id }) => id === 'full text')?.children?.map(({ label }) => label));
  assert.deepEqual(orders, [['Abe 2001', 'Zipf 1949'], ['Abe 2001', 'Zipf 1949'], ['Abe 2001', 'Zipf 1949']]);
  assert.match(shownLibrary(health, '', { filter: 'cited', order: 'year' }).description ?? '', /1 cited, shown: cited only$/);
});

test('what would be merged, and what stays, is shown before', () => {
  const at = (key: string, line: number) => ({ key, line, file: 'refs.bib', entry: place(line) });
  const found = {
    draft: 'thesis.tex', byBiber: true, files: ['refs.bib', 'part.tex'], diff: '',
    merges: [{ kept: at('a', 1), gone: [at('b', 5), at('a', 9)] }],
    unmerged: [{ entries: [at('c', 20), at('d', 30)], why: 'their fields differ', fields: [{ field: 'note', values: ['Yours', 'Mine'] }] }],
  };
  assert.equal(mergeQuestion(found), 'Merge the duplicates of 1 work of thesis.tex, as shown? ' +
    '2 entries are deleted; files that change: refs.bib, part.tex. 1 work differs and stays as it is.');
  assert.equal(nothingToMerge({ ...found, unmerged: [] }), 'There are no duplicates to merge in thesis.tex.');
  assert.match(whatStays(found), /## c, d\n\nNot merged: their fields differ\.\n\n- c: refs\.bib, line 20\n- d: refs\.bib, line 30\n\n {4}note = \{Yours\}\n {4}note = \{Mine\}\n/);
});
