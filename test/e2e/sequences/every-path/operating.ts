import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { canonicalJson, digestOf } from '#domain/core/canonical-json.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { signWebhook } from '../../../../activities/keys/webhook.ts'
import { post } from '../../../support/agent.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { askedWrite } from '../../../support/production.ts'
import { newAgentClient } from '../../../support/registering-agent.ts'
import { agent, elsewhere, type Kept, memberOf, open, operator, type Rows, receipt } from './row.ts'
import type { World } from './world.ts'

const reportKept: Kept = {
  in: 'regression-read',
  as: agent,
  id: 'report_id',
  by: () => ({ limit: '100' }),
}
const report = (failed: number) => ({
  mode: 'store_regression_report' as const,
  report: {
    suite: 'checkout of my shop',
    passed: 1,
    failed,
    steps: [
      { step: 'quote', ok: true },
      ...Array.from({ length: failed }, (_, at) => ({ step: `pay ${at}`, ok: false })),
    ],
    transcript_hash: '0'.repeat(64),
    code_version: '2.4.1',
  },
  idempotency_key: freshKey(),
})
const validation = (callback_url: string) => askedWrite(callback_url)
const callbackOf = ({ apis }: World) => `${apis.config.BASE_URL}${demoReceiverPath}?receiver=gate`
const activation = (rail: 'packetops' | 'tokenops') => ({
  customer_account: `northwind-${freshKey()}`,
  rail,
  tier: 'standard' as const,
  idempotency_key: freshKey(),
})
/** A registered agent that an operator decided about. */
async function decided({ hosts, review }: World, decision: 'approve' | 'reject') {
  const { agent_id } = (await newAgentClient(hosts).register()).agent
  return review('agent', agent_id, decision)
}
/** A callback of ours that is sent so many times; its receiver keeps it once. */
async function received({ apis, hosts }: World, times: number) {
  const receiver = `r-${freshKey()}`
  const id = `cb_${digestOf({ receiver })}`
  const at = new Date().toISOString()
  const event = { event: 'credential_ready', delivery_id: id, at, state: 'pending', sequence: 6 }
  const body = canonicalJson({ ...event, agent_id: 'agt_1', credential_id: 'c_1' })
  const key = loadKeyRings(apis.config.SIGNING_KEYS_FILE).callback.active
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = await signWebhook(key, { id, timestamp, body })
  const url = `${hosts.base}${demoReceiverPath}?receiver=${receiver}`
  for (let at = 1; at < times; at += 1) await post(url, body, headers)
  return { ...(await post(url, body, headers)).body, receiver }
}

/** The gate of production, reviews, reports, orders and callbacks, as far as they need no worker. */
export const operatingRows: Rows = {
  'write-gate-read': {
    as: open,
    ask: {},
    change: async (world) =>
      world.agent.client.call('write-gate-validate', validation(callbackOf(world))),
  },
  'write-gate-validate': {
    as: agent,
    ask: (world) => validation(callbackOf(world)),
    other: () => validation('https://10.0.0.1/in'),
    kept: receipt,
  },
  'activation-path-read': {
    as: agent,
    ask: {},
    other: async ({ agent: { client } }) => {
      const { body } = await client.call('activation-start', activation('packetops'))
      return { activation_id: body.activation.activation_id }
    },
  },
  'activation-start': {
    as: async ({ newAgent }) => (await newAgent()).client,
    thenAs: agent,
    ask: () => activation('packetops'),
    // It has a quote for the rail already.
    other: async ({ quote }) => {
      await quote('tokenops')
      return activation('tokenops')
    },
    kept: { in: 'activation-path-read', as: agent, id: 'activation_id' },
  },
  'regression-read': {
    as: agent,
    ask: { limit: '100' },
    change: ({ agent: { client } }) => client.call('regression-store', report(1)),
  },
  'regression-store': {
    as: agent,
    ask: () => report(0),
    other: () => report(2),
    kept: reportKept,
  },
  'read-agent-use-pack': { as: open, thenAs: elsewhere, ask: { mode: 'read_agent_use_pack' } },
  'loop-review-console': {
    as: operator,
    ask: {},
    change: ({ hosts }) => newAgentClient(hosts).register(),
  },
  'loop-review-record': {
    calls: [(world) => decided(world, 'approve'), (world) => decided(world, 'reject')],
    kept: { in: 'loop-audit-pack', as: operator, id: 'decision_id', by: () => ({ limit: '100' }) },
  },
  'loop-audit-pack': {
    as: operator,
    ask: { limit: '100' },
    change: (world) => decided(world, 'approve'),
  },
  'callback-demo-receive': {
    calls: [(world) => received(world, 1), (world) => received(world, 2)],
    repeated: { duplicate: true },
    kept: {
      in: 'callback-demo-read',
      as: open,
      id: 'delivery_id',
      by: (_id, answer) => ({ receiver: memberOf(answer, 'receiver') }),
    },
  },
  'callback-demo-read': {
    as: open,
    ask: { receiver: 'no-one' },
    other: async (world) => ({ receiver: (await received(world, 1)).receiver }),
  },
}
