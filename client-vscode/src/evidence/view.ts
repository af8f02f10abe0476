/** The side bar view that follows the cursor and shows the supporting sentences of the works cited there. */

import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import {
  type CancellationToken,
  CancellationTokenSource,
  commands,
  type Disposable,
  env,
  type LogOutputChannel,
  Position,
  Range,
  type TextDocumentShowOptions,
  Uri,
  type WebviewView,
  type WebviewViewProvider,
  window,
  workspace,
} from 'vscode';

import { savingEntry } from '../addedEntries';
import { type FirstSteps, firstSteps } from '../firstSteps';
import type { FollowedPlace } from '../follow';
import { Latest } from '../latest';
import type { Place, Server } from '../server';
import { SECTION } from '../settings';
import type { SetupHolder } from '../setupState';
import { checkOff } from '../walkthrough';
import type { Work } from '../wire';
import { look } from './look';
import { type Action, actionIn, type Shown } from './messages';
import { COMMANDS, content, nameOf, page, readingLine, wrongSetting } from './page';
import { samePlace, type State, worksOf } from './state';

/** Debounce: skip places that the cursor only passes. */
const DELAY = 150;
/** How long the outcome of an action is shown. */
const OUTCOME_MS = 8_000;
/** Longer requests show a progress indicator. */
const SLOW = 500;

export class EvidenceView implements WebviewViewProvider, Disposable {
  static readonly id = 'pincite.evidenceView';

  private view: WebviewView | undefined;
  private posted: Shown | undefined;
  private readonly asking: Latest<CancellationToken>;
  private readonly parts: { dispose(): void }[];

  private state: State = { kind: 'looking' };
  private previewed: Work | undefined;
  /** Counts the places that were shown. */
  private places = 0;
  /** The outcome of the author's last action here. */
  private outcome = '';
  private forgetting: NodeJS.Timeout | undefined;
  private busy = false;
  private wantsFocus = false;

  constructor(
    private readonly folder: Uri,
    private readonly server: Server,
    private readonly setup: SetupHolder,
    private readonly followed: FollowedPlace,
    private readonly log: LogOutputChannel,
  ) {
    this.asking = new Latest((token) => this.ask(token), () => new CancellationTokenSource(), DELAY);
    this.parts = [
      this.followed.onDidMove(() => { this.refresh(DELAY); }),
      server.onDidChangeState(() => { this.refresh(0); }),
      setup.onDidChange(() => {
        if (this.server.state === 'running') this.post();
        else this.refresh(0);
      }),
      server.onDidReadPapers(() => { if (this.view?.visible) this.asking.repeat(); }),
      window.registerWebviewViewProvider(EvidenceView.id, this),
      commands.registerCommand('pincite.showEvidence', (argument: unknown) => this.reveal(argument)),
    ];
  }

  resolveWebviewView(view: WebviewView): void {
    const { webview } = view;
    const parts = Uri.joinPath(this.folder, 'dist', 'evidence');
    const source = (name: string): string => webview.asWebviewUri(Uri.joinPath(parts, name)).toString();
    checkOff('support');
    this.view = view;
    this.posted = undefined;
    webview.options = { enableScripts: true, localResourceRoots: [parts] };
    webview.onDidReceiveMessage((message: unknown) => {
      const action = actionIn(message);
      if (action) void this.act(action);
    });
    view.onDidChangeVisibility(() => {
      if (view.visible) this.refresh(0);
      else this.asking.cancel();
    });
    view.onDidDispose(() => {
      this.asking.cancel();
      if (this.view === view) this.view = undefined;
    });
    webview.html = page({
      style: source('view.css'),
      script: source('view.js'),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('hex'),
    });
    this.refresh(0);
  }

  /** Show this work for a place, while the view is visible; without a work, follow the cursor again. */
  preview(place: Place, work: Work | undefined): void {
    this.previewed = work;
    this.places += 1;
    this.post();
    if (!work || work.supporting || !this.view?.visible) return;
    void this.server.evidence(place, work.key).then((evidence) => {
      if (this.previewed !== work) return;
      this.previewed = { ...work, ...evidence?.works[0] };
      this.post();
    }, (error: unknown) => { this.log.warn(String(error)); });
  }

