/** Runs one restart at a time, with at most one more pending. */
export class Restarts {
  private current: Promise<void> | undefined;
  private next: Promise<void> | undefined;

  constructor(private readonly restart: () => Promise<void>) {}

  /** Restart after the current restart, if any; requests made meanwhile share the pending one. */
  request(): Promise<void> {
    if (this.current) {
      this.next ??= this.current.catch(() => undefined).then(() => {
        this.next = undefined;
        return this.begin();
      });
      return this.next;
    }
    return this.begin();
  }

  private begin(): Promise<void> {
    this.current = this.restart().finally(() => {
      this.current = undefined;
    });
    return this.current;
  }
}
