const REMEMBERED = 10_000;

/** A map of limited size that removes its oldest entries. */
export class Recent<T> {
  private readonly entries = new Map<string, T>();

  get(key: string): T | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: T): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > REMEMBERED) this.entries.delete(this.entries.keys().next().value as string);
  }
}
