/** What one run of callers took: seconds in all, and the times of each step in milliseconds. */
export type Run = {
  seconds: number
  count: number
  repeats: number
  times: Record<string, number[]>
}
export type Spread = { min: number; median: number; max: number }

/** The value below which this share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

/** The middle value; of two middle ones their mean. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const [low = Number.NaN, high = low] = sorted.slice(
    Math.ceil(sorted.length / 2) - 1,
    Math.floor(sorted.length / 2) + 1,
  )
  return (low + high) / 2
}

export function spread(values: readonly number[]): Spread {
  return {
    min: round(Math.min(...values)),
    median: round(median(values)),
    max: round(Math.max(...values)),
  }
}

/** Three digits that say something. */
export function round(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(3)) : value
}

export const show = ({ min, median, max }: Spread): string => `${median} (${min}–${max})`

/** What a caller notes of a subject: `lap` ends a step that began at the last lap, `note` is a time of its own. */
export type Clock = { lap(step: string): void; note(step: string, ms: number): void }

/**
 * Runs `act` over all subjects with so many callers at once; each caller takes the next subject when it is done with one.
 * `whole` is the time of one subject from its beginning to its end.
 */
export async function drive<S>(
  callers: number,
  subjects: readonly S[],
  act: (subject: S, clock: Clock) => Promise<void>,
): Promise<Omit<Run, 'repeats'>> {
  const times: Record<string, number[]> = {}
  const note = (step: string, ms: number) => {
    times[step] ??= []
    times[step].push(ms)
  }
  const queue = subjects.values()
  const caller = async () => {
    for (const subject of queue) {
      const begun = performance.now()
      let at = begun
      const lap = (step: string) => {
        const now = performance.now()
        note(step, now - at)
        at = now
      }
      await act(subject, { lap, note })
      note('whole', performance.now() - begun)
    }
  }
  const begun = performance.now()
  await Promise.all(Array.from({ length: callers }, caller))
  return { seconds: (performance.now() - begun) / 1000, count: subjects.length, times }
}

/** The median of the rounds for each process that did something; `all` leaves the callers of the rail out, who are not of the service. */
export function cpuOf(
  rounds: readonly { cpuMs: Record<string, number> }[],
): Record<string, number> {
  const names = Object.keys(rounds[0]?.cpuMs ?? {})
  const medians = names.map(
    (name) => [name, median(rounds.map(({ cpuMs }) => cpuMs[name] ?? 0))] as const,
  )
  const all = medians.filter(([name]) => name !== 'load').reduce((sum, [, ms]) => sum + ms, 0)
  const used = medians.filter(([, ms]) => ms >= 0.05)
  return Object.fromEntries([...used, ['all', all] as const].map(([name, ms]) => [name, round(ms)]))
}
