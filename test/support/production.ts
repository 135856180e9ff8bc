import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import type { InputOf } from '../../api/http/client.ts'
import { freshKey, openAgentUse } from './agent-use.ts'
import type { ComposedApis } from './composed-api.ts'
import { decide, type Hosts } from './registering-agent.ts'

export type ProductionInput = InputOf<'first-paid-run-execute'>

type Apis = Pick<ComposedApis, 'hosts' | 'operator' | 'config'>

/** An agent that may write in production, and starts such runs over HTTP. */
export async function openProduction(
  { hosts: [first], operator, config }: Apis,
  more: Partial<InputOf<'agent-register'>> = {},
) {
  const hosts = first as Hosts
  const agent = await openAgentUse(hosts, operator, {
    requested_scopes: ['runs:read', 'runs:write', 'production:write'],
    ...more,
  })
  const callback_url = `${config.BASE_URL}${demoReceiverPath}?receiver=production-${freshKey()}`
  let units = 0
  return {
    ...agent,
    agentId: agent.registered.agent.agent_id,
    callback_url,
    /** A start whose quote is of its own. */
    input: async (other: Partial<ProductionInput> = {}): Promise<ProductionInput> => {
      const { quote_id } = await agent.quote('packetops', ++units)
      const { mode: _mode, ...start } = agent.startInput(quote_id)
      const account = { customer_account: 'northwind-emea', callback_url }
      return { ...start, ...account, usage: 'operational', ...other }
    },
    /** A verified payment of a quote. */
    paid: async (quote_id: string): Promise<string> => {
      const { payment_reference_id } = await agent.pay(quote_id)
      await agent.approve('payment_reference', payment_reference_id)
      return payment_reference_id
    },
    execute: (input: ProductionInput) => agent.client.call('first-paid-run-execute', input),
    read: async (run_id: string) => {
      const { body } = await agent.client.call('first-paid-run-read', { run_id })
      if (!('run' in body)) throw new Error('a run was expected')
      return body
    },
    order: (work_order_id: string, decision: 'approve' | 'reject') =>
      decide(hosts, operator, work_order_id, decision, { subject_kind: 'work_order' }),
  }
}
export type OpenProduction = Awaited<ReturnType<typeof openProduction>>

/** A question to the gate about the first paid production run. */
export const askedWrite = (
  callback_url: string,
  other: Partial<InputOf<'write-gate-validate'>> = {},
): InputOf<'write-gate-validate'> => ({
  operation_id: 'first-paid-run-execute',
  rail: 'packetops',
  callback_url,
  idempotency_key: freshKey(),
  ...other,
})
