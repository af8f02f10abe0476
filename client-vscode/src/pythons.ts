/** The Python that an author has chosen in Microsoft's extensions, where one is installed. */

import { type Disposable, type Event, type Extension, extensions, workspace } from 'vscode';

import type { Log } from './log';
import { within } from './within';

const ENVIRONMENTS = 'ms-python.vscode-python-envs';
const PYTHON = 'ms-python.python';
/** How long an author waits for an extension that only might know of a server. */
const PATIENCE_MS = 5_000;

/** What is used here of Python Environments. */
interface EnvironmentsApi {
  getEnvironment(scope: undefined): Promise<
    { execInfo?: { run?: { executable?: string } } } | undefined
  >;
  readonly onDidChangeEnvironment?: Event<unknown>;
}

/** What is used here of the Python extension. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(): { path: string };
    resolveEnvironment(
      environment: { path: string },
    ): Promise<{ executable?: { uri?: { fsPath: string } } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath?: Event<unknown>;
  };
}

export class ChosenPython implements Disposable {
  private readonly following = new Map<string, Disposable>();

  constructor(
    private readonly log: Log,
    private readonly changed: () => void,
  ) {}

  /** Return the path of the chosen Python; none where it may be one that the project brought along. */
  async find(): Promise<string | undefined> {
    // Whatever is found is run, to see which Python it is.
    if (!workspace.isTrusted) return undefined;
    return (
      (await this.ask(extensions.getExtension<EnvironmentsApi>(ENVIRONMENTS), this.fromEnvironments)) ??
      (await this.ask(extensions.getExtension<PythonApi>(PYTHON), this.fromPython))
    );
  }

  dispose(): void {
    for (const listener of this.following.values()) listener.dispose();
    this.following.clear();
  }

  private readonly fromEnvironments = async (api: EnvironmentsApi): Promise<string | undefined> => {
    this.follow(ENVIRONMENTS, api.onDidChangeEnvironment);
    return (await api.getEnvironment(undefined))?.execInfo?.run?.executable;
  };

  private readonly fromPython = async (api: PythonApi): Promise<string | undefined> => {
    this.follow(PYTHON, api.environments?.onDidChangeActiveEnvironmentPath);
    const active = api.environments?.getActiveEnvironmentPath();
    return active && (await api.environments?.resolveEnvironment(active))?.executable?.uri?.fsPath;
  };

  private follow(id: string, event: Event<unknown> | undefined): void {
    if (event && !this.following.has(id)) this.following.set(id, event(this.changed));
  }

  private async ask<Api>(
    extension: Extension<Api | undefined> | undefined,
    question: (api: Api) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    if (!extension) return undefined;
    try {
      return await within(PATIENCE_MS, async () => {
        const api = await extension.activate();
        return api && (await question(api));
      });
    } catch (error) {
      this.log.warn(`${extension.id} does not say which Python is chosen: ${String(error)}`);
      return undefined;
    }
  }
}
