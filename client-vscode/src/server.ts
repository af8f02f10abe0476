/** The interface to the server for the parts of the extension: its state and its requests. */

import { type CancellationToken, type Disposable, EventEmitter, type Position, type Uri, type WorkspaceEdit } from 'vscode';
import { State, WorkDoneProgress } from 'vscode-languageclient/node';

import type { Client } from './client';
import type { ServerState } from './serverState';
import type {
  AddedWorks, CheckedDraft, DecidedFinding, Discovered, Discovery, Evidence, EvidenceParams, Fetchable, Fetched, FoundLiterature, FoundWorks, LibraryHealth,
  Literature, Merging, Missing, Recommendations, RecommendationsParams, ReportFormat, Status, StatusChanged, WrongSetting,
} from './wire';

/** A place in a document. */
export interface Place {
  uri: Uri;
  position: Pick<Position, 'line' | 'character'>;
}

export class Server implements Disposable {
  private client: Client | undefined;
  private listening: { dispose(): void }[] = [];
  private current: ServerState = 'starting';
  private followed = 0;
  private readonly states = new EventEmitter<ServerState>();
  private readonly readings = new EventEmitter<StatusChanged>();

  readonly onDidChangeState = this.states.event;
  private readonly wrong = new EventEmitter<readonly WrongSetting[]>();
  /** Reports all settings that the server cannot use, whenever they change; none once all are fixed. */
  readonly onDidFindWrongSettings = this.wrong.event;
  /** Reports the progress of reading a draft's papers. */
  readonly onDidReadPapers = this.readings.event;
  private readonly files = new EventEmitter<void>();
  /** Reports that drafts, bibliographies or papers have changed on disk, perhaps by another program. */
  readonly onDidChangeFiles = this.files.event;

  get state(): ServerState {
    return this.current;
  }

  /** The version of the server that runs. */
  get version(): string | undefined {
    return this.client?.initializeResult?.serverInfo?.version;
  }

  /** Use this running client from now on. */
  attach(client: Client): void {
    this.release();
    this.client = client;
    this.listening = [
      client.onNotification('pincite/statusChanged', (change: StatusChanged) => { this.readings.fire(change); }),
      client.onNotification('pincite/wrongSettings', ({ settings }: { settings: WrongSetting[] }) => { this.wrong.fire(settings); }),
      client.changedFiles.event(() => { this.files.fire(); }),
      client.onDidChangeState(({ newState }) => { this.become(STATES[newState]); }),
    ];
    this.become('running');
  }

  /** There is no server, for this reason. */
  detach(state: Exclude<ServerState, 'running'>): void {
    this.release();
    this.become(state);
  }

  /** Return the entries ranked for a place; undefined while no server runs, null if nothing can be cited there. */
  async recommendations(
    place: Place,
    options: Pick<RecommendationsParams, 'limit' | 'supporting' | 'typed' | 'only' | 'newest'>,
    token?: CancellationToken,
  ): Promise<Recommendations | null | undefined> {
    return this.ask<Recommendations | null>('pincite/recommendations', { ...this.at(place), ...options }, token);
  }

  /** Return the supporting sentences of the works cited at a place, or of the one with this key. */
  async evidence(place: Place, key?: string, token?: CancellationToken): Promise<Evidence | null | undefined> {
    const params: Partial<EvidenceParams> = { ...this.at(place), ...(key !== undefined && { key }) };
    return this.ask<Evidence | null>('pincite/evidence', params, token);
  }

  /** Return what is known about the entries of one draft, or of all open ones. */
  async status(uri?: Uri): Promise<Status | undefined> {
    const textDocument = uri && { uri: this.uriFor(uri) };
    return this.ask<Status>('pincite/status', { ...(textDocument && { textDocument }) });
  }

  /** Return the health of the library of a draft, as it would be with more base folders. */
  async library(uri: Uri, baseFolders: readonly string[] = [], token?: CancellationToken): Promise<LibraryHealth | null | undefined> {
    return this.ask<LibraryHealth | null>('pincite/library', { textDocument: { uri: this.uriFor(uri) }, baseFolders }, token);
  }

  /** Check a whole draft; `progress` is called with how much is done, in percent. */
  async check(
    uri: Uri,
    { report, progress, token }: { report?: ReportFormat; progress: (percent: number) => void; token: CancellationToken },
  ): Promise<CheckedDraft | null | undefined> {
    return this.follow<CheckedDraft | null>('pincite/check', { textDocument: { uri: this.uriFor(uri) }, ...(report && { report }) }, progress, token);
  }

  /** Return how the duplicates of a draft are merged: an edit that is not made yet. */
  async merging(uri: Uri, aliases: boolean): Promise<(Omit<Merging, 'edit'> & { edit: WorkspaceEdit | undefined }) | null | undefined> {
    const found = await this.ask<Merging | null>('pincite/merging', { textDocument: { uri: this.uriFor(uri) }, aliases });
    if (!found) return found;
    return { ...found, edit: await this.client?.protocol2CodeConverter.asWorkspaceEdit(found.edit) };
  }

  /** Return what is missing of a draft's entries, and what would be sent to find it. */
  async missing(uri: Uri, only?: Fetchable, token?: CancellationToken): Promise<Missing | null | undefined> {
    return this.ask<Missing | null>('pincite/missing', { textDocument: { uri: this.uriFor(uri) }, ...(only && { only }) }, token);
  }

  /** Write which findings the author has accepted, or accepts no longer. */
  async decide(uri: Uri, findings: readonly DecidedFinding[], accepted: boolean, note = ''): Promise<{ file: string } | null | undefined> {
    return this.ask<{ file: string } | null>('pincite/decide', { textDocument: { uri: this.uriFor(uri) }, findings, accepted, note });
  }

