/** “Suggest citations here”, “Search my Zotero”, “Suggest works I do not have”: a list of ranked works for a place, with their supporting sentences. */

import {
  type CancellationToken,
  CancellationTokenSource,
  commands,
  Disposable,
  Position,
  type QuickPickItem,
  type QuickInputButton,
  Range,
  ThemeIcon,
  Uri,
  window,
  workspace,
} from 'vscode';

import { savingEntry } from '../addedEntries';
import { Debounced } from '../debounced';
import { CREATE_BIBLIOGRAPHY } from '../firstBibliography';
import { MovingPlace } from '../follow';
import { isDraft } from '../languages';
import { showState } from '../messages';
import type { Place, Server } from '../server';
import type { SetupHolder } from '../setupState';
import { checkOff } from '../walkthrough';
import type { Work } from '../wire';
import { messageOf } from '../wording';
import { lookUpListed } from './addWork';
import { hintFor, rowOf, suggested } from './suggestions';

/** Called with the active work of the list, ranked for a place; with none once the list is closed. */
export type Preview = (place: Place, work: Work | undefined) => void;

const MAX_WORKS = 30;
/** Where none of the author's works fits, so many that they do not have follow the first ones. */
const MAX_DISCOVERED = 5;
const BEFORE_DISCOVERED = 3;
/** How often the works are requested again before Enter does nothing. */
const MAX_TRIES = 5;
/** As many as the list shows at once come with their sentences; the others load theirs when active. */
const WITH_SENTENCES = 10;
const PAUSE_MS = 120;
const REFRESH_MS = 400;

const OPEN_TEXT: QuickInputButton = { iconPath: new ThemeIcon('book'), tooltip: 'Open the paper' };
const NEWEST: QuickInputButton = { iconPath: new ThemeIcon('history'), tooltip: 'Show the newest first' };
const BEST: QuickInputButton = { iconPath: new ThemeIcon('star'), tooltip: 'Show the best first' };
const OPEN_ENTRY: QuickInputButton = { iconPath: new ThemeIcon('go-to-file'), tooltip: 'Show the entry' };

/** The argument, as code actions pass it. */
interface Argument {
  uri: string;
  position: { line: number; character: number };
  /** What is searched for at first. */
  typed?: string;
  /** A key of the citation there, in place of which the chosen one is put. */
  replaces?: string;
}

interface Item extends QuickPickItem {
  work: Work;
}

/** The texts of one of the commands, and its works. */
interface Scope {
  readonly title: string;
  readonly only?: 'zotero' | 'discovered';
  /** Shown until the works are there. */
  readonly waiting: string;
  /** Shown where there are no works at all. */
  readonly nothing: string;
}

const ALL: Scope = {
  title: 'Suggest citations here',
  waiting: 'Ranking your entries for this place…',
  nothing: 'There is nothing to suggest: this draft names no bibliography with entries.',
};
const ZOTERO: Scope = {
  title: 'Search my Zotero',
  only: 'zotero',
  waiting: 'Ranking your Zotero works for this place…',
  nothing: 'Pincite found no Zotero works on this computer. Start Zotero once, and make sure that the setting pincite.zotero is “auto” and that you trust the workspace.',
};
const DISCOVERED: Scope = {
  title: 'Suggest works I do not have',
  only: 'discovered',
  waiting: 'Ranking the works around yours for this place…',
  nothing: 'Pincite knows no works around yours yet. It takes them from the reference lists of your papers; to find more, run “Discover works around this bibliography…”.',
};

export function registerSuggestHere(server: Server, setup: SetupHolder, preview: Preview): Disposable {
  return Disposable.from(
    registerList('pincite.suggestHere', ALL, server, setup, preview),
    registerList('pincite.searchZotero', ZOTERO, server, setup, preview),
    registerList('pincite.suggestDiscovered', DISCOVERED, server, setup, preview),
  );
}

function registerList(name: string, scope: Scope, server: Server, setup: SetupHolder, preview: Preview): Disposable {
  return commands.registerCommand(name, async (argument: unknown) => {
    const given = isArgument(argument) ? argument : undefined;
    const place = given ? placeOf(given) : placeOfCursor();
    if (!place) {
      void window.showInformationMessage('Open a draft and put the cursor where you want to cite.');
    } else if (server.state === 'missing' || server.state === 'stopped') {
      await showState(setup.current);
    } else {
      new SuggestionList(server, setup, scope, place, preview, given).show();
      checkOff('asked');
    }
  });
}

class SuggestionList {
  private readonly list = window.createQuickPick<Item>();
  private readonly listening: { dispose(): unknown }[];
  private readonly looking = new Debounced(() => void this.findSentences(), PAUSE_MS);
  private readonly refreshing = new Debounced(() => void this.refresh(), REFRESH_MS);
  private readonly searching = new Debounced(() => void this.refresh(), PAUSE_MS);
  private asked = new CancellationTokenSource();
  private lookedAt = new CancellationTokenSource();
  /** What was searched for to find the works that are shown. */
  private found = '';
  private newest = false;
  /** Whether the active item was set here since the editor last reported which one is. */
  private hasSetActive = false;

