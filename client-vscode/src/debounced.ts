/** An action that is done once nobody has asked for it for a while. */
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
