/** What waits for a slot and is told when one is free. */
interface Waiter {
  fill(): void;
}

/** Limits how many deliveries of one store and app are sent at once, however many subscriptions they have. */
export class Slots {
  private taken = 0;
  private readonly waiting = new Set<Waiter>();

  constructor(private readonly most: number) {}

  /** False when none is free: then `waiter` is called once one is. */
  take(waiter: Waiter): boolean {
    if (this.taken < this.most) {
      this.taken++;
      return true;
    }
    this.waiting.add(waiter);
    return false;
  }

  give(): void {
    this.taken--;
    const [next] = this.waiting;
    if (!next) return;
    this.waiting.delete(next);
    next.fill();
  }

  get isIdle(): boolean {
    return this.taken === 0 && this.waiting.size === 0;
  }
}
