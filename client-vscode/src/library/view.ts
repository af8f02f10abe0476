/** The Library view: what is known about the entries of the draft, and what is wrong with them. */

import { type CancellationToken, CancellationTokenSource, commands, type Disposable, env, type LogOutputChannel, type QuickPickItem, QuickPickItemKind, Range, Uri, window, workspace } from 'vscode';

import { readingLine } from '../evidence/page';
import type { FollowedPlace } from '../follow';
import { isServed } from '../languages';
import { Latest } from '../latest';
import { type FirstSteps, firstSteps } from '../firstSteps';
import { type Row, type Shown, shownFirstSteps, shownWithoutDraft, shownWithoutServer } from '../rows';
import { placeOf, RowTree } from '../rowTree';
import type { Server } from '../server';
import { type SetupHolder, SHOW_LOGS } from '../setupState';
import type { DraftFinding, LibraryHealth } from '../wire';
import { messageOf } from '../wording';
import { type Choice, EVERYTHING, type Filter, FILTERS, type Order, ORDERS } from './choice';
import { discoverWorks } from './discover';
import { fetchMissing } from './fetch';
import { locateFiles } from './locate';
import { mergeDuplicates } from './merge';
import { FETCH, LOCATE, shownLibrary } from './rows';

/** All entries are looked at: changes are gathered. */
const DELAY = 500;

export class LibraryView implements Disposable {
  static readonly id = 'pincite.libraryView';

  private readonly tree = new RowTree(LibraryView.id);
  private readonly asking: Latest<CancellationToken>;
  private readonly parts: { dispose(): void }[];
  private choice: Choice = EVERYTHING;
  /** What the server knew when it was last asked; undefined until it has answered. */
  private looked: { known: LibraryHealth | undefined; steps: FirstSteps | undefined } | undefined;

  constructor(
    private readonly server: Server,
    private readonly setup: SetupHolder,
    private readonly followed: FollowedPlace,
    private readonly log: LogOutputChannel,
  ) {
    this.asking = new Latest((token) => this.ask(token), () => new CancellationTokenSource(), DELAY);
    let draft = followed.current?.uri.toString();
    this.parts = [
      this.tree,
      this.tree.view.onDidChangeVisibility(() => { this.refresh(0); }),
      server.onDidChangeState(() => { this.refresh(0); }),
      // It changes with what is known about the entries.
      setup.onDidChange(() => { if (setup.current.kind !== 'reading') this.refresh(); }),
      server.onDidReadPapers(({ done }) => {
        if (done >= 1) this.refresh();
        else this.show();
      }),
      followed.onDidMove(() => {
        const now = followed.current?.uri.toString();
        if (now !== draft) this.refresh(0);
        draft = now;
      }),
      // One of them may be the bibliography that is created here.
      workspace.onDidCreateFiles(() => { this.refresh(2 * DELAY); }),
      workspace.onDidSaveTextDocument((document) => { if (isServed(document)) this.refresh(); }),
      // Zotero, JabRef and others write bibliographies, too.
      server.onDidChangeFiles(() => { this.refresh(); }),
      commands.registerCommand(LOCATE, () => this.locate()),
      commands.registerCommand('pincite.mergeDuplicates', async () => {
        if (await mergeDuplicates(this.server, this.followed.current?.uri)) this.refresh();
      }),
      commands.registerCommand('pincite.filterLibrary', () => this.choose()),
      commands.registerCommand(FETCH, async () => {
        await fetchMissing(this.server, this.followed.current?.uri);
        this.refresh();
      }),
      commands.registerCommand('pincite.discover', () => discoverWorks(this.server, this.followed.current?.uri)),
      commands.registerCommand('pincite.showEntry', async ({ entry }: Row) => {
        if (!entry) return;
        const { uri, selection } = placeOf(entry);
        await window.showTextDocument(uri, { selection });
      }),
      // What can be taken is in the menu of fixes at the entry.
      commands.registerCommand('pincite.mendEntry', async ({ finding }: Row) => {
        if (!finding) return;
        const { uri, selection } = placeOf(finding.location);
        await window.showTextDocument(uri, { selection: new Range(selection.start, selection.start) });
        await commands.executeCommand('editor.action.quickFix');
      }),
      commands.registerCommand('pincite.acceptReference', ({ finding }: Row) => this.accept(finding)),
      // In the browser, and only when the author asks for it.
      commands.registerCommand('pincite.openNotice', async ({ finding }: Row) => {
        if (finding?.notice !== undefined) await env.openExternal(Uri.parse(finding.notice));
      }),
      commands.registerCommand('pincite.openFreeCopy', async ({ freeCopy }: Row) => {
        if (freeCopy !== undefined) await env.openExternal(Uri.parse(freeCopy));
      }),
    ];
    this.refresh(0);
  }

