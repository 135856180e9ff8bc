import { afterAll, beforeAll, expect } from 'vitest'
import { packetops } from '#domain/rails/packetops/index.ts'
import { claimQuote } from '../../../../activities/credit/quotes.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { createClient } from '../../../../api/http/client.ts'
import { trustedAgent } from '../../../activities/tasks/fixture.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { startComposed } from '../../../support/composed-api.ts'
import { tokenOfStopped } from '../../../support/stopped-task.ts'
import { verifies } from '../../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposed>>
beforeAll(async () => {
  apis = await startComposed({ env: { QUOTA_WORKFLOWS_PER_DAY: '9/2/9/9' } })
})
afterAll(() => apis?.stop())

verifies('sandbox.quota', 'a client address recovers so often a day and no more', async () => {
  const codes: string[] = []
  const { sandboxInput: input } = packetops
  for (let nth = 0; nth < 3; nth++) {
    const url = `${apis.hosts[0]?.os}/api/agents/tasks/${await tokenOfStopped(apis)}/recover`
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'supply_evidence', input, idempotency_key: freshKey() }),
    })
    codes.push(((await response.json()) as { code: string }).code)
  }
  // Without Temporal, a recovery that is let in is 503.
  expect(codes).toEqual(['unavailable', 'unavailable', 'rate_limited'])
})

verifies('sandbox.quotes', 'its quote belongs to the first who presents its token', async () => {
  const holder = createClient({
    baseUrl: String(apis.hosts[0]?.base),
    statusToken: await tokenOfStopped(apis),
    signAsAgent: () => 'A'.repeat(86),
  })
  const asked = { rail: 'packetops', tier: 'standard', idempotency_key: freshKey() } as const
  const { body } = await holder.call('agent-quote', asked)
  const { quote_id } = body.quote
  expect((await holder.call('agent-quote', asked)).body).toEqual(body)
  const claim = (token: string | undefined) =>
    transaction(apis.db, (tx) => claimQuote(tx, quote_id, { owner: trustedAgent, token }))
  await expect(claim(undefined)).rejects.toMatchObject({ refusal: { code: 'not_owner' } })
  expect(await claim(body.quote_token)).toMatchObject({ quote_id })
})
