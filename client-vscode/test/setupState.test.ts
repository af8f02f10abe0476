import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';

import { howToGetPython, systemOf } from '../src/installation/getPython';
import { type Parts, SetupHolder, setupText, stateOf } from '../src/setupState';
import { KNOWN, STATES } from './states';

const AT_FIRST: Parts = { server: 'starting', obstacle: undefined, installing: undefined, reading: undefined, known: undefined, wrong: [] };
const kind = (parts: Partial<Parts>): string => stateOf({ ...AT_FIRST, ...parts }).kind;
const WRONG = { setting: 'pincite.system', value: 'bm-25', problem: 'is no system' };

test('the state follows from what is known of the parts', () => {
  assert.equal(kind({}), 'starting');
  assert.equal(kind({ server: 'missing' }), 'starting');
  assert.equal(kind({ server: 'missing', obstacle: { kind: 'not installed' } }), 'not installed');
  const installing = { upgrades: false, step: 'Installing…' };
  assert.equal(kind({ server: 'missing', obstacle: { kind: 'not installed' }, installing }), 'installing');
  assert.equal(kind({ server: 'stopped' }), 'stopped');
  assert.equal(kind({ server: 'stopped', obstacle: { kind: 'wrong setting', ...WRONG } }), 'wrong setting');
  assert.equal(kind({ server: 'running' }), 'starting');
  assert.equal(kind({ server: 'running', known: KNOWN, installing }), 'ready');
  assert.equal(kind({ server: 'running', known: { ...KNOWN, state: 'reading' } }), 'reading');
  assert.equal(kind({ server: 'running', known: KNOWN, reading: { read: 1, papers: 2 } }), 'reading');
  assert.equal(kind({ server: 'running', known: KNOWN, wrong: [WRONG] }), 'wrong setting');
});

test('whoever listens is notified once of each change', () => {
  const holder = new SetupHolder();
  const seen: string[] = [];
  const listening = holder.onDidChange(() => seen.push(holder.current.kind));
  holder.update({ server: 'starting' });
  holder.update({ server: 'running', known: KNOWN });
  holder.update({ known: { ...KNOWN } });
  holder.update({ server: 'stopped' });
  listening.dispose();
  holder.update({ server: 'running' });
  assert.deepEqual(seen, ['ready', 'stopped']);
});

test('each state shows what it is and what can be done', () => {
  for (const state of STATES) {
    const { title, text, offers, busy } = setupText(state);
    assert.ok(title.length > 0 && text.length > 0, state.kind);
    assert.ok(busy === true || offers.length > 0, state.kind);
  }
  const texts = (wanted: string): string[] => STATES.filter((state) => state.kind === wanted).map(setupText).flatMap(({ title, text }) => [title, text]);
  assert.deepEqual(texts('reading'), ['Reading 12 of 60 papers', '32 entries, 13 with full text']);
  assert.deepEqual(texts('wrong setting'), ['The setting pincite.serverCommand is wrong', '“/nowhere” is not a program that can be run.']);
  assert.deepEqual(texts('ready'), ['32 entries, 13 with full text', '19 by abstract or title only']);
});

test('what is known of the entries, and how more can be', () => {
  const ready = (more: object) => setupText({ kind: 'ready', known: { ...KNOWN, ...more } });
  assert.deepEqual(ready({}).offers.map(({ command }) => command), ['pincite.addLibraryFolder']);
  const all = ready({ entries: 1, fullTexts: 1, abstracts: 0, titles: 0, broken: 0 });
  assert.equal(all.title, '1 entry, 1 with full text');
  assert.deepEqual(all.offers.map(({ command }) => command), ['pincite.rebuildIndex']);
  assert.equal(ready({ entries: 24, broken: 1 }).title, '24 entries, 1 broken, 13 with full text');
  assert.equal(ready({ broken: 1 }).severity, 'warning');
  const main = 'file:///home/me/my%20thesis.tex';
  assert.equal(ready({ main }).text, '19 by abstract or title only · part of my thesis.tex');
  assert.equal(ready({ entries: 0 }).title, 'No entries');
  assert.equal(setupText({ kind: 'reading', reading: undefined, known: undefined }).title, 'Reading papers');
});

test('how to get a Python is shown for the system', () => {
  assert.equal(systemOf('win32', ''), 'Windows');
  assert.equal(systemOf('darwin', ''), 'macOS');
  assert.equal(systemOf('linux', 'NAME=Mint\nID=linuxmint\nID_LIKE="ubuntu debian"\n'), 'Debian');
  assert.equal(systemOf('linux', 'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n'), 'SUSE');
  assert.equal(systemOf('linux', 'ID=nixos\n'), 'other');
  assert.match(howToGetPython({ reason: 'none', system: 'Fedora' }), /^None was found\. Run “sudo dnf install python3”\./);
  assert.match(howToGetPython({ reason: 'too old', version: '3.8.1', system: 'Debian' }), /^Only Python 3\.8\.1 was found\. Run “sudo apt .* python\.org/);
  const without = { reason: 'no environments', executable: '/usr/bin/python3', version: '3.12.3', system: 'Debian' } as const;
  assert.match(howToGetPython(without), /^\/usr\/bin\/python3 cannot create virtual environments\. .*python3\.12-venv/);
});

test('the walkthrough has one first step for each state, with the words of the state', () => {
  const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    contributes: { walkthroughs: { steps: { id: string; title: string; when?: string }[] }[] };
  };
  const steps = contributes.walkthroughs.flatMap((one) => one.steps).filter(({ id }) => id.startsWith('install'));
  for (const state of STATES) {
    const shown = steps.filter(({ when }) => when?.includes(`== '${state.kind}'`));
    assert.equal(shown.length, 1, state.kind);
    if (['installing', 'no Python', 'stopped', 'starting'].includes(state.kind)) assert.equal(shown[0]?.title, setupText(state).title);
  }
});
