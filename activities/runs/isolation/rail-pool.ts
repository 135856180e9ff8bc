import { type ChildProcess, execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Tinypool } from 'tinypool'
import { DomainError } from '#domain/core/errors.ts'
import { type Config, configSchema } from '../../config/config.ts'
import { builtProgram, packageRoot } from '../../config/package-root.ts'
import type { Answer, FromChild, Job, ToChild } from './job.ts'
import { type RunLimits, watchRun } from './limited-run.ts'
import { createSlots } from './slots.ts'

export type RailPool = {
  /**
   * Does a job in a child process, which gets the bytes of its lists as it asks for them. Throws the refusal that the work ends
   * with, `input_too_complex` at a limit, and `ChildDied` where the child ended without a verdict.
   */
  run(
    job: Job,
    streams?: Readonly<Record<string, Readable>>,
    signal?: AbortSignal,
  ): Promise<unknown>
  /**
   * The same with slots of its own by this name: its jobs take turns with those of others, and do not wait for all of them. `spend`
   * gets the processor time of each job, however it ends.
   */
  queue(name: string, spend?: Spend): Queue
  close(): Promise<void>
}
export type Queue = Pick<RailPool, 'run'> & {
  /** The same, each job in a process that no other has used. */
  readonly apart: Pick<RailPool, 'run'>
}
type Spend = (cpuMs: number) => void
/** Where a job waits: in a queue of its pool, for a process that others used, or for one of its own. */
type Place = { queue: string; apart: boolean }
export type Doing = {
  streams: Readonly<Record<string, Readable>>
  signal: AbortSignal | undefined
  spend?: Spend | undefined
  /** Called when a process has begun the job. */
  begun?: () => void
}
/** Does a job, and answers its outcome as JSON text. */
export type Perform = (job: Job, place: Place, doing: Doing) => Promise<string>
/** `nice` as the command of that name counts: how readily its processes leave the processor to others. */
export type PoolSettings = RunLimits & { processes: number; nice: number }

/** The child ended during the work, without a verdict: the work may be done again. */
export class ChildDied extends Error {
  override readonly name = 'ChildDied'
}

/** No child started the work, so the input is not the cause. */
export class NotBegun extends Error {
  override readonly name = 'NotBegun'
}

/** A child that used more than this is not used again, because its memory would count for the next run. */
const REUSE_HEAP_BYTES = 64 * 1024 * 1024
const IDLE_MS = 30_000
const WALL_PER_CPU = 10
/** Processes for callers' bytes leave the processor to the service. */
export const NICE = 5
/** The system ends a child after so many times the processor time of one job; before that it is replaced. */
const SYSTEM_LIMIT_JOBS = 4

export function poolSettings({
  RUN_PROCESSES,
  RUN_CPU_MS,
  RUN_MEMORY_MB,
}: Pick<Config, 'RUN_PROCESSES' | 'RUN_CPU_MS' | 'RUN_MEMORY_MB'>): PoolSettings {
  const memoryBytes = RUN_MEMORY_MB * 1024 * 1024
  return {
    processes: RUN_PROCESSES,
    cpuMs: RUN_CPU_MS,
    memoryBytes,
    wallMs: RUN_CPU_MS * WALL_PER_CPU,
    nice: NICE,
  }
}

/** The default limits, for programs that verify files without a configuration. */
export const defaultPoolSettings = (): PoolSettings =>
  poolSettings(
    configSchema.pick({ RUN_PROCESSES: true, RUN_CPU_MS: true, RUN_MEMORY_MB: true }).parse({}),
  )

/** A pool of child processes for work on data from agents. */
export function openRailPool(settings: PoolSettings): RailPool {
  const { perform, close } = openPerformer(settings)
  return railPoolOver(perform, close)
}

/** A pool over whatever performs its jobs. */
export function railPoolOver(perform: Perform, close: () => Promise<void>): RailPool {
  const at = (place: Place, spend?: Spend): Pick<RailPool, 'run'> => ({
    run: async (job, streams = {}, signal) =>
      JSON.parse(await perform(job, place, { streams, signal, spend })),
  })
  return {
    ...at({ queue: 'pool', apart: false }),
    queue: (name, spend) => ({
      ...at({ queue: name, apart: false }, spend),
      apart: at({ queue: name, apart: true }, spend),
    }),
    close,
  }
}

/** Child processes that perform jobs: so many at once, and of each queue. */
export function openPerformer(settings: PoolSettings) {
  const { processes } = settings
  const pool = openProcesses(settings, processes)
  const slots = createSlots(processes)
  const perform: Perform = async (job, { queue, apart }, doing) => {
    const release = await slots(queue)
    const used = apart ? openProcesses(settings, 1) : pool
    try {
      return await runOnce({ pool: used, limits: settings }, job, doing)
    } finally {
      if (apart) await used.destroy()
      release()
    }
  }
  return { perform, close: () => pool.destroy() }
}

function openProcesses(settings: PoolSettings, processes: number): Tinypool {
  const pool = new Tinypool({
    runtime: 'child_process',
    serialization: 'advanced',
    filename: builtProgram('activities/runs/isolation/child.js'),
    name: 'answer',
    env: {},
    execArgv: childFlags(settings),
    argv: [String(settings.cpuMs)],
    minThreads: 0,
    maxThreads: processes,
    idleTimeout: IDLE_MS,
    maxMemoryLimitBeforeRecycle: REUSE_HEAP_BYTES,
  })
  // A child that ends without a job was idle, or died at its start: the pool would never start another for the job that waits.
  pool.on('error', () => pool.cancelPendingTasks())
  return pool
}

