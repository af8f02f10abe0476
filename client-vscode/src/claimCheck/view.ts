/** The Claim check view: what was found in the whole draft, to be stepped through before it is submitted. */

import {
  type CancellationToken,
  CancellationTokenSource,
  commands,
  type Disposable,
  type LogOutputChannel,
  Position,
  type Progress,
  ProgressLocation,
  TreeItemCheckboxState,
  type Uri,
  window,
  workspace,
} from 'vscode';

import type { FollowedPlace } from '../follow';
import { isServed } from '../languages';
import { fetchMissing } from '../library/fetch';
import { showState } from '../messages';
import { moved } from '../moved';
import { type Row, type Shown, shownWithoutDraft, shownWithoutServer } from '../rows';
import { placeOf, RowTree } from '../rowTree';
import type { Server } from '../server';
import type { SetupHolder } from '../setupState';
import type { CheckedDraft, Verdicts } from '../wire';
import { messageOf } from '../wording';
import { decided, type Finding, identified, Marks, nextFinding, rankAt, findingStatus, SHOW_FINDING, shownFindings } from './findings';
import { saveReport } from './report';

/** How long the finding that was gone to is named in the status bar. */
const NAMED_MS = 15_000;
const NO_DRAFT = 'Open a draft to check what it cites.';

/** A draft as it was checked; the findings move with the text. */
interface Checked {
  uri: Uri;
  draft: string;
  complete: boolean;
  findings: Finding[];
  verdicts?: Verdicts;
  /** Whether a file was edited since. */
  changed: boolean;
}

export class ClaimCheckView implements Disposable {
  static readonly id = 'pincite.checkView';

  private readonly tree = new RowTree(ClaimCheckView.id);
  private marks = new Marks([]);
  private readonly parts: { dispose(): void }[];
  private checked: Checked | undefined;
  /** The finding that the author went to last. */
  private current: string | undefined;
  private running: CancellationTokenSource | undefined;
  /** How many things the author waits for, and whether a check of our own accord waits for these. */
  private waitedFor = 0;
  private isPostponed = false;