  dispose(): void {
    this.asking.cancel();
    for (const part of this.parts) part.dispose();
  }

  private refresh(delay = DELAY): void {
    if (this.tree.view.visible) this.asking.request(delay);
  }

  private async ask(token: CancellationToken): Promise<void> {
    const uri = this.followed.current?.uri;
    try {
      if (uri && !this.looked) this.show();
      const [known, status] = uri ? await Promise.all([this.server.library(uri, [], token), this.server.status(uri)]) : [];
      if (token.isCancellationRequested) return;
      this.looked = status && { known: known ?? undefined, steps: firstSteps(status) };
    } catch (error) {
      if (token.isCancellationRequested) return;
      this.log.warn(`Library view: ${String(error)}`);
      this.looked = { known: undefined, steps: { why: 'The library could not be read. The log shows why.', offers: [SHOW_LOGS] } };
    }
    this.show();
  }

  private show(): void {
    this.tree.show(this.shown());
  }

  private shown(): Shown {
    if (this.server.state !== 'running') return shownWithoutServer(this.setup.current);
    if (!this.followed.current) return shownWithoutDraft('see what Pincite knows about its references');
    if (!this.looked) return { message: 'Reading the library…', rows: [] };
    const { known, steps } = this.looked;
    if (steps && !known?.counts.entries) return shownFirstSteps(steps);
    if (!known) return { message: 'This file cites nothing.', rows: [] };
    const { rows, ...shown } = shownLibrary(known, readingLine(this.setup.current), this.choice);
    // A bibliography beside the draft serves, but what typesets the draft does not know of it.
    return { ...shown, rows: [...(steps ? shownFirstSteps(steps).rows : []), ...rows] };
  }

  private async choose(): Promise<void> {
    const { filter, order } = this.choice;
    const separator = (label: string): QuickPickItem => ({ label, kind: QuickPickItemKind.Separator });
    const items: (QuickPickItem & { chosen?: Choice })[] = [
      separator('Show'),
      ...(Object.keys(FILTERS) as Filter[]).map((each) => ({
        label: FILTERS[each], chosen: { filter: each, order }, ...(each === filter && { description: 'shown' }),
      })),
      separator('Sort'),
      ...(Object.keys(ORDERS) as Order[]).map((each) => ({
        label: ORDERS[each], chosen: { filter, order: each }, ...(each === order && { description: 'now' }),
      })),
    ];
    const picked = await window.showQuickPick(items, { title: 'What the Library view shows' });
    if (!picked?.chosen) return;
    this.choice = picked.chosen;
    this.show();
  }

  /** Accept what was found about an entry, with a note; the decision is the draft's, in a file beside it. */
  private async accept(finding: DraftFinding | undefined): Promise<void> {
    const uri = this.followed.current?.uri;
    if (!finding || !uri) return;
    const note = await window.showInputBox({ title: `Accept: ${finding.message}`, prompt: 'Why is it right as it is? You can leave this empty.' });
    if (note === undefined) return;
    const { id, kind, key, work, about } = finding;
    try {
      await this.server.decide(uri, [{ id, kind, key, work, about }], true, note);
    } catch (error) {
      void window.showErrorMessage(`The decision could not be written. ${messageOf(error)}`);
    }
    this.refresh(0);
  }

  private async locate(): Promise<void> {
    const uri = this.followed.current?.uri;
    const health = uri && (await this.server.library(uri));
    if (!health) {
      void window.showInformationMessage('Open a draft to see which files of its references are missing.');
    } else if (health.counts.missingFiles === 0) {
      void window.showInformationMessage('All files that the entries name are on this computer, or have another full text.');
    } else {
      await locateFiles(health, (folders) => this.server.library(uri, folders));
    }
  }
}
