/**
 * The state of the set-up, and its texts: status item, Evidence view, walkthrough and messages share them.
 *
 * `SetupHolder` holds what is known about the parts, and reports when the resulting state changes.
 */

import { isDeepStrictEqual } from 'node:util';

import { ENVIRONMENT_MB } from './installation/install';
import { howToGetPython, type Lacking } from './installation/getPython';
import { OLDEST_PYTHON } from './installation/versions';
import type { ServerState } from './serverState';
import type { Reading, Status, WrongSetting } from './wire';
import { counted } from './wording';

/** Why there is no server to start. */
export type Obstacle =
  | { readonly kind: 'not installed'; /** Why it could not be installed, once that was tried. */ readonly failed?: string }
  | { readonly kind: 'no Python'; readonly lacking: Lacking }
  | ({ readonly kind: 'wrong setting' } & WrongSetting);

export type SetupState =
  | Obstacle
  | { readonly kind: 'installing'; readonly upgrades: boolean; readonly step: string }
  | { readonly kind: 'starting' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'reading'; readonly reading: Reading | undefined; readonly known: Status | undefined }
  | { readonly kind: 'ready'; readonly known: Status };

/** What the state follows from. */
export interface Parts {
  readonly server: ServerState;
  readonly obstacle: Obstacle | undefined;
  readonly installing: { readonly upgrades: boolean; readonly step: string } | undefined;
  /** Papers of a draft, while they are read. */
  readonly reading: Reading | undefined;
  readonly known: Status | undefined;
  /** Settings that the server cannot use; it runs without them. */
  readonly wrong: readonly WrongSetting[];
}

const AT_FIRST: Parts = {
  server: 'starting', obstacle: undefined, installing: undefined, reading: undefined, known: undefined, wrong: [],
};

export function stateOf({ server, obstacle, installing, reading, known, wrong }: Parts): SetupState {
  if (server === 'running') {
    const [first] = wrong;
    if (first) return { kind: 'wrong setting', ...first };
    if (reading ?? known?.state === 'reading') return { kind: 'reading', reading: reading ?? known?.reading, known };
    return known ? { kind: 'ready', known } : { kind: 'starting' };
  }
  if (installing) return { kind: 'installing', ...installing };
  if (obstacle) return obstacle;
  // Without an obstacle that is known, one is still looked for.
  return server === 'stopped' ? { kind: 'stopped' } : { kind: 'starting' };
}

export class SetupHolder {
  private parts = AT_FIRST;
  private state = stateOf(AT_FIRST);
  private readonly listeners = new Set<() => void>();

  get current(): SetupState {
    return this.state;
  }

  /** Call `listener` whenever the state has changed. */
  onDidChange(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => { this.listeners.delete(listener); } };
  }

  /** Note what has changed of the parts. */
  update(parts: Partial<Parts>): void {
    this.parts = { ...this.parts, ...parts };
    const state = stateOf(this.parts);
    if (isDeepStrictEqual(state, this.state)) return;
    this.state = state;
    for (const listener of [...this.listeners]) listener();
  }
}

