import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export type Usage = { cpuMs: number; residentBytes: number }

/** Linux counts processor time in hundredths of a second for every program. */
const TICK_MS = 10
const run = promisify(execFile)

/** Processor time and resident memory of a process of ours; undefined once it has ended. */
export function usageOf(pid: number): Promise<Usage | undefined> {
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
