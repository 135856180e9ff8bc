import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

type Stat = { pid: number; parent: number; own: number; reaped: number }

/** Processor seconds that each of these processes has used by now, with everything that it started. */
export function cpuSeconds(pids: Readonly<Record<string, number>>): Record<string, number> {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)))
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, ofFamily(all, pid) / TICKS_PER_SECOND]),
  )
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096
}

/** The most resident memory in bytes that a process has had since it began its program. */
export function peakBytes(pid: number): number {
  return (
    Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  )
}

/** Children that have ended are in the reaped time of their parent, so that a backend which goes is not lost. */
function ofFamily(all: readonly Stat[], pid: number): number {
  const self = all.find((stat) => stat.pid === pid)
  const children = all.filter((stat) => stat.parent === pid)
  return (
    (self === undefined ? 0 : self.own + self.reaped) +
    children.reduce((sum, child) => sum + ofFamily(all, child.pid), 0)
  )
}

function statOf(pid: number): Stat[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const at = (index: number) => fields[index] ?? 0
    return [{ pid, parent: at(1), own: at(11) + at(12), reaped: at(13) + at(14) }]
  } catch {
    return []
  }
}
