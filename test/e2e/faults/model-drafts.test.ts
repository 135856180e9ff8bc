import { afterAll, beforeAll, expect } from 'vitest'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { workOn } from '#domain/rails/input/read-input.ts'
import { delivered } from '#domain/rails/work/tiers.ts'
import { buyRun, openAgentUse } from '../../support/agent-use.ts'
import { quotesFirst, startModelServer } from '../../support/model-server.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let server: Awaited<ReturnType<typeof startModelServer>>
let stack: TestStack
beforeAll(async () => {
  server = await startModelServer()
  server.behavior.now = quotesFirst
  const model = { MODEL_URL: server.url, MODEL_NAME: 'test-model' }
  stack = await startStack({ env: { ...model, MODEL_PRIVATE_ADDRESS: 'allowed' } })
})
afterAll(async () => {
  await stack?.stop()
  await server?.stop()
})

verifies(
  'model.apart',
  'the processes of a stack draft an answer and deliver it apart',
  async () => {
    const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
    const buyer = await openAgentUse(hosts, stack.accounts.operator.credential)
    const { return_package, completion } = await buyRun(buyer, 'diligenceops')
    expect(completion.verdict).toBe('proven')
    expect(server.asked.length).toBeGreaterThan(0)
    const { drafts, calls } = return_package.drafts ?? { drafts: [], calls: [] }
    expect(drafts.length).toBeGreaterThan(0)
    expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(new Set(['answered']))
    const evidence = JSON.stringify(diligenceops.sandboxInput)
    for (const { sentences } of drafts)
      for (const { citations } of sentences)
        for (const { quote } of citations) expect(evidence).toContain(quote)
    const { result } = delivered(
      diligenceops,
      'standard',
      workOn(diligenceops, diligenceops.sandboxInput),
    )
    expect(return_package.result).toEqual(result)
  },
)
