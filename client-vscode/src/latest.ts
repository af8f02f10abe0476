/** Cancels the work for a request when the next one arrives. */

export interface Cancellation<Token> {
  readonly token: Token;
  cancel(): void;
  dispose(): void;
}

/** Runs a task for the latest request only, debounced. */
export class Latest<Token> {
  private timer: NodeJS.Timeout | undefined;
  private running: Cancellation<Token> | undefined;
  private again = false;
  private waiting: (() => void)[] = [];

  constructor(
    /** Must not fail. */
    private readonly task: (token: Token) => Promise<void>,
    private readonly cancellation: () => Cancellation<Token>,
    private readonly delay: number,
  ) {}

  /** Replace all earlier requests. */
  request(delay = this.delay): void {
    this.stop();
    this.timer = setTimeout(() => void this.run(), delay);
  }

  /** Run again, after the running or pending task: there may be more to find. */
  repeat(): void {
    if (this.running) this.again = true;
    else this.timer ??= setTimeout(() => void this.run(), this.delay);
  }

  /** Drop all requests. */
  cancel(): void {
    this.stop();
    this.rest();
  }

  /** Return once all requests are done. */
  async idle(): Promise<void> {
    if (this.running ?? this.timer) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private async run(): Promise<void> {
    const running = (this.running = this.cancellation());
    this.timer = undefined;
    await this.task(running.token);
    running.dispose();
    if (this.running !== running) return;
    this.running = undefined;
    if (this.again) this.request();
    else this.rest();
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.again = false;
    this.running?.cancel();
    this.running = undefined;
  }

  private rest(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
