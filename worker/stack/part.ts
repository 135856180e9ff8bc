import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchdog } from './parent-watchdog.ts'
import { withPrivateFiles } from './private-directory.ts'

/** The command line of a part; without `env` it inherits ours. */
export type Launch = {
  file: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
}

/** How one part of the stack is run: what comes before it, its command, a probe that rejects until it can be used, and optional work that runs with it and returns how to end it. */
export type PartPlan = {
  name: string
  logFile: string
  prepare?: () => Promise<void>
  launch: () => Promise<Launch>
  probe: (pid: number) => Promise<void>
  whileRunning?: () => () => void | Promise<void>
  stopSignal?: NodeJS.Signals
}

const LOG_LIMIT_BYTES = 10 * 1024 * 1024
const STOP_WITHIN_MS = 8_000
/** A slow machine is waited for: a part that cannot work usually ends long before this. */
const READY_WITHIN_MS = 300_000

/** One supervised process of the stack, in a process group of its own so that Ctrl-C reaches only the supervisor. */
export class Part {
  readonly plan: PartPlan
  #child: ChildProcess | undefined
  #exited: Promise<void> = Promise.resolve()
  #end: string | undefined

  constructor(plan: PartPlan) {
    this.plan = plan
  }

  get name(): string {
    return this.plan.name
  }

  /** The process id while it runs. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when the process that runs now has ended. */
  get exited(): Promise<void> {
    return this.#exited
  }

  /** The exit code or signal of the process that ended last; undefined while one runs. */
  get end(): string | undefined {
    return this.#end
  }

  /** Spawns the process; `waitReady` says when it can be used. */
  async start(): Promise<void> {
    if (this.#child !== undefined) return
    await this.plan.prepare?.()
    const launch = await this.plan.launch()
    const log = openLog(this.plan.logFile)
    const child = withPrivateFiles(() =>
      spawn(launch.file, launch.args, { ...launch, stdio: ['ignore', log, log], detached: true }),
    )
    closeSync(log)
    this.#child = child
    this.#end = undefined
    const release =
      child.pid === undefined ? () => undefined : watchdog(child.pid, this.#stopSignal)
    const rest = this.plan.whileRunning?.()
    this.#exited = new Promise((resolve) => {
      const ended = (end: string) => {
        release()
        this.#end = end
        this.#child = undefined
        resolve(rest?.())
      }
      child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`))
      child.once('error', (error) => ended(error.message))
    })
  }

  /** Waits until the probe passes; rejects with the end of the log when the process ends first or the time is up. */
  async waitReady(timeoutMs = READY_WITHIN_MS): Promise<void> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const pid = this.pid
      if (pid === undefined)
        throw new Error(`${this.name} ended before it was ready:\n${this.logTail()}`)
      const problem = await this.plan.probe(pid).then(
        () => undefined,
        (error: unknown) => error ?? new Error('not ready'),
      )
      if (problem === undefined) return
      if (Date.now() > deadline)
        throw new Error(
          `${this.name} was not ready in ${timeoutMs} ms (${problem}):\n${this.logTail()}`,
        )
      await sleep(50)
    }
  }

  /** Sends a signal and, when it is SIGKILL, waits for the end. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal)
    if (signal === 'SIGKILL') await this.#exited
  }

  /** Ends the process: its own stop signal first, SIGKILL after 8 s. */
  async stop(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    child.kill(this.#stopSignal)
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
    await this.#exited
    clearTimeout(timer)
  }

  /** Everything it has written to stdout and stderr, over restarts. */
  logs(): string {
    return existsSync(this.plan.logFile) ? readFileSync(this.plan.logFile, 'utf8') : ''
  }

  /** The last twenty lines of the log. */
  logTail(): string {
    return this.logs().trimEnd().split('\n').slice(-20).join('\n')
  }

  get #stopSignal(): NodeJS.Signals {
    return this.plan.stopSignal ?? 'SIGTERM'
  }
}

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (existsSync(path) && statSync(path).size > LOG_LIMIT_BYTES) truncateSync(path)
  const log = openSync(path, 'a', 0o600)
  fchmodSync(log, 0o600)
  return log
}
