import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { packageRoot } from '../../activities/config/package-root.ts'
import { startStack, type TestStack } from '../support/stack.ts'
import { verifies } from '../verifies.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startStack({ runWorkers: 0 })
})
afterAll(() => stack?.stop())

type Ended = { code: unknown; out: string; error: string }

const run = (program: string, changed: Record<string, string>): Promise<Ended> =>
  new Promise((resolve) => {
    const options = {
      env: { ...stack.env, BASE_PORT: '0', OS_PORT: '0', ...changed },
      timeout: 120_000,
    }
    execFile(
      process.execPath,
      [join(packageRoot, 'dist', program)],
      options,
      (failed, out, error) => resolve({ code: failed?.code ?? 0, out, error }),
    )
  })

const faults: Record<string, string>[] = [
  { DATABASE_CONNECTIONS: '0' },
  { DATABASE_CONNECTIONS: 'many' },
  { DATABASE_URL: 'nonsense' },
  { DATABASE_URL: 'postgres://127.0.0.1:5432' },
  { CHAIN_RPC_URL: 'foo' },
  { CHAIN_RPC_URL: '' },
  { CONFIRM_RPC_URL: 'http://127.0.0.1:1,foo' },
  { X402_FACILITATOR_URL: 'garbage' },
  { TEMPORAL_ADDRESS: 'http://127.0.0.1:7233' },
  { BASE_PORT: '70000' },
]

verifies(
  'operate.settings',
  'a setting that cannot work ends the API and a worker',
  async () => {
    for (const fault of faults)
      for (const program of ['api/server.js', 'worker/main.js']) {
        const { code, out, error } = await run(program, fault)
        const [name = ''] = Object.keys(fault)
        expect([code, out], `${program} ${name}`).toEqual([1, ''])
        expect(error.trim().split('\n'), `${program} ${name}`).toHaveLength(1)
        expect(error).toContain(name)
      }
  },
  600_000,
)

verifies(
  'operate.settings',
  'a worker refuses a queue that does not exist',
  async () => {
    for (const TASK_QUEUES of ['payout', 'payouts,tasks,run', '']) {
      const { code, out, error } = await run('worker/main.js', { TASK_QUEUES })
      expect([code, out]).toEqual([1, ''])
      expect(error).toMatch(
        /^configuration: TASK_QUEUES.* payouts, signing, transfers, callbacks, tasks, runs, strangers\n$/,
      )
    }
  },
  600_000,
)

verifies('operate.json-logs', 'every line of the log of a worker is a JSON object', async () => {
  // The core of Temporal warns while its server is away.
  await stack.temporal.kill('SIGKILL')
  const lines = () => (stack.logs()['worker'] ?? '').split('\n').slice(0, -1)
  await expect.poll(() => lines().join('\n')).toContain('core')
  for (const line of lines()) expect(() => JSON.parse(line), line).not.toThrow()
})
