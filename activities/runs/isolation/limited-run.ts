import { type ChildProcess, execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { tooComplex } from './job.ts'

/** Processor time and memory decide; `wallMs` only ends a run that never finishes. */
export type RunLimits = { cpuMs: number; memoryBytes: number; wallMs: number }

/** Outside Linux each reading starts a program. */
const POLL_EVERY_MS = process.platform === 'linux' ? 50 : 500

/** Watches a child while it does a job, and kills it at a limit; `verdict` is the exceeded limit, and `end` stops the watch. */
export function watchRun(child: ChildProcess, limits: RunLimits) {
  const begun = performance.now()
  let before: number | undefined
  let now = 0
  let verdict: string | undefined
  const kill = (exceeded: string) => {
    verdict ??= exceeded
    child.kill('SIGKILL')
  }
  const poll = async () => {
    if (performance.now() - begun > limits.wallMs)
      return kill(`the work took longer than ${limits.wallMs / 1000} s`)
    const usage = child.pid === undefined ? undefined : await usageOf(child.pid)
    if (usage === undefined || ended) return
    before ??= usage.cpuMs
    now = usage.cpuMs
    if (usage.cpuMs - before > limits.cpuMs)
      kill(`the work took more than ${limits.cpuMs / 1000} s of processor time`)
    else if (usage.residentBytes > limits.memoryBytes) kill(memoryVerdict(limits))
  }
  let ended = false
  const timer = setInterval(() => void poll(), POLL_EVERY_MS)
  void poll()
  // V8 aborts a process whose heap is full, between two polls.
  const aborted = (code: number | null, signal: NodeJS.Signals | null) => {
    if (signal === 'SIGABRT' || code === 134) verdict ??= memoryVerdict(limits)
  }
  child.once('exit', aborted)
  return {
    verdict: () => (verdict === undefined ? undefined : tooComplex(verdict)),
    /** Ends the watch; answers the processor time of the job, and of its process since it began, as they were last seen. */
    end: () => {
      ended = true
      clearInterval(timer)
      child.off('exit', aborted)
      return { cpuMs: now - (before ?? now), ofProcessMs: now }
    },
  }
}

const memoryVerdict = ({ memoryBytes }: RunLimits) =>
  `the work took more than ${Math.floor(memoryBytes / 1024 / 1024)} MB of memory`

type Usage = { cpuMs: number; residentBytes: number }

/** Linux counts processor time in hundredths of a second for every program. */
const TICK_MS = 10
const run = promisify(execFile)

/** Processor time and resident memory of a process of ours; undefined once it has ended. */
function usageOf(pid: number): Promise<Usage | undefined> {
  const usage = process.platform === 'linux' ? fromProc(pid) : fromPs(pid)
  return usage.catch(() => undefined)
}

async function fromProc(pid: number): Promise<Usage> {
  const [stat, status] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile(`/proc/${pid}/status`, 'utf8'),
  ])
  // The name of the program may hold spaces and brackets; what follows it does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
    residentBytes: Number(resident ?? 0) * 1024,
  }
}

async function fromPs(pid: number): Promise<Usage> {
  const { stdout } = await run('ps', ['-o', 'cputime=,rss=', '-p', String(pid)])
  const [time = '', resident = ''] = stdout.trim().split(/\s+/)
  const seconds = time.split(/[:-]/).reduce((sum, part) => sum * 60 + Number(part), 0)
  return { cpuMs: seconds * 1000, residentBytes: Number(resident) * 1024 }
}
