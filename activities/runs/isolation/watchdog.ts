import { workerData } from 'node:worker_threads'

// A thread of the child: busy work does not notice the death of its parent, and no other process would end it.
const { parent, cpuMs } = workerData as { parent: number; cpuMs: number }
const spent = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
let begun = spent()
let idleSince = begun
setInterval(() => {
  const now = spent()
  // Hardly any processor time between two checks: the child waits for its next job.
  if (now - idleSince < 5) begun = now
  idleSince = now
  if (process.ppid !== parent || now - begun > 2 * cpuMs) process.kill(process.pid, 'SIGKILL')
}, 250)
