import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadInfrastructure } from '../../../activities/config/config.ts'
import { createTemporalClient } from '../../../temporal/connection.ts'
import {
  PAYOUTS_QUEUE,
  RUNS_QUEUE,
  SIGNING_QUEUE,
  TRANSFERS_QUEUE,
} from '../../../temporal/queues.ts'
import { listPollers } from '../../../temporal/readiness.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startStack({ apis: 2, workers: 2 })
})
afterAll(() => stack.stop())

test('both API processes answer, and say the same base URL', async () => {
  const answers = await Promise.all(
    [...stack.baseUrls, ...stack.osUrls].map((url) => fetch(`${url}/healthz`)),
  )
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
  expect(stack.accounts.base_url).toBe(stack.baseUrls[0])
})

verifies(
  'stack.secrets',
  'accounts.json has the documented shape and only its owner reads it',
  async () => {
    const wallet = {
      address: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      private_key: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    }
    expect(stack.accounts).toEqual({
      rpc_url: stack.rpcUrl,
      base_url: stack.baseUrls[0],
      treasury: { principal: wallet, holder: wallet },
      operator: { credential: expect.stringMatching(/^op_/) },
      agents: [wallet, wallet, wallet],
    })
    expect((await stat(join(stack.dataDirectory, 'demo', 'accounts.json'))).mode & 0o777).toBe(
      0o600,
    )
  },
)

verifies(
  'isolation.queues',
  'the embedded stack serves runs in a process without wallet keys',
  async () => {
    const { client, close } = createTemporalClient(loadInfrastructure({ ...stack.env }))
    const pollers = async (queue: string, kind: 'workflow' | 'activity') =>
      (await listPollers(client, { taskQueue: queue, ms: 3_000, kind })).map((identity) =>
        Number(identity.split('@')[0]),
      )
    const runs = await pollers(RUNS_QUEUE, 'activity')
    const money = [
      ...(await pollers(PAYOUTS_QUEUE, 'workflow')),
      ...(await pollers(TRANSFERS_QUEUE, 'activity')),
      ...(await pollers(SIGNING_QUEUE, 'activity')),
    ]
    await close()
    expect(runs).toEqual([stack.runWorker().pid])
    expect(money.length).toBeGreaterThan(0)
    expect(money).not.toContain(stack.runWorker().pid)
    const { env = {} } = await stack.runWorker().plan.launch()
    expect(env).toHaveProperty('SIGNER_SOCKET')
    expect(env).not.toHaveProperty('SIGNER_WALLETS_SOCKET')
  },
)

test('every part comes back after kill -9', async () => {
  // As a stack starts: what others need comes first, and parts that need each other no more than that come at once.
  const groups = [
    [stack.postgres, stack.temporal, stack.chain],
    [stack.signer],
    [stack.worker(1), stack.runWorker(), stack.api(1)],
  ]
  await Promise.all(groups.flat().map((part) => part.kill('SIGKILL')))
  for (const parts of groups)
    await Promise.all(
      parts.map(async (part) => {
        await part.start()
        await part.waitReady()
      }),
    )
}, 240_000)

verifies('stack.supervised', 'a stopped stack leaves neither a process nor a file', async () => {
  const parts = [
    stack.postgres,
    stack.temporal,
    stack.chain,
    stack.signer,
    stack.worker(0),
    stack.worker(1),
    stack.runWorker(),
    stack.api(0),
    stack.api(1),
  ]
  const pids = parts.map((part) => part.pid as number)
  await stack.stop()
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
  expect(existsSync(stack.dataDirectory)).toBe(false)
})
