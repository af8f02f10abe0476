/** Cancels what is done for one request when the next one comes. */

export interface Cancellation<Token> {
  readonly token: Token;
  cancel(): void;
  dispose(): void;
}

/** Runs a task for the latest request only, once no other has followed it for a moment. */
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

  /** What was asked for before no longer matters. */
  request(delay = this.delay): void {
    this.stop();
    this.timer = setTimeout(() => void this.run(), delay);
  }

  /** There may be more to find: run again, after what is running or about to run. */
  repeat(): void {
    if (this.running) this.again = true;
    else this.timer ??= setTimeout(() => void this.run(), this.delay);
  }

  /** Nothing is asked for. */
  cancel(): void {
    this.stop();
    this.rest();
  }

  /** Return once all that was asked for is done. */
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
