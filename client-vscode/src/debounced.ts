/** A debounced action: it runs once there has been no request for a while. */
export class Debounced {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly action: () => void,
    private readonly ms: number,
  ) {}

  request(): void {
    this.dispose();
    this.timer = setTimeout(this.action, this.ms);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
