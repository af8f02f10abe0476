/** “Add a work…”, “Add this PDF”, “Use my Zotero library”: find a work, ask before anything is sent, add it, and cite it where a key is being typed. */

import path from 'node:path';

import { commands, Disposable, env, ProgressLocation, type QuickPickItem, Uri, window, workspace } from 'vscode';

import { savingEntry } from '../addedEntries';
import { Debounced } from '../debounced';
import { CREATE_BIBLIOGRAPHY, savingOthers } from '../firstBibliography';
import type { FollowedPlace } from '../follow';
import { placeIn } from '../follow';
import { isDraft, isServed } from '../languages';
import { showState } from '../messages';
import type { Place, Server } from '../server';
import type { SetupHolder } from '../setupState';
import type { FoundWorks, NewWork } from '../wire';
import { counted, messageOf, shortened, withoutIcons } from '../wording';
import { question, rowOf } from './namedWork';

const PAPERS = '**/{papers,pdfs,literature}/**/*.{pdf,PDF}';
/** A file that is being copied is not read yet, and many may come at once. */
const PAUSE_MS = 2000;
const MAX_LOOKED_AT = 20;

/** What names a work: a text, or the file of a paper. */
type Given = { text: string } | { file: Uri };

/** Where a work goes; with a position, it is cited there if a key is being typed. */
interface Goal {
  uri: Uri;
  place: Place | undefined;
}

export function registerAddWork(server: Server, setup: SetupHolder, followed: FollowedPlace): Disposable {
  const run = async (argument: unknown, given?: Given): Promise<void> => {
    if (server.state === 'missing' || server.state === 'stopped') {
      await showState(setup.current);
      return;
    }
    const goal = goalOf(argument, followed);
    if (!goal) {
      void window.showInformationMessage('Open the draft whose bibliography should get the work.');
      return;
    }
    const named = given ?? await ask();
    if (!named) return;
    try {
      await add(server, goal, named);
    } catch (error) {
      void window.showErrorMessage(`Nothing was added. ${messageOf(error)}`);
    }
  };
  const dropped = new DroppedPapers(server, followed, (file) => run(undefined, { file }));
  return Disposable.from(
    dropped,
    commands.registerCommand('pincite.addWork', (argument: unknown) => run(argument)),
    commands.registerCommand('pincite.addPdf', (file: unknown) => file instanceof Uri ? run(undefined, { file }) : run(undefined)),
    commands.registerCommand('pincite.useZotero', async (argument: { uri?: string; creates?: boolean } = {}) => {
      if (argument.creates) await commands.executeCommand(CREATE_BIBLIOGRAPHY, { uri: argument.uri });
      await commands.executeCommand('pincite.searchZotero');
    }),
  );
}

/** Where the name of a work comes from. */
type Origin = 'typed' | 'clipboard' | 'pdf';
type Row = QuickPickItem & { origin: Origin };

const OTHERS: readonly Row[] = [
  { label: '$(clippy) The clipboard', detail: 'An entry in BibTeX, RIS or CSL, an identifier or a title', origin: 'clipboard', alwaysShow: true },
  { label: '$(file-pdf) A PDF…', detail: 'By its first page and metadata', origin: 'pdf', alwaysShow: true },
];

/** Ask for what names a work. */
async function ask(): Promise<Given | undefined> {
  const list = window.createQuickPick<Row>();
  list.title = 'Add a work';
  list.placeholder = 'DOI, arXiv id, PMID, ISBN, an address with one, or a title';
  const show = (typed: string): void => {
    const searched: Row = { label: `$(search) ${withoutIcons(shortened(typed, 90))}`, detail: 'Search for what you typed', origin: 'typed', alwaysShow: true };
    list.items = [...(typed ? [searched] : []), ...OTHERS];
  };
  list.onDidChangeValue((value) => { show(value.trim()); });
  show('');
  const [origin, typed] = await new Promise<[Origin | undefined, string]>((resolve) => {
    list.onDidAccept(() => {
      // Enter may come before the list shows all that was typed.
      const value = list.value.trim();
      const chosen = list.activeItems[0]?.origin;
      resolve([value && chosen === undefined ? 'typed' : chosen, value]);
      list.hide();
    });
    list.onDidHide(() => { resolve([undefined, '']); });
    list.show();
  });
  list.dispose();
  if (origin === undefined) return undefined;
  if (origin === 'typed') return { text: typed };
  if (origin === 'clipboard') return { text: await env.clipboard.readText() };
  const [file] = (await window.showOpenDialog({ title: 'A paper', openLabel: 'Add', filters: { PDF: ['pdf'] } })) ?? [];
  return file && { file };
}

async function add(server: Server, { uri, place }: Goal, given: Given): Promise<void> {
  let found = await searching(() => server.findWork(uri, given));
  if (found && found.sent.length > 0) {
    const answer = await agreement(given, found);
    if (answer === 'cancel') return;
    if (answer === 'look up') found = await searching(() => server.findWork(uri, given, found?.plan));
  }
  if (!found) return;
  for (const remark of found.remarks) void window.showWarningMessage(`Pincite: ${remark}.`);
  const works = await chosen(found.works);
  const there = works.filter((work) => work.there !== undefined);
  for (const { title, there: key } of there) void showThere(server, place, title, key ?? '');
  const entries = works.filter((work) => work.there === undefined);
  if (entries.length === 0) return;
  const keys = entries.map(({ key }) => key).join(', ');
  await savingOthers(
    () => savingEntry(keys, async () => (await server.addWork(uri, entries.map(({ entry }) => entry), place)) !== undefined), isDraft);
}

