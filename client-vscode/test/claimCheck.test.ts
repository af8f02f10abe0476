import assert from 'node:assert/strict';
import test from 'node:test';

import { decided, identified, Marks, nextFinding, rankAt, findingStatus, shownFindings } from '../src/claimCheck/findings';
import type { DraftFinding } from '../src/wire';

const finding = (line: number, more: Partial<DraftFinding> = {}): DraftFinding => ({
  file: 'survey.tex', line, kind: 'placeholder', key: '', message: 'A citation is missing here.', excerpt: `… words ${line} \\cite{} …`,
  sentence: `Sentence ${line}.`, id: `f${line}`, work: '', about: `sentence ${line}`,
  location: { uri: 'file:///survey.tex', range: { start: { line: line - 1, character: 4 }, end: { line: line - 1, character: 9 } } },
  ...more,
});

test('two findings of a kind in one sentence are distinguished', () => {
  const [a, b] = identified([finding(3), finding(3)]);
  assert.notEqual(a?.id, b?.id);
});

test('what is accepted in the file of decisions is checked, until it is not', () => {
  const accepted = { on: '2026-11-27', note: 'read p. 3', by: 'A. Author' };
  const findings = identified([finding(3, { accepted }), finding(4)]);
  const marks = new Marks(findings);
  assert.deepEqual([marks.has('f3'), marks.has('f4')], [true, false]);
  marks.set('f3', false);
  marks.set('f4', true);
  assert.deepEqual([marks.has('f3'), marks.has('f4')], [false, true]);
  const [group] = shownFindings({ draft: 'survey.tex', complete: true }, findings, new Marks(findings), false).rows;
  assert.ok(group?.children);
  assert.equal(group.context, 'findings');
  assert.match(group.children[0]?.tooltip ?? '', /Accepted on 2026-11-27 by A\. Author: read p\. 3/);
});

test('a decision is about what the server has reported', () => {
  const [, second] = identified([finding(3), finding(3)]);
  assert.ok(second);
  assert.deepEqual(decided(second), { id: 'f3', kind: 'placeholder', key: '', work: '', about: 'sentence 3' });
});

test('the next finding is one that is not checked, and after the last comes the first', () => {
  const findings = identified([1, 2, 3, 4].map((line) => finding(line)));
  const marks = { has: (id: string) => id === findings[1]?.id };
  const line = (rank: number, step: 1 | -1): number | undefined => nextFinding(findings, marks, rank, step)?.line;
  assert.deepEqual([-1, 0, 1, 2, 3].map((rank) => line(rank, 1)), [1, 3, 3, 4, 1]);
  assert.deepEqual([0, 1, 2, 3].map((rank) => line(rank, -1)), [4, 1, 1, 3]);
  assert.equal(nextFinding(findings, { has: () => true }, 0, 1), undefined);
  assert.equal(nextFinding([], marks, -1, 1), undefined);
  // A finding that is alone is gone to again.
  assert.equal(nextFinding(findings.slice(0, 1), marks, 0, 1)?.line, 1);
});

test('from a place, the findings go on after it', () => {
  const other = { uri: 'file:///other.tex', range: { start: { line: 1, character: 0 }, end: { line: 1, character: 1 } } };
  const findings = identified([finding(2), finding(5, { location: other }), finding(9)]);
  const at = (line: number, character = 0, uri = 'file:///survey.tex'): number => rankAt(findings, uri, { line, character });
  assert.deepEqual([at(0), at(1, 4), at(1, 3), at(5), at(8, 5)], [-1, 0, -1, 0, 2]);
  assert.deepEqual([at(0, 0, other.uri), at(3, 0, other.uri), at(3, 0, 'file:///elsewhere.tex')], [0, 1, -1]);
});

test('findings are shown by kind, the gravest first, with how many are checked', () => {
  const findings = identified([
    finding(1), finding(2, { sentence: '' }), finding(3, { kind: 'undefined-key', key: 'gone', message: 'No bibliography has the key “gone”.' }),
    finding(4, { kind: 'weak-support', key: 'harris1954', excerpt: '… meanings in context \\cite{harris1954} …' }),
  ]);
  const marks = { has: (id: string) => id === findings[0]?.id };
  const { rows, description, message } = shownFindings({ draft: 'survey.tex', complete: true }, findings, marks, false);
  assert.equal(description, 'survey.tex: 3 to check');
  assert.equal(message, undefined);
  assert.deepEqual(rows.map(({ label, description: number }) => [label, number]), [
    ['Undefined keys', '1'], ['Placeholders', '2, 1 checked'], ['Weak support', '1'],
  ]);
  assert.deepEqual(rows.flatMap(({ children = [] }) => children).map(({ label, description: beside, checked }) => [label, beside, checked]), [
    ['gone', 'survey.tex:3', false],
    ['Sentence 1.', 'survey.tex:1', true],
    ['words 2 \\cite{} …', 'survey.tex:2', false],
    ['harris1954', 'survey.tex:4 · meanings in context \\cite{harris1954} …', false],
  ]);
  assert.equal(findingStatus(findings[2] ?? assert.fail(), findings), '3 of 4 findings: No bibliography has the key “gone”.');
});

test('what was not checked is one folded row, with the reasons in it; what the draft can mend is open', () => {
  const verdict = (reason: string, text: string) => ({ kind: 'not checked' as const, sentences: 0, reason, text });
  const unchecked = [
    { file: 'survey.tex', line: 7, key: 'firth1957', sentence: 'See Firth.', verdict: verdict('title only', 'not checked, because only the title is known') },
    { file: 'survey.tex', line: 9, key: 'harris1954', sentence: 'See Harris.', verdict: verdict('too short', 'not checked, because the sentence is short') },
  ];
  const reasons = [{ reason: 'title only', number: 1 }, { reason: 'too short', number: 1 }];
  const verdicts = { citations: 6, supported: 3, withoutSupport: 1, notChecked: 2, reasons, unchecked, text: '6 citations: 3 supported' };
  const findings = identified([finding(1), finding(7, { kind: 'title-only', key: 'firth1957' })]);
  const { rows, message } = shownFindings({ draft: 'survey.tex', complete: true, verdicts }, findings, { has: () => false }, false);
  assert.equal(message, '6 citations: 3 supported.');
  assert.deepEqual(rows.map(({ label, description, open = false }) => [label, description, open]), [
    ['Placeholders', '1', true], ['Not checked', '2 of 6 citations', false],
  ]);
  const inside = rows[1]?.children ?? [];
  assert.deepEqual(inside.map(({ label, description, open = false }) => [label, description, open]), [
    ['Title only', '1', false], ['Too short', '1', false],
  ]);
  assert.deepEqual(inside.map(({ children = [] }) => children.map(({ label, checked }) => [label, checked])), [
    [['firth1957', false]], [['harris1954', undefined]],
  ]);
});

test('the view shows when something is missing from what it shows', () => {
  const shown = (complete: boolean, findings: DraftFinding[], changed: boolean) =>
    shownFindings({ draft: 'a.tex', complete }, identified(findings), { has: () => false }, changed);
  assert.match(shown(false, [finding(1)], false).message ?? '', /^Papers are still being read/);
  assert.match(shown(true, [finding(1)], true).message ?? '', /checked again when you save it/);
  assert.match(shown(true, [], false).message ?? '', /^Nothing was found/);
  assert.equal(shown(true, [], false).description, 'a.tex: nothing found');
});