  constructor(
    private readonly server: Server,
    private readonly setup: SetupHolder,
    private readonly scope: Scope,
    private place: Place,
    private readonly preview: Preview,
    private readonly given: Pick<Argument, 'typed' | 'replaces'> | undefined,
  ) {
    const { list } = this;
    list.title = scope.title;
    list.placeholder = scope.waiting;
    list.value = given?.typed ?? '';
    list.busy = true;
    // Of works that the author does not have, nobody knows when they were added.
    if (scope.only !== 'discovered') list.buttons = [NEWEST];
    this.listening = [
      list,
      this.looking,
      this.refreshing,
      this.searching,
      list.onDidChangeValue(() => { this.searching.request(); }),
      list.onDidChangeActive(([item]) => { this.activated(item); }),
      list.onDidAccept(() => void this.accept()),
      list.onDidTriggerButton(() => { this.turnOrder(); }),
      list.onDidTriggerItemButton(({ button, item }) => void this.open(button, item.work)),
      list.onDidHide(() => { this.dispose(); }),
      server.onDidChangeState(() => void this.refresh()),
      server.onDidReadPapers(({ done }) => { if (list.busy) this.readFurther(done); }),
      // The citation belongs to the place for which the list was opened, which has changed.
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document.uri.toString() === place.uri.toString()) list.hide();
      }),
    ];
  }

  show(): void {
    this.list.show();
    void this.refresh();
  }

  /** Show the works in the order of adding, or of fit again. */
  private turnOrder(): void {
    const { list, scope } = this;
    this.newest = !this.newest;
    list.title = this.newest ? `${scope.title}: newest first` : scope.title;
    list.buttons = [this.newest ? BEST : NEWEST];
    list.activeItems = [];
    void this.refresh();
  }

  /** Rank with the papers read so far, of what the author searches for if anything; keep what is selected. */
  private async refresh(): Promise<void> {
    const { server, list } = this;
    if (server.state === 'starting') return;
    this.asked.cancel();
    const { token } = (this.asked = new CancellationTokenSource());
    const typed = list.value;
    try {
      const ranked = await server.recommendations(
        this.place,
        {
          limit: MAX_WORKS,
          supporting: WITH_SENTENCES,
          typed,
          ...(this.scope.only && { only: this.scope.only }),
          ...(this.newest && { newest: true }),
        },
        token,
      );
      if (token.isCancellationRequested) return;
      const works = ranked ? suggested(ranked) : [];
      if (ranked === undefined) {
        this.give(() => showState(this.setup.current));
      } else if (ranked === null) {
        this.give(() => window.showInformationMessage('Pincite cannot suggest citations in this document.'));
      } else if (works.length === 0 && ranked.complete && typed.trim() === '') {
        this.give(() => ranked.items.length > 0
          ? window.showInformationMessage('Everything that could be suggested is already cited here.')
          : this.showNothing());
      } else {
        list.busy = !ranked.complete;
        list.placeholder = hintFor(ranked.citance);
        // The end of reading papers is reported, that of reading Zotero is not.
        if (this.scope.only && !ranked.complete) this.refreshing.request();
        this.found = typed;
        this.replace(works.map(itemOf), false);
        if (ranked.nothingFits && ranked.complete) await this.addDiscovered(token);
      }
    } catch (error) {
      if (!token.isCancellationRequested) this.give(() => window.showErrorMessage(`Pincite: ${messageOf(error)}`));
    }
  }

  /** Where no work fits, show those around the author's works that fit best, too, after the first ones. */
  private async addDiscovered(token: CancellationToken): Promise<void> {
    const found = await this.server.recommendations(this.place, { only: 'discovered', limit: MAX_DISCOVERED }, token).catch(() => undefined);
    if (!found || token.isCancellationRequested) return;
    const items = [...this.list.items];
    const marked = suggested(found).map(itemOf).map((item) => ({ ...item, detail: `not in your bibliography · ${item.detail ?? ''}` }));
    items.splice(BEFORE_DISCOVERED, 0, ...marked);
    this.replace(items, true);
  }

  private readFurther(done: number): void {
    if (done >= 1) void this.refresh();
    else this.refreshing.request();
  }

  private activated(item: Item | undefined): void {
    const wasSet = this.hasSetActive;
    this.hasSetActive = false;
    if (item || !wasSet) {
      this.lookAt(item?.work);
    } else {
      // The author's filter hides the active item that was set, and Enter would do nothing: let the editor
      // select the first visible item instead.
      this.list.items = [...this.list.items];
    }
  }

  private lookAt(work: Work | undefined): void {
    this.lookedAt.cancel();
    this.preview(this.place, work);
    if (work && !work.supporting) this.looking.request();
  }

  private async findSentences(): Promise<void> {
    const { list } = this;
    const work = list.activeItems[0]?.work;
    if (!work) return;
    const { token } = (this.lookedAt = new CancellationTokenSource());
    const evidence = await this.server.evidence(this.place, work.key, token).catch(() => undefined);
    const [found] = evidence?.works ?? [];
    if (!found || token.isCancellationRequested) return;
    const known = { ...work, ...found };
    this.replace(list.items.map((item) => (item.work === work ? itemOf(known) : item)), true);
    this.preview(this.place, known);
  }

  private replace(items: Item[], inPlace: boolean): void {
    const { list } = this;
    const key = list.activeItems[0]?.work.key;
    const active = items.find(({ work }) => work.key === key);
    list.keepScrollPosition = inPlace;
    list.items = items;
    // Without one, the editor selects the first.
    if (active) list.activeItems = [active];
    this.hasSetActive = active !== undefined;
  }

  private async accept(): Promise<void> {
    // Enter that comes before the answer means what is typed now. Another request may cancel that one.
    for (let tries = 0; this.found !== this.list.value && tries < MAX_TRIES; tries += 1) await this.refresh();
    if (this.found !== this.list.value) return;
    // Until the editor reports which of the new items is active, this is the previous one.
    const { activeItems: [active], items: [first] } = this.list;
    const work = (active && this.list.items.includes(active) ? active : first)?.work;
    if (!work) return;
    this.list.hide();
    if (!(await this.isLookedUp(work))) return;
    await cite(this.server, this.place, work, this.given?.replaces);
  }

  /** Have the record of a work looked up that only a reference list names; false where the author cancels. */
  private async isLookedUp({ lookUp }: Work): Promise<boolean> {
    if (lookUp === undefined) return true;
    // It takes a while, and the author may go on writing.
    const moving = new MovingPlace(this.place);
    try {
      return await lookUpListed(this.server, this.place.uri, lookUp);
    } catch (error) {
      void window.showWarningMessage(`Its record was not found. ${messageOf(error)}`);
      return true;
    } finally {
      moving.dispose();
      this.place = moving.current;
    }
  }

  private async open(button: QuickInputButton, { file, supporting, entry }: Work): Promise<void> {
    try {
      if (button === OPEN_ENTRY && entry) {
        const { start, end } = entry.range;
        const selection = new Range(start.line, start.character, end.line, end.character);
        await window.showTextDocument(Uri.parse(entry.uri, true), { selection });
      } else if (file !== undefined) {
        if (!/\.pdf$/i.test(file)) await window.showTextDocument(Uri.parse(file, true));
        else await commands.executeCommand('pincite.openPdf', { uri: file, page: supporting?.[0]?.page ?? 1 });
      }
    } catch (error) {
      void window.showErrorMessage(`Pincite: ${messageOf(error)}`);
    }
  }

  /** Close the list and show the reason. */
  private give(show: () => PromiseLike<unknown>): void {
    this.list.hide();
    void show();
  }

  private async showNothing(): Promise<void> {
    const { nothing, only } = this.scope;
    const create = 'Create references.bib';
    const chosen = await window.showInformationMessage(nothing, ...(only ? [] : [create]));
    if (chosen) await commands.executeCommand(CREATE_BIBLIOGRAPHY, { uri: this.place.uri.toString() });
  }

  private dispose(): void {
    this.asked.cancel();
    this.lookedAt.cancel();
    this.preview(this.place, undefined);
    for (const one of this.listening) one.dispose();
  }
}