/** Have the record of a work looked up that only a reference list names, if the author agrees; return whether to go on. */
export async function lookUpListed(server: Server, uri: Uri, text: string): Promise<boolean> {
  const found = workspace.isTrusted ? await searching(() => server.findWork(uri, { text })) : undefined;
  if (!found || found.sent.length === 0 || found.problem !== undefined) return true;
  const answer = await agreement({ text }, found, 'Add Without Looking Up');
  if (answer === 'look up') await searching(() => server.findWork(uri, { text }, found.plan));
  return answer !== 'cancel';
}

function searching<Result>(search: () => Promise<Result>): Thenable<Result> {
  return window.withProgress({ location: ProgressLocation.Notification, title: 'Pincite: looking for the work' }, search);
}

/** Ask whether what a search sends may be sent. */
async function agreement(
  given: Given, found: FoundWorks, asItIs = found.works.length > 0 ? 'Add from the PDF Only' : undefined,
): Promise<'look up' | 'as it is' | 'cancel'> {
  if (!workspace.isTrusted || found.problem !== undefined) {
    const why = workspace.isTrusted ? found.problem?.replaceAll('`', '') : 'Nothing is sent from a workspace that you do not trust.';
    void window.showWarningMessage(`None of your bibliographies has it. ${why}`);
    return asItIs === undefined ? 'cancel' : 'as it is';
  }
  const name = 'file' in given ? path.basename(given.file.fsPath) : `“${shortened(given.text, 60)}”`;
  const { message, detail } = question(name, found);
  const lookUp = 'Look Up';
  const answer = await window.showInformationMessage(message, { modal: true, detail }, lookUp, ...(asItIs === undefined ? [] : [asItIs]));
  if (answer === undefined) return 'cancel';
  return answer === lookUp ? 'look up' : 'as it is';
}

/** Return the works asked for; where that is not certain, the author chooses one. */
async function chosen(works: readonly NewWork[]): Promise<readonly NewWork[]> {
  const certain = works.filter((work) => work.meant);
  if (certain.length > 0) return certain;
  const items = works.map((work) => ({ ...rowOf(work), work }));
  const item = await window.showQuickPick(items, { title: 'Which work?', matchOnDescription: true });
  return item ? [item.work] : [];
}

async function showThere(server: Server, place: Place | undefined, title: string, key: string): Promise<void> {
  const cite = 'Cite It';
  const message = `“${shortened(title, 80)}” is in the bibliography already: ${key}.`;
  if ((await window.showInformationMessage(message, ...(place ? [cite] : []))) === cite && place) await server.insertCitation(place, key);
}

/** Return the document that an argument or the cursor is in, else the draft that was active last. */
function goalOf(argument: unknown, followed: FollowedPlace): Goal | undefined {
  const editor = window.activeTextEditor;
  const named = (argument as { uri?: unknown } | undefined)?.uri;
  const isActive = editor && isServed(editor.document) && (typeof named !== 'string' || Uri.parse(named, true).toString() === editor.document.uri.toString());
  if (isActive) return { uri: editor.document.uri, place: isDraft(editor.document) ? placeIn(editor) : undefined };
  const uri = typeof named === 'string' ? Uri.parse(named, true) : followed.current?.uri;
  return uri && { uri, place: undefined };
}

/** PDFs that come into a folder of papers: those that are in no entry are offered. */
class DroppedPapers implements Disposable {
  private readonly waiting = new Set<string>();
  private readonly looking = new Debounced(() => void this.look(), PAUSE_MS);
  private readonly listening: { dispose(): unknown }[];

  constructor(private readonly server: Server, private readonly followed: FollowedPlace, private readonly add: (file: Uri) => Promise<void>) {
    const watcher = workspace.createFileSystemWatcher(PAPERS, false, true, true);
    this.listening = [watcher, this.looking, watcher.onDidCreate((file) => {
      this.waiting.add(file.toString());
      this.looking.request();
    })];
  }

  dispose(): void {
    for (const one of this.listening) one.dispose();
  }

  private async look(): Promise<void> {
    const files = [...this.waiting].slice(0, MAX_LOOKED_AT).map((file) => Uri.parse(file, true));
    this.waiting.clear();
    const draft = this.followed.current?.uri;
    if (!draft || this.server.state !== 'running') return;
    const lacking: Uri[] = [];
    for (const file of files) {
      // What cannot be read is reported in the Library view.
      const found = await this.server.findWork(draft, { file }).catch(() => undefined);
      if (found && !found.works.some(({ there }) => there !== undefined)) lacking.push(file);
    }
    const [first] = lacking;
    if (!first) return;
    const [message, button] = lacking.length === 1
      ? [`${path.basename(first.fsPath)} belongs to no entry of the bibliography.`, 'Add This PDF']
      : [`${counted(lacking.length, 'new PDF')} belong to no entry of the bibliography.`, 'Add Them'];
    if ((await window.showInformationMessage(message, button)) !== button) return;
    for (const file of lacking) await this.add(file);
  }
}