  constructor(
    private readonly server: Server,
    private readonly setup: SetupHolder,
    private readonly followed: FollowedPlace,
    private readonly log: LogOutputChannel,
  ) {
    this.parts = [
      this.tree,
      this.tree.view.onDidChangeVisibility(({ visible }) => { if (visible) this.checkAgain(); }),
      this.tree.view.onDidChangeCheckboxState(({ items }) => {
        for (const accepted of [true, false]) {
          const ids = items.filter(([, state]) => (state === TreeItemCheckboxState.Checked) === accepted).map(([{ id }]) => id);
          void this.decide(({ id }) => ids.includes(id), accepted);
        }
      }),
      server.onDidChangeState(() => { this.show(); }),
      setup.onDidChange(() => { this.show(); }),
      followed.onDidMove(() => { if (!this.checked) this.show(); }),
      server.onDidReadPapers(({ done }) => { if (done >= 1 && this.checked?.complete === false) this.checkAgain(); }),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (isServed(document) && contentChanges.length > 0) this.move(document.uri.toString(), contentChanges);
      }),
      workspace.onDidSaveTextDocument((document) => {
        if (!this.checked || !isServed(document)) return;
        this.checked.changed = true;
        this.checkAgain();
      }),
      commands.registerCommand('pincite.checkDraft', () => this.check()),
      commands.registerCommand('pincite.cancelCheck', () => { this.running?.cancel(); }),
      commands.registerCommand('pincite.nextFinding', () => this.step(1)),
      commands.registerCommand('pincite.previousFinding', () => this.step(-1)),
      commands.registerCommand('pincite.markChecked', (row: Row | undefined) => { this.toggle(row?.id ?? this.current); }),
      commands.registerCommand('pincite.acceptKind', (row: Row | undefined) => this.decide(({ kind }) => kind === row?.id, true)),
      commands.registerCommand('pincite.checkReferences', () => this.checkReferences()),
      commands.registerCommand('pincite.saveReport', () => this.report()),
      commands.registerCommand(SHOW_FINDING, (id: string) => this.goTo(this.checked?.findings.find((one) => one.id === id))),
    ];
    this.show();
  }

  dispose(): void {
    this.running?.cancel();
    for (const part of this.parts) part.dispose();
  }

  /** Check the draft at hand, and show what is found. */
  private async check(): Promise<void> {
    const uri = this.followed.current?.uri;
    if (this.server.state !== 'running') {
      await showState(this.setup.current);
    } else if (!uri) {
      void window.showInformationMessage(NO_DRAFT);
    } else {
      await commands.executeCommand(`${ClaimCheckView.id}.focus`);
      this.current = undefined;
      const options = { location: ProgressLocation.Notification, title: 'Checking what the draft cites', cancellable: true };
      await this.forAuthor(() => window.withProgress(options, (progress, token) => this.run(uri, progress, token)));
    }
  }

  /** Do what the author waits for: a check of our own accord comes after it, not in its place. */
  private async forAuthor<Result>(work: () => Thenable<Result>): Promise<Result> {
    this.waitedFor += 1;
    try {
      return await work();
    } finally {
      this.waitedFor -= 1;
      if (this.isPostponed && this.waitedFor === 0) {
        this.isPostponed = false;
        this.checkAgain();
      }
    }
  }

  /** Check the same draft again if it or what is known about its works has changed, while the author does something else. */
  private checkAgain(): void {
    const { checked } = this;
    if (this.waitedFor > 0) {
      this.isPostponed = true;
      return;
    }
    if (!checked || (checked.complete && !checked.changed) || !this.tree.view.visible || this.server.state !== 'running') return;
    // The server checks drafts of open documents.
    const files = [checked.uri.toString(), ...checked.findings.map(({ location }) => location.uri)];
    const open = workspace.textDocuments.find(({ uri }) => files.includes(uri.toString()));
    if (open) void window.withProgress({ location: { viewId: ClaimCheckView.id } }, () => this.run(open.uri));
  }

  private async run(uri: Uri, progress?: Progress<{ increment: number }>, cancelled?: CancellationToken): Promise<void> {
    const found = await this.ask(async (report, token) => this.server.check(uri, { progress: report, token }), progress, cancelled);
    if (!found) return;
    const { draft, complete, findings, verdicts } = found;
    this.checked = { uri, draft, complete, findings: identified(findings), ...(verdicts && { verdicts }), changed: false };
    this.marks = new Marks(this.checked.findings);
    if (found.problems && progress) void window.showWarningMessage(`Pincite: ${found.problems.join('; ')}`);
    this.show();
  }

  /** Ask the server for a check, in place of the one that runs; undefined if it is cancelled or fails. */
  private async ask(
    request: (progress: (percent: number) => void, token: CancellationToken) => Promise<CheckedDraft | null | undefined>,
    progress?: Progress<{ increment: number }>,
    cancelled?: CancellationToken,
  ): Promise<CheckedDraft | undefined> {
    this.running?.cancel();
    const running = (this.running = new CancellationTokenSource());
    const cancelling = cancelled?.onCancellationRequested(() => { running.cancel(); });
    void commands.executeCommand('setContext', 'pincite.checking', true);
    let done = 0;
    const report = (percent: number): void => {
      progress?.report({ increment: percent - done });
      done = percent;
    };
    try {
      const found = await request(report, running.token);
      return running.token.isCancellationRequested ? undefined : found ?? undefined;
    } catch (error) {
      if (!running.token.isCancellationRequested) {
        this.log.error(`claim check: ${String(error)}`);
        void window.showErrorMessage(`The draft could not be checked. ${messageOf(error)}`);
      }
      return undefined;
    } finally {
      cancelling?.dispose();
      if (this.running === running) {
        this.running = undefined;
        void commands.executeCommand('setContext', 'pincite.checking', false);
      }
    }
  }

  private async step(step: 1 | -1): Promise<void> {
    if (!this.checked) {
      await this.check();
      return;
    }
    const { findings } = this.checked;
    const at = findings.findIndex(({ id }) => id === this.current);
    const next = nextFinding(findings, this.marks, at < 0 ? this.rankOfCursor(findings, step) : at, step);
    if (next) await this.goTo(next);
    else void window.showInformationMessage(findings.length === 0 ? 'The check found nothing.' : 'You have checked all findings.');
  }

  private rankOfCursor(findings: readonly Finding[], step: 1 | -1): number {
    const place = this.followed.current;
    const rank = place ? rankAt(findings, place.uri.toString(), place.position) : -1;
    return step === 1 ? rank : rank + 1;
  }

  private async goTo(finding: Finding | undefined): Promise<void> {
    if (!finding || !this.checked) return;
    this.current = finding.id;
    const { uri, selection } = placeOf(finding.location);
    await window.showTextDocument(uri, { selection });
    // The author may have gone on meanwhile.
    if (this.current !== finding.id) return;
    window.setStatusBarMessage(findingStatus(finding, this.checked.findings), NAMED_MS);
    await this.tree.select(finding.id);
  }

  private toggle(id: string | undefined): void {
    if (id === undefined || !this.checked?.findings.some((one) => one.id === id)) {
      void window.showInformationMessage('Go to a finding of the claim check first.');
      return;
    }
    void this.decide((one) => one.id === id, !this.marks.has(id));
  }

  /** Accept findings of the draft, or accept them no longer; the decisions are the draft's, in a file beside it. */
  private async decide(isChosen: (finding: Finding) => boolean, accepted: boolean): Promise<void> {
    const { checked, marks } = this;
    const chosen = checked?.findings.filter((one) => isChosen(one) && marks.has(one.id) !== accepted) ?? [];
    if (!checked || chosen.length === 0) return;
    try {
      await this.server.decide(checked.uri, chosen.map(decided), accepted);
      for (const { decision } of chosen) {
        for (const one of checked.findings) if (one.decision === decision) marks.set(one.id, accepted);
      }
    } catch (error) {
      void window.showErrorMessage(`The decision could not be written. ${messageOf(error)}`);
    }
    this.show();
  }

  /** Ask services about the entries of the draft, if the author agrees, and check it. */
  private async checkReferences(): Promise<void> {
    if (this.server.state !== 'running') {
      await showState(this.setup.current);
    } else if (await fetchMissing(this.server, this.checked?.uri ?? this.followed.current?.uri, 'references')) {
      await this.check();
    }
  }

  private async report(): Promise<void> {
    const uri = this.checked?.uri ?? this.followed.current?.uri;
    if (this.server.state !== 'running') {
      await showState(this.setup.current);
    } else if (!uri) {
      void window.showInformationMessage(NO_DRAFT);
    } else {
      await saveReport(uri, (report, progress, cancelled) =>
        this.forAuthor(() => this.ask((percent, token) => this.server.check(uri, { report, progress: percent, token }), progress, cancelled)));
    }
  }

  private move(uri: string, changes: readonly { range: { start: Position; end: Position }; text: string }[]): void {
    if (!this.checked) return;
    const wasChanged = this.checked.changed;
    this.checked.changed = true;
    for (const { location } of [...this.checked.findings, ...(this.checked.verdicts?.unchecked ?? [])]) {
      if (location?.uri !== uri) continue;
      location.range = { start: moved(location.range.start, changes), end: moved(location.range.end, changes) };
    }
    if (!wasChanged) this.show();
  }

  private show(): void {
    void commands.executeCommand('setContext', 'pincite.hasFindings', this.checked !== undefined && this.checked.findings.length > 0);
    this.tree.show(this.shown());
  }

  private shown(): Shown {
    const { checked } = this;
    if (this.server.state !== 'running') return shownWithoutServer(this.setup.current);
    if (checked) return shownFindings(checked, checked.findings, this.marks, checked.changed);
    if (!this.followed.current) return shownWithoutDraft('check what it cites before you submit it');
    // The welcome of the view has the button.
    return { rows: [] };
  }
}