type Processes = { pool: Tinypool; limits: PoolSettings }

async function runOnce(
  { pool, limits }: Processes,
  job: Job,
  { streams, signal, spend, begun }: Doing,
): Promise<string> {
  signal?.throwIfAborted()
  const pieces = Object.fromEntries(
    Object.entries(streams).map(([list, stream]) => [list, stream[Symbol.asyncIterator]()]),
  )
  const ended = new AbortController()
  let watched: ReturnType<typeof watchRun> | undefined
  let send: (message: ToChild) => void = () => undefined
  const cancel = () => ended.abort(signal?.reason)
  const late = setTimeout(
    () => ended.abort(new NotBegun(`no child began the work within ${limits.wallMs / 1000} s`)),
    limits.wallMs,
  )
  const hear = (message: FromChild): void => {
    if ('started' in message) {
      clearTimeout(late)
      watched = watchRun(childOf(pool, message.started), limits)
      begun?.()
    } else if ('wants' in message) {
      const next = pieces[message.wants]?.next() ?? Promise.reject(new Error('an unknown list'))
      next.then(
        ({ done, value }) => send({ list: message.wants, piece: done === true ? null : value }),
        (error: unknown) => ended.abort(error),
      )
    }
  }
  const channel = {
    onMessage: (post: typeof send) => {
      send = post
    },
    postMessage: (message: FromChild) => hear(message),
  }
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    const running = pool.run(job, { channel, signal: ended.signal })
    confine(pool, limits)
    const answer: Answer = await running.catch(async (error: unknown) => {
      if (ended.signal.aborted) throw ended.signal.reason
      // The child's exit is heard before its verdict is known.
      await sleep(0)
      throw watched?.verdict() ?? failureOf(error, watched !== undefined)
    })
    if ('refusal' in answer) throw new DomainError(answer.refusal)
    return answer.json
  } finally {
    clearTimeout(late)
    const spent = watched?.end()
    spend?.(spent?.cpuMs ?? 0)
    // What a child has used counts for its next job as well, by the limit of the system.
    if ((spent?.ofProcessMs ?? 0) > limits.cpuMs) void pool.recycleWorkers()
    signal?.removeEventListener('abort', cancel)
    for (const stream of Object.values(streams)) stream.destroy()
  }
}

/** What the work itself threw comes as a plain object; an Error is the end of the child. */
function failureOf(error: unknown, begun: boolean): Error {
  if (!(error instanceof Error))
    return new Error(
      `the work failed: ${(error as { message?: string } | null)?.message ?? String(error)}`,
    )
  return begun
    ? new ChildDied(error.message)
    : new NotBegun('the child process ended before it began the work')
}

const confined = new WeakSet<object>()

/** New children of the pool leave the processor to others, and the system ends one whose watch has failed. */
function confine(pool: Tinypool, { cpuMs, nice }: PoolSettings): void {
  for (const child of pool.threads) {
    const pid = child.threadId
    if (confined.has(child) || pid === undefined) continue
    confined.add(child)
    const seconds = Math.ceil((SYSTEM_LIMIT_JOBS * cpuMs) / 1000)
    try {
      setPriority(pid, nice)
    } catch {
      // It has ended.
    }
    // Only Linux has the command; elsewhere the watch inside and outside of the child are all there is.
    if (process.platform === 'linux')
      execFile('prlimit', ['--pid', String(pid), `--cpu=${seconds}`, '--core=0'], () => undefined)
  }
}

/** The process behind a place of the pool, which keeps it to itself. */
function childOf(pool: Tinypool, pid: number): ChildProcess {
  const found = pool.threads.find(({ threadId }) => threadId === pid)
  if (found === undefined) throw new Error(`no child of the pool is ${pid}`)
  return Reflect.get(found, 'process') as ChildProcess
}

/**
 * What the child may do: read the program, start its watchdog. Node refuses files, processes, add-ons and, from version 25, the
 * network, which `no-network.ts` refuses on every version.
 */
export function childFlags({ memoryBytes }: Pick<RunLimits, 'memoryBytes'>): string[] {
  const modules = dirname(dirname(createRequire(import.meta.url).resolve('tinypool/package.json')))
  // Where node_modules is a symbolic link, Node reads the link and what it points to.
  const folders = new Set([modules, join(packageRoot, 'node_modules')])
  const readable = [join(packageRoot, 'dist'), join(packageRoot, 'package.json'), ...folders]
  const known = process.allowedNodeEnvironmentFlags
  const permission = known.has('--permission') ? '--permission' : '--experimental-permission'
  return [
    permission,
    '--allow-worker',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    ...readable.map((path) => `--allow-fs-read=${path}${path.endsWith('.json') ? '' : '/*'}`),
    `--import=${pathToFileURL(builtProgram('activities/runs/isolation/no-network.js'))}`,
    `--max-old-space-size=${Math.floor(memoryBytes / 1024 / 1024)}`,
  ]
}
