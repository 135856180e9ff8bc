import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
// @ts-expect-error a module without types, which runs before the build
import { endProcesses, processesLeft, RUN_VARIABLE } from './leftovers.mjs'

test.runIf(process.platform === 'linux')('a process that outlives its run is found', async () => {
  const run = 'leftovers-test'
  expect(await processesLeft(run, 0)).toEqual([])
  const child = spawn('sleep', ['60'], { env: { ...process.env, [RUN_VARIABLE]: run } })
  const ended = once(child, 'exit')
  await once(child, 'spawn')
  await expect.poll(() => processesLeft(run, 0)).toEqual([{ pid: child.pid, command: 'sleep 60' }])
  endProcesses(await processesLeft(run, 0))
  expect(await ended).toEqual([null, 'SIGKILL'])
  expect(await processesLeft(run, 0)).toEqual([])
})
