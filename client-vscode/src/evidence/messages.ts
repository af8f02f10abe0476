/** What the view's page and the extension tell each other. */

/** What the page is to show. */
export interface Shown {
  html: string;
  /** Read out to those who do not see the page. */
  status: string;
  /** Changes when another place is shown: scrolling starts again. */
  place: number;
  /** More is being asked for. */
  busy: boolean;
  /** The author asked for the view, and wants to be in it. */
  focus: boolean;
}

/** What the author does, by the data attributes of the element that it is done with. */
export interface Action {
  action: string;
  key?: string;
  /** The rank of a supporting sentence. */
  sentence?: string;
  command?: string;
}

/** Return what the page sent, if it is what it sends. */
export function actionIn(message: unknown): Action | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const values = Object.values(message);
  const known = 'action' in message && values.every((value) => typeof value === 'string');
  return known ? (message as Action) : undefined;
}
