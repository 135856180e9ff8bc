import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { packetopsInput } from '#domain/rails/packetops/index.ts'
import type { InputOf } from '../../api/http/client.ts'
import { freshKey, openAgentUse } from './agent-use.ts'
import type { ComposedApis } from './composed-api.ts'
import { decide, type Hosts } from './registering-agent.ts'
import { fundWallet } from './wallets.ts'

export type WorkflowInput = InputOf<'customer-workflow-create'>

/** A workflow of one account, paid from a wallet, whose callbacks the service takes itself. */
export const workflowInput = (
  { BASE_URL }: Pick<ComposedApis['config'], 'BASE_URL'>,
  wallet_id: string,
  other: Partial<WorkflowInput> = {},
): WorkflowInput => ({
  customer_account: 'northwind-emea',
  rail: 'packetops',
  tier: 'standard',
  name: 'A packet every day',
  acceptance_criteria: ['each section is covered or a gap'],
  callback_url: `${BASE_URL}${demoReceiverPath}?receiver=workflow-${freshKey()}`,
  wallet_id,
  cadence: 'daily',
  input: packetopsInput as WorkflowInput['input'],
  accept_terms: true,
  idempotency_key: freshKey(),
  ...other,
})

/** An agent with a wallet that schedules runs for an account, over HTTP. */
export async function openWorkflows(
  { hosts: [first], operator, config }: Pick<ComposedApis, 'hosts' | 'operator' | 'config'>,
  more: Partial<InputOf<'agent-register'>> = {},
) {
  const hosts = first as Hosts
  const agent = await openAgentUse(hosts, operator, {
    requested_scopes: [
      'runs:read',
      'runs:write',
      'production:write',
      'wallets:read',
      'wallets:write',
    ],
    ...more,
  })
  const { client } = agent
  const made = await client.call('allowance-wallet-create', { idempotency_key: freshKey() })
  const { wallet_id } = made.body.wallet
  const input = (other: Partial<WorkflowInput> = {}) => workflowInput(config, wallet_id, other)
  const create = async (other: Partial<WorkflowInput> = {}): Promise<string> =>
    (await client.call('customer-workflow-create', input(other))).body.workflow.workflow_id
  const review = (workflow_id: string, decision: 'approve' | 'reject') =>
    decide(hosts, operator, workflow_id, decision, { subject_kind: 'workflow' })
  return {
    ...agent,
    wallet_id,
    input,
    create,
    review,
    /** A workflow that an operator has approved. */
    active: async (other: Partial<WorkflowInput> = {}): Promise<string> => {
      const workflow_id = await create(other)
      await review(workflow_id, 'approve')
      return workflow_id
    },
    read: async (workflow_id: string) => {
      const [found] = (await client.call('customer-workflow-read', { workflow_id })).body.items
      if (found === undefined) throw new Error('a workflow was expected')
      return found
    },
    run: (workflow_id: string, idempotency_key = freshKey()) =>
      client.call('customer-workflow-run', { mode: 'run_workflow', workflow_id, idempotency_key }),
    fund: (amount_usd: number): Promise<void> =>
      fundWallet(client, { wallet_id, amount_usd }, (id) => agent.approve('payment_reference', id)),
  }
}
