import { workerData } from 'node:worker_threads'

// A thread of the child: busy work cannot see that its parent has died, and nobody else would end it.
const { parent, cpuMs } = workerData as { parent: number; cpuMs: number }
const spent = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
let begun = spent()
let idleSince = begun
setInterval(() => {
  const now = spent()
  // Hardly any processor time between two looks: the child waits for its next job.
  if (now - idleSince < 5) begun = now
  idleSince = now
  if (process.ppid !== parent || now - begun > 2 * cpuMs) process.kill(process.pid, 'SIGKILL')
}, 250)