  dispose(): void {
    this.asking.cancel();
    clearTimeout(this.forgetting);
    for (const part of this.parts) part.dispose();
  }

  /** Open the view for a place, or the cursor, and focus it. */
  private async reveal(argument: unknown): Promise<void> {
    const place = placeFrom(argument);
    if (place) this.followed.go(place);
    this.wantsFocus = true;
    await commands.executeCommand(`${EvidenceView.id}.focus`);
    this.refresh(0);
  }

  private refresh(delay: number): void {
    if (this.view?.visible) this.asking.request(delay);
  }

  private async ask(token: CancellationToken): Promise<void> {
    const place = this.followed.current;
    if (this.server.state !== 'running') {
      this.become({ kind: 'setup', setup: this.setup.current });
    } else if (!place) {
      this.become({ kind: 'no draft' });
    } else {
      await this.lookAt(place, token);
    }
  }

  private async lookAt(place: Place, token: CancellationToken): Promise<void> {
    if (!('uri' in this.state)) this.become({ kind: 'looking' });
    const looking = look(this.server, place, this.state, token);
    const slow = setTimeout(() => { this.showBusy(looking); }, SLOW);
    try {
      const state = await looking;
      if (state && !token.isCancellationRequested) this.become(state);
    } catch (error) {
      if (token.isCancellationRequested) return;
      this.log.error(`Evidence view: ${String(error)}`);
      this.become({ kind: 'failed' });
    } finally {
      clearTimeout(slow);
    }
  }

  private showBusy(task: Promise<unknown>): void {
    this.busy = true;
    this.post();
    const done = task.then(() => undefined, () => undefined);
    void window.withProgress({ location: { viewId: EvidenceView.id } }, () => done);
    void done.then(() => {
      this.busy = false;
      this.post();
    });
  }

  private become(state: State): void {
    const same = samePlace(this.state, state);
    if (!same || this.state.kind !== state.kind) this.places += 1;
    if (!same) this.outcome = '';
    this.state = state;
    this.post();
  }

  private post(): void {
    const { state, previewed } = this;
    const setup = this.setup.current;
    const shows = previewed ? { kind: 'preview', work: previewed } as const : state;
    const shown: Shown = {
      html: content(shows, { steps: this.steps, mayFetch: mayFetch() }) + (shows.kind === 'setup' ? '' : wrongSetting(setup)),
      status: this.outcome || ('complete' in state ? readingLine(setup) : ''),
      place: this.places,
      busy: this.busy,
      focus: this.wantsFocus && state.kind !== 'looking',
    };
    if (!this.view?.visible || (isDeepStrictEqual(shown, this.posted) && !shown.focus)) return;
    this.posted = shown;
    if (shown.focus) this.wantsFocus = false;
    void this.view.webview.postMessage(shown);
  }

  private get steps(): FirstSteps | undefined {
    return 'known' in this.state ? firstSteps(this.state.known) : undefined;
  }

  private async act(action: Action): Promise<void> {
    if (action.action !== 'ready') this.outcome = '';
    clearTimeout(this.forgetting);
    let isDone = false;
    try {
      await this.perform(action);
      isDone = true;
    } catch (error) {
      // The server's message explains what cannot be done here.
      this.outcome = error instanceof Error ? error.message : String(error);
      this.log.warn(`Evidence view: ${action.action}: ${this.outcome}`);
    }
    this.post();
    // Why something could not be done is shown until the author goes on.
    if (!isDone || this.outcome === '') return;
    this.forgetting = setTimeout(() => {
      this.outcome = '';
      this.post();
    }, OUTCOME_MS);
  }

  private async perform(action: Action): Promise<void> {
    if (action.action === 'ready') {
      this.posted = undefined;
    } else if (action.action === 'leave') {
      await this.leave();
    } else if (action.action === 'command') {
      await this.execute(action.command);
    } else if (action.action === 'first') {
      const step = this.steps?.offers[Number(action.key)];
      if (step) await commands.executeCommand(step.command, ...(step.arguments ?? []));
    } else if (action.action === 'others' || action.action === 'unfold') {
      this.open(action.key);
    } else {
      // The view may be about to change: use the place for which the works are shown.
      await this.asking.idle();
      const place = this.followed.current;
      const work = worksOf(this.state).find(({ key }) => key === action.key);
      if (place && work) await this.performOn(work, this.fillingAt(place), action);
    }
  }

