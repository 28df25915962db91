/** A caller that waits for a slot and is called when one is free. */
interface Waiter {
  fill(): void;
}

/** Limits the concurrent deliveries of one store and app across all its subscriptions. */
export class Slots {
  private taken = 0;
  private readonly waiting = new Set<Waiter>();

  constructor(private readonly most: number) {}

  /** Returns false if no slot is free; `waiter` is then called when one is. */
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
