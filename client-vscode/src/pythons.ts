/** The Python selected in Microsoft's Python extensions, if one is installed. */

import { type Disposable, type Event, type Extension, extensions, workspace } from 'vscode';

import type { Log } from './log';
import { within } from './within';

const ENVIRONMENTS = 'ms-python.vscode-python-envs';
const PYTHON = 'ms-python.python';
/** The timeout for an extension that may know a server. */
const PATIENCE_MS = 5_000;

/** The part of the Python Environments API that is used here. */
interface EnvironmentsApi {
  getEnvironment(scope: undefined): Promise<
    { execInfo?: { run?: { executable?: string } } } | undefined
  >;
  readonly onDidChangeEnvironment?: Event<unknown>;
}

/** The part of the Python extension's API that is used here. */
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

  /** Return the path of the selected Python; none if it may come from an untrusted project. */
  async find(): Promise<string | undefined> {
    // The Python that is found gets executed, to identify it.
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
      this.log.warn(`${extension.id} does not report which Python is chosen: ${String(error)}`);
      return undefined;
    }
  }
}
