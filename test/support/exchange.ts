import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import { packetops, packetopsInput } from '#domain/rails/packetops/index.ts'
import type { Rail } from '#domain/rails/rail.ts'
import { delivered } from '#domain/rails/work/tiers.ts'
import { createClient, type InputOf } from '../../api/http/client.ts'
import { exampleOrder } from '../../api/operations/work-orders.ts'
import { eventually } from './agent.ts'
import { freshKey, openAgentUse } from './agent-use.ts'
import { decide, type Hosts, trustedAgent } from './registering-agent.ts'

/** The work that packetops makes of its sample in the standard tier. */
export const packetWork = () => {
  const rail = packetops as unknown as Rail
  return delivered(rail, 'standard', rail.work(packetopsInput))
}

/** A package whose one artifact is this work. */
export const packageOf = (
  work: unknown,
): InputOf<'exchange-deliver'>['return_package'] & { claims: [] } => {
  const content = canonicalJson(work)
  return { artifacts: [{ name: 'work.json', sha256: sha256Hex(content), content }], claims: [] }
}

/** An agent that asks for work on the exchange, and any number of others that do it, over HTTP. */
export async function openExchange(hosts: Hosts, operator: string) {
  const requester = await openAgentUse(hosts, operator, {
    requested_scopes: ['runs:read', 'runs:write', 'exchange:write', 'wallets:write'],
  })
  const requesterId = requester.registered.agent.agent_id
  let units = 0
  const review = (
    kind: 'work_order' | 'loop_step',
    subject: string,
    decision: 'approve' | 'reject',
  ) => decide(hosts, operator, subject, decision, { subject_kind: kind })
  return {
    requester,
    review,
    /** An approved and paid order that waits on the exchange. */
    order: async (
      deadlineMs = 3_600_000,
      reward_note = 'paid on acceptance',
    ): Promise<{ work_order_id: string; run_id: string }> => {
      const { quote_id } = await requester.quote('packetops', ++units)
      const { payment_reference_id } = await requester.pay(quote_id)
      await requester.approve('payment_reference', payment_reference_id)
      const deadline = new Date(Date.now() + deadlineMs).toISOString()
      const { body } = await requester.client.call('work-order-create', {
        ...exampleOrder,
        requester: { agent_id: requesterId },
        quote_id,
        payment_reference_id,
        exchange: { deadline, reward_note },
        idempotency_key: freshKey(),
      } as InputOf<'work-order-create'>)
      await review('work_order', body.work_order.work_order_id, 'approve')
      const { work_order_id, run_id } = body.work_order
      const isOpen = async () =>
        (await requester.client.call('exchange-read', {})).body.items.some(
          (item) => item.work_order_id === work_order_id,
        )
      await eventually(isOpen, Boolean, 20_000)
      return { work_order_id, run_id: String(run_id) }
    },
    /** A trusted agent of an account of its own that may claim orders. */
    agent: async (scopes: InputOf<'agent-register'>['requested_scopes'] = ['exchange:write']) => {
      const known = await trustedAgent(hosts, operator, {
        rails: ['packetops'],
        requested_scopes: ['runs:read', ...scopes],
      })
      const client = createClient({
        baseUrl: hosts.base,
        osUrl: hosts.os,
        agent: known.credential,
      })
      const claimed = async (claim_id: string) => {
        const { claims } = (await client.call('exchange-read', { claim_id })).body
        const [claim] = claims
        if (claim === undefined) throw new Error('a claim was expected')
        return claim
      }
      return {
        ...known,
        client,
        claimed,
        claim: (work_order_id: string, idempotency_key = freshKey()) =>
          client.call('exchange-claim', {
            mode: 'claim_work_order',
            work_order_id,
            accept_terms: true,
            idempotency_key,
          }),
        deliver: (
          named: { work_order_id: string; claim_id: string },
          work: unknown,
          idempotency_key = freshKey(),
        ) =>
          client.call('exchange-deliver', {
            mode: 'deliver_work_order',
            ...named,
            return_package: packageOf(work),
            accept_terms: true,
            idempotency_key,
          }),
        release: (named: { work_order_id: string; claim_id: string }, reason = 'too much') =>
          client.call('exchange-release', { mode: 'release_work_order', ...named, reason }),
      }
    },
  }
}