/** A command of the editor, as a button. */
export interface Offer {
  readonly label: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export interface SetupText {
  readonly title: string;
  readonly text: string;
  readonly offers: readonly Offer[];
  readonly busy?: boolean;
  readonly severity?: 'warning' | 'error';
}

export const SHOW_LOGS: Offer = { label: 'Show logs', command: 'pincite.showLogs' };
export const RESTART: Offer = { label: 'Restart server', command: 'pincite.restartServer' };
export const INSTALL: Offer = { label: 'Install the Pincite server', command: 'pincite.install' };
export const OPEN_SETTINGS: Offer = { label: 'Open settings', command: 'pincite.openWrongSetting' };
export const GET_PYTHON: Offer = { label: 'Get Python', command: 'pincite.getPython' };
export const ADD_FOLDER: Offer = { label: 'Add library folder…', command: 'pincite.addLibraryFolder' };
export const FETCH_ABSTRACTS: Offer = { label: 'Fetch abstracts…', command: 'pincite.fetchMissing' };
const REBUILD: Offer = { label: 'Rebuild library index', command: 'pincite.rebuildIndex' };

/** All commands that a state may offer. */
export const OFFERED: readonly Offer[] = [SHOW_LOGS, RESTART, INSTALL, OPEN_SETTINGS, GET_PYTHON, ADD_FOLDER, FETCH_ABSTRACTS, REBUILD];

/** The texts of a state. */
export function setupText(state: SetupState): SetupText {
  switch (state.kind) {
    case 'not installed':
      if (state.failed !== undefined) {
        const offers = [{ ...INSTALL, label: 'Try again' }, SHOW_LOGS];
        return { title: 'The Pincite server could not be installed', text: state.failed, offers, severity: 'error' };
      }
      return {
        title: 'The Pincite server is not installed',
        text: 'Pincite ranks your references and finds supporting sentences with a server that runs on this computer. ' +
          `It is installed once, into its own folder (about ${ENVIRONMENT_MB} MB).`,
        offers: [INSTALL, SHOW_LOGS],
        severity: 'warning',
      };
    case 'installing':
      return {
        title: `${state.upgrades ? 'Upgrading' : 'Installing'} the Pincite server`,
        text: state.step,
        offers: [SHOW_LOGS],
        busy: true,
      };
    case 'no Python':
      return {
        title: `Pincite needs Python ${OLDEST_PYTHON} or newer`,
        text: howToGetPython(state.lacking),
        offers: [GET_PYTHON, { ...OPEN_SETTINGS, label: 'Choose a Python' }, { ...RESTART, label: 'Look again' }],
        severity: 'warning',
      };
    case 'wrong setting':
      return {
        title: `The setting ${state.setting} is wrong`,
        text: `“${state.value}” ${state.problem}.`,
        offers: [OPEN_SETTINGS, SHOW_LOGS],
        severity: 'warning',
      };
    case 'starting':
      return { title: 'The Pincite server is starting', text: 'Supporting sentences will appear in a moment.', offers: [], busy: true };
    case 'stopped':
      return {
        title: 'The Pincite server has stopped',
        text: 'Restart it. If it stops again, the log shows why.',
        offers: [RESTART, SHOW_LOGS],
        severity: 'error',
      };
    case 'reading':
      return { title: readingOf(state.reading), text: state.known ? knownOf(state.known) : '', offers: [], busy: true };
    case 'ready':
      return readyText(state.known);
  }
}

function readingOf(reading: Reading | undefined): string {
  // Before papers are counted, and where there are none.
  if (reading?.papers === 0) return 'Reading the library';
  return reading ? `Reading ${Math.min(reading.read, reading.papers)} of ${counted(reading.papers, 'paper')}` : 'Reading papers';
}

function readyText(known: Status): SetupText {
  const severity = known.broken ? { severity: 'warning' } as const : {};
  if (known.entries === 0) return { title: 'No entries', text: 'No bibliography of an open draft was found.', offers: [] };
  const rest = known.entries - known.fullTexts;
  return {
    ...severity,
    title: knownOf(known),
    text: `${rest === 0 ? 'Every work can be searched.' : `${rest} by abstract or title only`}${partOf(known)}`,
    offers: [rest === 0 ? REBUILD : ADD_FOLDER],
  };
}

/** Return which main file counts, for a document that is a part of its draft. */
function partOf({ main }: Status): string {
  return main === undefined ? '' : ` · part of ${decodeURIComponent(main.slice(main.lastIndexOf('/') + 1))}`;
}

/** Return a short summary of what is known about the entries. */
export function knownOf({ entries, fullTexts, broken }: Pick<Status, 'entries' | 'fullTexts' | 'broken'>): string {
  // A server that was installed earlier does not count them.
  return `${counted(entries, 'entry', 'entries')}, ${broken ? `${broken} broken, ` : ''}${fullTexts} with full text`;
}
