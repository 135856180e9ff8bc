/** How often each kind of fault has struck. */
export class Tally {
  readonly counts: Record<string, number> = {}

  count(kind: string): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1
  }
}
