/** What the Library view lists of the entries, and in which order. */

import type { EntryHealth, LibraryHealth, ProblemKind } from '../wire';

export type Filter = 'all' | 'cited' | 'without text' | 'broken' | 'duplicates';
export type Order = 'author' | 'year' | 'key';

export interface Choice {
  readonly filter: Filter;
  readonly order: Order;
}

export const EVERYTHING: Choice = { filter: 'all', order: 'author' };

export const FILTERS: Readonly<Record<Filter, string>> = {
  all: 'All entries', cited: 'Cited only', 'without text': 'Without full text', broken: 'Broken', duplicates: 'Duplicates',
};
export const ORDERS: Readonly<Record<Order, string>> = { author: 'By author', year: 'By year, newest first', key: 'By key' };

/** The problems that a filter is about; it lists the entries that have one of them. */
const KINDS: Partial<Record<Filter, readonly ProblemKind[]>> = {
  'without text': ['missing-file', 'scanned', 'encrypted', 'unreadable', 'title-only'],
  broken: ['broken-entry'],
  duplicates: ['duplicate', 'repeated-key'],
};

/** Return a library with what a filter leaves of its entries and problems. */
export function filtered(health: LibraryHealth, filter: Filter): LibraryHealth {
  const kinds = KINDS[filter];
  const isShown = ({ cited, basis, problems }: EntryHealth): boolean =>
    filter === 'all' || (filter === 'cited' ? cited : filter === 'without text' ? basis !== 'full text' : problems.some(({ kind }) => kinds?.includes(kind)));
  const left = health.entries.filter(isShown).map((entry) =>
    kinds ? { ...entry, problems: entry.problems.filter(({ kind }) => kinds.includes(kind)) } : entry);
  const others = filter === 'cited' ? [] : health.others.filter(({ kind }) => kinds?.includes(kind) ?? true);
  const keys = left.map(({ key }) => key);
  const findings = kinds ? [] : (health.findings ?? []).filter(({ key }) => filter === 'all' || keys.includes(key));
  return { ...health, entries: left, others, findings };
}

/** Return how two entries are ordered, each with the name that is shown. */
export function compared(order: Order): (a: { name: string; entry: EntryHealth }, b: { name: string; entry: EntryHealth }) => number {
  const year = ({ authorYear }: EntryHealth): number => Number(/(\d{4})[a-z]?$/.exec(authorYear)?.[1] ?? 0);
  return (a, b) =>
    (order === 'year' ? year(b.entry) - year(a.entry) : order === 'key' ? a.entry.key.localeCompare(b.entry.key) : 0) || a.name.localeCompare(b.name);
}
