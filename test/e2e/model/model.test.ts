import fc from 'fast-check'
import { afterAll, beforeAll, expect } from 'vitest'
import { openRail, type Rail } from '../../support/agent.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'
import { checkBatch } from '../chaos/checker/check.ts'
import { environmentFacts } from '../chaos/environment-facts.ts'
import type { RunRecord } from '../chaos/run-record.ts'
import { commands, expectAgreement, type Held } from './commands.ts'
import { emptyModel } from './model.ts'
import { openSystem } from './system.ts'

/** `npm run model` makes many runs; MODEL_SEED repeats the runs of an earlier report. */
const numRuns = Number(process.env['MODEL_RUNS'] ?? 4)
const seed = Number(process.env['MODEL_SEED'] ?? 5)
const patienceMs = 90_000 + numRuns * 20_000

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  const unlimited = { LIMIT_ADDRESS_PER_MINUTE: '1000000', LIMIT_WALLET_PER_MINUTE: '1000000' }
  const quick = {
    CHAIN_POLL_MS: '100',
    SWEEP_EVERY_MS: '300',
    CALL_LEASE_MS: '2000',
    CONFIRM_WINDOW_MS: '1000',
  }
  stack = await startStack({ apis: 2, workers: 2, env: { ...unlimited, ...quick } })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

verifies(
  'payout.model',
  'concurrent calls under kills are answered as the model says',
  async () => {
    const records: RunRecord[] = []
    const property = fc.asyncProperty(commands, async (chosen) => {
      const held: Held = { model: emptyModel }
      const system = await openSystem(rail)
      await fc.asyncModelRun(() => ({ model: held, real: system }), chosen)
      await expectAgreement(held, system)
      records.push(...system.records())
    })
    await fc.assert(property, {
      numRuns,
      seed,
      interruptAfterTimeLimit: patienceMs - 30_000,
      endOnFailure: false,
    })

    const executed = records.filter(({ calls }) =>
      calls.some(({ operation }) => operation === 'payout-execute'),
    )
    expect(executed.length).toBeGreaterThan(0)

    const clean = { duplicates: [], lost: [], disagreements: [], stuck: [] }
    expect(await checkBatch(await environmentFacts({ stack, rail }), records)).toEqual(clean)
  },
  patienceMs,
)
