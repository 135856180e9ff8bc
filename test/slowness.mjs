import { spawn } from 'node:child_process'

/** What `PROGRAM` takes on two quiet cores, in milliseconds, when four processes run it at once. */
const REFERENCE_MS = 1_200
const PROCESSES = 4
const PROGRAM = `let text = ''
for (let n = 0; n < 400_000; n++) text += n.toString(36)
for (let n = 0; n < 3; n++) JSON.parse(JSON.stringify(text.match(/[a-z]+|[0-9]+/g)))`

/** How many times slower than the reference this machine works now; at least 1 and at most 20. */
export async function measureSlowness() {
  const begun = performance.now()
  await Promise.all(Array.from({ length: PROCESSES }, runProgram))
  return Math.min(20, Math.max(1, (performance.now() - begun) / REFERENCE_MS))
}

function runProgram() {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, ['-e', PROGRAM], { stdio: 'ignore' })
      .once('error', reject)
      .once('exit', resolve)
  })
}
