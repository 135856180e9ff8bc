import { afterAll, beforeAll, expect } from 'vitest'
import type { z } from 'zod'
import { receiptSigner } from '../../../activities/container.ts'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import { agentExamples } from '../../../api/examples/agents.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import { createClient } from '../../../api/http/client.ts'
import { type AnyOperation, leavesRecord, waysOf } from '../../../api/operation.ts'
import { operations } from '../../../api/operations/index.ts'
import { rotateCredential } from '../../../api/services/agents/credentials.ts'
import { isOpen, openCallers, send, writes } from '../../support/attacks.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { trustedAgent } from '../../support/registering-agent.ts'
import { codeOf } from '../../support/task-calls.ts'
import { verifies } from '../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({
    env: { TRUST_PROXY: '1', QUOTA_RECORDS_PER_DAY: '3/2/5/1000' },
    sequences: false,
  })
})
afterAll(() => apis?.stop())

const registry: readonly AnyOperation[] = operations
verifies('attack.quotas', 'each free call that leaves a row uses a quota', async () => {
  const leaving = registry.filter(leavesRecord)
  expect(leaving.length).toBeGreaterThan(60)
  const uncounted = leaving.filter(({ id, uses, input }) => {
    const used = uses?.((input as z.ZodType).parse(exampleOf({ id }).input) as never) ?? {}
    return Object.values(used).every((amount) => amount === 0)
  })
  expect(uncounted.map(({ id }) => id)).toEqual([])
})

verifies('attack.quotas', 'free tools and signatures end with the records of a day', async () => {
  const few = await startComposed({
    env: { QUOTA_RECORDS_PER_DAY: '3/9/9/9' },
    sequences: false,
  })
  try {
    const host = few.hosts[0]!
    // Its handshake is the first of its three.
    const { credential } = await trustedAgent(host, few.operator, { sandbox: true })
    const client = createClient({ baseUrl: host.base, osUrl: host.os, agent: credential })
    const use = () =>
      codeOf(
        client.call('run-service', {
          mode: 'run_service',
          service_id: 'tool_agent_pricing',
          task: '{}',
        }),
      )
    expect([await use(), await use(), await use()]).toEqual(['ok', 'ok', 'rate_limited'])
    const sign = () => codeOf(client.call('signing-sign', agentExamples['signing-sign'].input))
    expect(await sign()).toBe('rate_limited')
    expect(await few.db.selectFrom('usage_events').select('event_id').execute()).toHaveLength(2)
  } finally {
    await few.stop()
  }
})

/** Its messages are signed by this service, and it keeps the last ones alone. */
const counted = writes.filter(
  (one) => isOpen(one) && one.idempotency.kind !== 'read' && one.id !== 'callback-demo-receive',
)

verifies('attack.quotas', 'each open write is counted in a daily quota', async () => {
  expect(counted.length).toBeGreaterThan(25)
  const free = counted.filter(({ uses }) => uses === undefined)
  expect(free.map(({ id }) => id)).toEqual([])
})

verifies('attack.quotas', 'each write by a status token is counted as well', async () => {
  const byToken = writes.filter(({ statusToken }) => statusToken?.signed === true)
  expect(byToken.length).toBeGreaterThan(15)
  expect(byToken.filter(({ uses }) => uses === undefined).map(({ id }) => id)).toEqual([])
})

verifies('attack.quotas', 'effects that leave records count too', async () => {
  const open = new Set(['public', 'agent', 'status'])
  const effects = registry.filter(
    ({ idempotency, ...one }) =>
      idempotency.kind === 'effect' && waysOf(one as AnyOperation).some((way) => open.has(way)),
  )
  expect(effects.length).toBeGreaterThan(5)
  // An upload has bounds of its own in bytes, a deletion leaves no record, and the receiver takes signed messages alone.
  const free = effects.filter(({ uses }) => uses === undefined).map(({ id }) => id)
  expect(free.sort()).toEqual(['callback-demo-receive', 'input-delete', 'input-upload'])
})

verifies('attack.quotas', 'records of strangers end for an address and for all', async () => {
  const callers = await openCallers(apis)
  const asked = writes.find(({ id }) => id === 'write-gate-validate')
  if (asked === undefined) throw new Error('the write gate is missing')
  const ask = async (options: Parameters<typeof send>[3]) =>
    (await send(callers.hosts, asked, exampleOf(asked).input, options)).status
  const from = (address: string) => ask({ headers: { 'x-forwarded-for': address } })
  const one = [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')]
  expect(one).toEqual([200, 200, 429])
  const all = [await from('192.0.2.2'), await from('192.0.2.3'), await from('192.0.2.4')]
  expect(all).toEqual([200, 200, 200])
  expect(await from('192.0.2.5')).toBe(429)
  // The agent is trusted: strangers do not use up its quota.
  expect(await ask(callers.presents(asked))).toBe(200)
})

verifies('attack.quotas', 'a retired key uses up its address, not its agent', async () => {
  const env = { TRUST_PROXY: '1', QUOTA_RECORDS_PER_DAY: '4/3/100/1000' }
  const few = await startComposed({ env, sequences: false })
  try {
    const { db, config } = few
    const host = few.hosts[0]!
    const { agent, registered, credential } = await trustedAgent(host, few.operator)
    const issuing = { issuer: `${config.BASE_URL}/api/trust-contract`, environment: 'local' }
    const signReceipt = receiptSigner(loadKeyRings(config.SIGNING_KEYS_FILE))
    const rotation = {
      by: { operatorId: 'ada', name: 'Ada' },
      agentId: registered.agent.agent_id,
      overlapSeconds: 0,
      reason: 'leaked',
    }
    await transaction(db, (tx) => rotateCredential({ ...issuing, signReceipt }, tx, rotation))
    const { body } = await agent.shake(registered.status_token, true)
    const next = body.credential_envelope?.sealed === false ? body.credential_envelope : undefined
    const asked = writes.find(({ id }) => id === 'write-gate-validate')!
    const ask = async (key: string | undefined) => {
      const headers = { 'x-forwarded-for': '192.0.2.9' }
      const input = { ...(exampleOf(asked).input as object), idempotency_key: `k-${Math.random()}` }
      return (await send(host, asked, input, { agent: key, headers } as never)).status
    }
    const times = async (key: string | undefined) => [
      await ask(key),
      await ask(key),
      await ask(key),
    ]
    expect(await times(credential)).toEqual([200, 200, 200])
    expect(await ask(credential)).toBe(429)
    expect(await times(next?.credential)).toEqual([200, 200, 429])
  } finally {
    await few.stop()
  }
})
