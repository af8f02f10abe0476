/** Runs in the page of the Evidence view: shows what the extension sends, and reports the author's actions. */

import type { Action, Shown } from '../messages';

declare function acquireVsCodeApi(): {
  postMessage(message: Action): void;
  getState(): SavedState | undefined;
  setState(state: SavedState): void;
};

/** State that survives the page, which the editor discards when the view is hidden. */
interface SavedState {
  place: number;
  top: number;
}

const vscode = acquireVsCodeApi();
const main = document.querySelector('main') ?? document.body;
const status = document.getElementById('status') ?? document.body;
let html = '';
let place: number | undefined;

window.addEventListener('message', ({ data }: MessageEvent<Shown>) => { show(data); });
document.addEventListener('click', reportAction);
document.addEventListener('keydown', move);
window.addEventListener('scroll', () => {
  if (place !== undefined) vscode.setState({ place, top: window.scrollY });
});
vscode.postMessage({ action: 'ready' });

function show(shown: Shown): void {
  if (shown.html !== html) put(shown);
  main.setAttribute('aria-busy', `${shown.busy}`);
  if (status.textContent !== shown.status) status.textContent = shown.status;
  if (shown.focus) (current() ?? main.querySelector<HTMLElement>('article, h1 ~ button'))?.focus();
}

function put(shown: Shown): void {
  // If the window is not focused, focusing an element would take the focus from the draft.
  const focused = document.hasFocus() && main.contains(document.activeElement) ? document.activeElement : null;
  const again = focused && identity(focused);
  const at = current()?.id;
  const top = place === undefined ? savedTop(shown.place) : place === shown.place ? window.scrollY : 0;
  ({ html, place } = shown);
  main.innerHTML = html;
  window.scrollTo(0, top);
  if (current()?.id !== at) current()?.scrollIntoView({ block: 'nearest' });
  if (focused === null) return;
  const same = [...main.querySelectorAll<HTMLElement>('[tabindex], button')].find((one) => identity(one) === again);
  (same ?? current() ?? main.querySelector<HTMLElement>('article, button'))?.focus({ preventScroll: true });
}

function savedTop(next: number): number {
  const state = vscode.getState();
  return state?.place === next ? state.top : 0;
}

function current(): HTMLElement | null {
  return main.querySelector<HTMLElement>('[aria-current]');
}

/** The identity of an element across page updates. */
function identity(element: Element): string {
  return JSON.stringify([element.id, (element as HTMLElement).dataset, element.getAttribute('aria-label')]);
}

function reportAction({ target }: MouseEvent): void {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-action]') : null;
  const action = element?.dataset.action;
  // Selecting a sentence to copy it is not a click.
  if (!element || action === undefined || (element.tagName !== 'BUTTON' && getSelection()?.isCollapsed === false)) return;
  const folded = element.getAttribute('aria-expanded');
  if (folded !== null) fold(element, folded === 'false');
  vscode.postMessage(Object.assign({ action }, element.dataset));
}

function fold(element: Element, open: boolean): void {
  element.setAttribute('aria-expanded', `${open}`);
  document.getElementById(element.getAttribute('aria-controls') ?? '')?.toggleAttribute('hidden', !open);
}

/** Arrow keys move between works, Escape returns to the draft. */
function move(event: KeyboardEvent): void {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.key === 'Escape') {
    vscode.postMessage({ action: 'leave' });
    return;
  }
  const works = [...main.querySelectorAll<HTMLElement>('article')].filter((work) => work.offsetParent !== null);
  const at = works.findIndex((work) => work.contains(document.activeElement));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: works.length - 1 }[event.key];
  const work = to === undefined ? undefined : works[Math.max(to, 0)];
  if (!work || works[at] === work) return;
  event.preventDefault();
  work.focus();
  if (work === works[0]) window.scrollTo(0, 0);
  else work.scrollIntoView({ block: 'nearest' });
}