  /** Return where a work is inserted: in a gap of the sentence, or at its end; with a citation, at the cursor. */
  private fillingAt(place: Place): Place {
    return this.state.kind === 'placeholder' ? { uri: place.uri, position: this.state.start } : place;
  }

  private async performOn(work: Work, place: Place, { action, sentence }: Action): Promise<void> {
    const supporting = work.supporting?.[Number(sentence)];
    if (action === 'insert') {
      const fills = this.state.kind === 'placeholder';
      const made = await savingEntry(work.key, () => this.server.insertCitation(place, work.key));
      if (!made) return;
      this.outcome = `Cited ${nameOf(work)}.`;
      if (fills) await this.leave();
    } else if (action === 'pin' && supporting?.page !== undefined) {
      const { page: at, pageLabel } = supporting;
      if (await this.server.pinCitation(place, work.key, at, pageLabel)) this.outcome = `Pinned page ${pageLabel ?? at}.`;
    } else if (action === 'entry' && work.entry) {
      const { start, end } = work.entry.range;
      const selection = new Range(start.line, start.character, end.line, end.character);
      await window.showTextDocument(Uri.parse(work.entry.uri), { selection, ...columnOf(place.uri) });
    } else if (action === 'file' && work.file !== undefined) {
      const { page: at, text } = supporting ?? {};
      await commands.executeCommand('pincite.openPdf', { uri: work.file, page: at, sentence: text });
    } else if (action === 'zotero' && supporting?.zotero?.startsWith('zotero://open-pdf/')) {
      // As a text: the editor would escape the "=" and "&" of a URI, and Zotero would not find the page.
      await env.openExternal(supporting.zotero as unknown as Uri);
    } else if (action === 'doi' && work.doi !== undefined) {
      const doi = work.doi.split('/').map(encodeURIComponent).join('/');
      await env.openExternal(Uri.parse(`https://doi.org/${doi}`));
    }
  }

  /** Expand or collapse the sentences of a work; without a key, the other works that fit. */
  private open(key: string | undefined): void {
    const { state } = this;
    if (!('opened' in state)) return;
    const { others, keys } = state.opened;
    if (key === undefined) state.opened = { keys, others: !others };
    else state.opened = { others, keys: new Set(keys.has(key) ? [...keys].filter((one) => one !== key) : [...keys, key]) };
    this.refresh(0);
  }

  private async execute(command: string | undefined): Promise<void> {
    if (command === undefined || !COMMANDS.has(command)) return;
    if (command === 'workbench.action.quickOpen') await commands.executeCommand(command, '.tex');
    else await commands.executeCommand(command);
  }

  /** Go back to the draft. */
  private async leave(): Promise<void> {
    const uri = this.followed.current?.uri;
    if (uri) await window.showTextDocument(uri, columnOf(uri));
  }
}

/** Return whether the author allows services to be asked. */
function mayFetch(): boolean {
  return workspace.isTrusted && workspace.getConfiguration(SECTION).get('enrich') !== 'off';
}

/** The editor column of the draft, with papers beside it. */
function columnOf(uri: Uri): TextDocumentShowOptions {
  const shown = window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  return shown?.viewColumn === undefined ? {} : { viewColumn: shown.viewColumn };
}

/** The argument of our commands, also as sent by the server (docs/reference/protocol.md). */
interface PlaceArgument {
  uri: string;
  position: { line: number; character: number };
}

/** Menus pass different arguments from the server's, and the palette none. */
function placeFrom(argument: unknown): Place | undefined {
  const { uri, position } = (argument ?? {}) as Partial<PlaceArgument>;
  if (typeof uri !== 'string' || position === undefined) return undefined;
  return { uri: Uri.parse(uri), position: new Position(position.line, position.character) };
}
