/** The rows of a tree in the side bar, as data. */

import type { Location } from 'vscode-languageserver-protocol';

import type { FirstSteps } from './firstSteps';
import { type Offer, type SetupState, setupText } from './setupState';
import type { DraftFinding } from './wire';

export interface Row {
  /** Unique in its tree; what the author has unfolded is remembered by it. */
  readonly id: string;
  readonly label: string;
  /** Shown after the label, in less prominent type. */
  readonly description?: string;
  readonly tooltip?: string;
  /** Read by screen readers in place of label and description. */
  readonly spoken?: string;
  /** A codicon, with the colour of warnings if there is something to mend. */
  readonly icon?: string;
  readonly warns?: boolean;
  /** What a click does. */
  readonly click?: Click;
  /** For the `when` clauses of menus: a row with the context `entry` has one besides what a click opens, one with `free-copy` an address. */
  readonly context?: string;
  readonly entry?: Location;
  readonly freeCopy?: string;
  /** What was found about an entry: a row with the context `finding-notice` has a notice, one with `finding-mend` something to take. */
  readonly finding?: DraftFinding;
  /** The state of its checkbox, if it has one. */
  readonly checked?: boolean;
  readonly children?: readonly Row[];
  /** Whether its children are shown before the author has folded it. */
  readonly open?: boolean;
}

export type Click =
  | { readonly place: Location }
  /** The address or the path of a full text. */
  | { readonly file: string }
  | { readonly path: string }
  | { readonly command: string; readonly argument?: unknown };

/** What a tree shows: its rows, under a message. */
export interface Shown {
  readonly message?: string;
  /** Behind the title of the view. */
  readonly description?: string;
  readonly rows: readonly Row[];
}

/** What is shown while no server runs: why, and what to do. */
export function shownWithoutServer(state: SetupState): Shown {
  const { title, text, offers } = setupText(state);
  return {
    message: text === '' ? title : `${title}. ${text}`,
    rows: offers.map(rowOf),
  };
}

/** What is shown of a draft without a bibliography, or one without entries. */
export function shownFirstSteps({ why, offers }: FirstSteps): Shown {
  return { message: why, rows: offers.map(rowOf) };
}

function rowOf({ label, command, arguments: given = [] }: Offer, rank: number): Row {
  const [argument] = given;
  return { id: `${rank} ${command}`, label, icon: 'arrow-right', click: { command, ...(argument !== undefined && { argument }) } };
}

/** What is shown while no draft is open; `purpose` continues “Open a draft to”. */
export function shownWithoutDraft(purpose: string): Shown {
  const click = { command: 'workbench.action.quickOpen', argument: '.tex' };
  return {
    message: `Open a draft to ${purpose}.`,
    rows: [{ id: 'open', label: 'Open a draft…', icon: 'go-to-file', click }],
  };
}

/** Return a row and all rows below it. */
export function withDescendants(row: Row): Row[] {
  return [row, ...(row.children ?? []).flatMap(withDescendants)];
}
