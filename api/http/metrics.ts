import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** Prometheus counts of one API process, shared by its listeners. */
export type Metrics = {
  /** One answered call; `operation` is its id, or `none` where no operation was reached. */
  observe(operation: string, status: number, seconds: number): void
  /** The exposition text and its content type. */
  print(): Promise<{ type: string; text: string }>
}

/** Gauges by name, read for each scrape. One that cannot be read has no value. With a `label`, one value per label value. */
export type Gauges = Readonly<
  Record<
    string,
    | {
        readonly help: string
        readonly label?: never
        readonly read: () => Promise<number | undefined>
      }
    | {
        readonly help: string
        readonly label: string
        readonly read: () => Promise<ReadonlyMap<string, number>>
      }
  >
>

/** Below the time that Prometheus waits for a scrape. */
const READ_MS = 3_000

export function createMetrics(gauges: Gauges = {}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const calls = new Counter({
    name: 'agent_rails_calls_total',
    help: 'Answered calls.',
    labelNames: ['operation', 'status'],
    registers: [registry],
  })
  const duration = new Histogram({
    name: 'agent_rails_call_seconds',
    help: 'Time from the first byte of a call to its answer.',
    labelNames: ['operation'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20],
    registers: [registry],
  })
  for (const [name, gauge] of Object.entries(gauges)) addGauge(registry, name, gauge)
  return {
    observe: (operation, status, seconds) => {
      calls.inc({ operation, status })
      duration.observe({ operation }, seconds)
    },
    print: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}

function addGauge(registry: Registry, name: string, { help, label, read }: Gauges[string]): void {
  const show = async (): Promise<void> => {
    const value = await inTime<number | ReadonlyMap<string, number> | undefined>(read())
    if (label === undefined) gauge.remove()
    else gauge.reset()
    if (value === undefined) return
    if (typeof value === 'number') return gauge.set(value)
    for (const [key, part] of value) gauge.set({ [label as string]: key }, part)
  }
  const labelNames = label === undefined ? [] : [label]
  const gauge = new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    collect: show,
  })
}

/** What a reading says; undefined where it fails or takes too long. */
async function inTime<T>(reading: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_MS)
  })
  const read = reading.catch(() => undefined)
  return Promise.race([read, late]).finally(() => clearTimeout(timer))
}
