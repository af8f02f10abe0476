/** Messages between the view's page and the extension. */

/** The content to show. */
export interface Shown {
  html: string;
  /** Announced to screen readers. */
  status: string;
  /** Changes with the place: scrolling starts at the top. */
  place: number;
  /** A request is in progress. */
  busy: boolean;
  /** The author opened the view, which takes the focus. */
  focus: boolean;
}

/** An action of the author, from the data attributes of its element. */
export interface Action {
  action: string;
  key?: string;
  /** The rank of a supporting sentence. */
  sentence?: string;
  command?: string;
}

/** Validate a message from the page. */
export function actionIn(message: unknown): Action | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const values = Object.values(message);
  const known = 'action' in message && values.every((value) => typeof value === 'string');
  return known ? (message as Action) : undefined;
}
