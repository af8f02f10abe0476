/** A state of the set-up of each kind. */

import type { SetupState } from '../src/setupState';
import type { Status } from '../src/wire';

export const KNOWN: Status = { state: 'ready', entries: 32, fullTexts: 13, abstracts: 12, titles: 7, broken: 0 };

export const STATES: readonly SetupState[] = [
  { kind: 'not installed' },
  { kind: 'installing', upgrades: false, step: 'Fetching numpy…' },
  { kind: 'no Python', lacking: { reason: 'none', system: 'Debian' } },
  { kind: 'wrong setting', setting: 'pincite.serverCommand', value: '/nowhere', problem: 'is not a program that can be run' },
  { kind: 'starting' },
  { kind: 'stopped' },
  { kind: 'reading', reading: { read: 12, papers: 60 }, known: KNOWN },
  { kind: 'ready', known: KNOWN },
];