  /** Have that sent to which the author has agreed; `progress` is called with how much is done, in percent. */
  async fetch(
    uri: Uri, plan: string, only: Fetchable | undefined, progress: (percent: number) => void, token: CancellationToken,
  ): Promise<Fetched | null | undefined> {
    return this.follow<Fetched | null>('pincite/fetch', { textDocument: { uri: this.uriFor(uri) }, plan, ...(only && { only }) }, progress, token);
  }

  /** Return what would be sent to find works around those of a draft. */
  async discovery(uri: Uri, token?: CancellationToken): Promise<Discovery | null | undefined> {
    return this.ask<Discovery | null>('pincite/discovery', { textDocument: { uri: this.uriFor(uri) } }, token);
  }

  /** Have that sent to which the author has agreed; `progress` is called with how much is done, in percent. */
  async discover(
    uri: Uri, plan: string, progress: (percent: number) => void, token: CancellationToken,
  ): Promise<Discovered | null | undefined> {
    return this.follow<Discovered | null>('pincite/discover', { textDocument: { uri: this.uriFor(uri) }, plan }, progress, token);
  }

  /** Return rare words of the sentence at a place, and to whom a search would send them. */
  async literature(place: Place): Promise<Literature | null | undefined> {
    return this.ask<Literature | null>('pincite/literature', this.at(place));
  }

  /** Send words to which the author has agreed; return the works that are found, ranked for a place. */
  async searchLiterature(place: Place, words: string, token: CancellationToken): Promise<FoundLiterature | null | undefined> {
    return this.ask<FoundLiterature | null>('pincite/searchLiterature', { ...this.at(place), words }, token);
  }

  /** Return what is found of a work; services are asked only for a plan to which the author has agreed. */
  async findWork(uri: Uri, given: { text: string } | { file: Uri }, plan?: string): Promise<FoundWorks | null | undefined> {
    const named = 'text' in given ? given : { file: this.uriFor(given.file) };
    return this.ask<FoundWorks | null>('pincite/findWork', { textDocument: { uri: this.uriFor(uri) }, ...named, ...(plan !== undefined && { plan }) });
  }

  /** Add works to the bibliography by their entries, and cite the first where a key is being typed; undefined if nothing was added. */
  async addWork(uri: Uri, entries: readonly string[], place?: Place): Promise<AddedWorks | undefined> {
    const position = place && this.argument(place).position;
    const params = { textDocument: { uri: this.uriFor(uri) }, entries, ...(position && { position }) };
    return (await this.ask<AddedWorks | null>('pincite/addWork', params)) ?? undefined;
  }

  /** Cite at a place, perhaps in place of a key there, or with a new entry; return whether the edit was applied. */
  async insertCitation(place: Place, key: string, more: { replaces?: string | undefined; entry?: string | undefined } = {}): Promise<boolean> {
    const argument = { ...this.argument(place), key, ...more };
    return (await this.execute<boolean>('pincite.insertCitation', argument)) ?? false;
  }

  /** Put a page into the note after a key; return whether the edit was applied. */
  async pinCitation(place: Place, key: string, page: number, pageLabel?: string): Promise<boolean> {
    const label = pageLabel !== undefined && { pageLabel };
    return (
      (await this.execute<boolean>('pincite.pinCitation', { ...this.argument(place), key, page, ...label })) ?? false
    );
  }

  /** Read the papers of a draft, or of all open ones, again; return once all is read. */
  async reindex(uri?: Uri): Promise<Status | undefined> {
    return this.execute<Status>('pincite.reindex', uri ? { uri: this.uriFor(uri) } : {});
  }

  /** Stop reading papers for now; those already read are used. */
  async stopReading(): Promise<void> {
    await this.client?.stopWork();
  }

  dispose(): void {
    this.release();
    this.states.dispose();
    this.readings.dispose();
    this.files.dispose();
    this.wrong.dispose();
  }

  private async execute<Result>(command: string, argument: object): Promise<Result | undefined> {
    return this.ask<Result>('workspace/executeCommand', { command, arguments: [argument] });
  }

  private async follow<Result>(
    method: string, params: object, progress: (percent: number) => void, token: CancellationToken,
  ): Promise<Result | undefined> {
    const workDoneToken = `pincite-${(this.followed += 1)}`;
    const following = this.client?.onProgress(WorkDoneProgress.type, workDoneToken, (value) => {
      if ('percentage' in value) progress(value.percentage);
    });
    try {
      return await this.ask<Result>(method, { ...params, workDoneToken }, token);
    } finally {
      following?.dispose();
    }
  }

  private async ask<Result>(method: string, params: object, token?: CancellationToken): Promise<Result | undefined> {
    if (this.client === undefined || this.current !== 'running') return undefined;
    // An undefined token would be passed as a second parameter.
    return this.client.sendRequest<Result>(method, params, ...(token ? [token] : []));
  }

  private at(place: Place): Record<string, unknown> {
    const { uri, position } = this.argument(place);
    return { textDocument: { uri }, position };
  }

  private argument({ uri, position }: Place): { uri: string; position: { line: number; character: number } } {
    return { uri: this.uriFor(uri), position: { line: position.line, character: position.character } };
  }

  private uriFor(uri: Uri): string {
    return this.client?.code2ProtocolConverter.asUri(uri) ?? uri.toString();
  }

  private become(state: ServerState): void {
    if (state === this.current) return;
    this.current = state;
    this.states.fire(state);
  }

  private release(): void {
    for (const one of this.listening.splice(0)) one.dispose();
    this.client = undefined;
  }
}

const STATES: Readonly<Record<State, ServerState>> = {
  [State.Stopped]: 'stopped',
  [State.Starting]: 'starting',
  [State.Running]: 'running',
};
