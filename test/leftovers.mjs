import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The environment variable that every process of a test run inherits. */
export const RUN_VARIABLE = 'AGENT_RAILS_TEST_RUN'

/** The processes of a run that have not ended within `seconds`. Only Linux lists them. */
export async function processesLeft(run, seconds = 5) {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const left = processesOf(run)
    if (left.length === 0 || Date.now() >= end) return left
    await sleep(100)
  }
}

export function endProcesses(processes) {
  for (const { pid } of processes)
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
}

function processesOf(run) {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(pid, 'environ').includes(`${RUN_VARIABLE}=${run}`))
    .map((pid) => ({ pid: Number(pid), command: read(pid, 'cmdline').join(' ').trim() }))
    .filter(({ command }) => command !== '')
}

/** The entries of a file of a process; none if it has ended or belongs to another user. */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0')
  } catch {
    return []
  }
}