/** Cite a work at a place, and add its entry where the draft lacks it; a message reports if that fails. */
export async function cite(server: Server, place: Place, { key, bibtex }: Pick<Work, 'key' | 'bibtex'>, replaces?: string): Promise<void> {
  try {
    const made = await savingEntry(key, () => server.insertCitation(place, key, { replaces, entry: bibtex }));
    if (!made) void window.showWarningMessage(`${key} was not cited: the editor rejected the edit.`);
  } catch (error) {
    void window.showErrorMessage(`${key} was not cited. ${messageOf(error)}`);
  }
}

function itemOf(work: Work): Item {
  const buttons = [...(work.file === undefined ? [] : [OPEN_TEXT]), ...(work.entry ? [OPEN_ENTRY] : [])];
  // The server searches, in all that it knows of a work and in the whole library.
  return { ...rowOf(work), work, buttons, alwaysShow: true };
}

function placeOfCursor(): Place | undefined {
  const { document, selection } = window.activeTextEditor ?? {};
  return document && selection && isDraft(document) ? { uri: document.uri, position: selection.active } : undefined;
}

function placeOf({ uri, position }: Argument): Place {
  return { uri: Uri.parse(uri, true), position: new Position(position.line, position.character) };
}

/** Menus of the editor pass a different argument. */
function isArgument(argument: unknown): argument is Argument {
  const { uri, position } = (argument ?? {}) as Partial<Argument>;
  return typeof uri === 'string' && typeof position?.line === 'number' && typeof position.character === 'number';
}
