import type { Scope } from '#domain/agents/credential.ts'
import { createClient, type InputOf, type OutputOf } from '../../api/http/client.ts'
import { freshKey } from './agent-use.ts'
import { decide, type Hosts, trustedAgent } from './registering-agent.ts'
import { fundedWallet } from './wallets.ts'

export type Mandate = Extract<OutputOf<'issue-mandate'>, { signed_mandate: object }>
type Action = InputOf<'execute-delegated-action'>['action']
type Terms = Omit<InputOf<'draft-mandate'>['action'], 'agent_id'>

/** The usage of one unit, which costs nothing. */
export const usage = (more: object = {}): Pick<Action, 'operation_id' | 'input'> => ({
  operation_id: 'usage-ledger-record',
  input: {
    kind: 'tool_call',
    rail: 'packetops',
    units: 1,
    unit: 'pages',
    idempotency_key: freshKey(),
    ...more,
  },
})

/** A packet of one document, as the input of a delegated run. */
export const packet = {
  title: 'Evidence',
  profile: 'soc2_evidence_packet',
  items: [{ name: 'a.md', section: 'system_description', content: 'A ledger.' }],
}

/** An agent that acts under mandates, and the operator who permits it, over one or more APIs. */
export async function openAuthority(
  hosts: readonly Hosts[],
  operator: string,
  more: readonly Scope[] = [],
) {
  const [first] = hosts
  if (first === undefined) throw new Error('no API runs')
  const scopes = ['runs:read', 'runs:write', 'wallets:read', 'wallets:write'] as const
  const known = await trustedAgent(first, operator, {
    rails: ['packetops', 'diligenceops', 'energyops'],
    requested_scopes: [...scopes, 'proofs:publish', 'authority:read', 'actions:execute', ...more],
  })
  const agent_id = known.registered.agent.agent_id
  const clients = hosts.map(({ base }) => createClient({ baseUrl: base, agent: known.credential }))
  const [client] = clients
  const console = createClient({ baseUrl: first.base, operator })
  if (client === undefined) throw new Error('no API runs')
  const terms = (more: Partial<Terms> = {}) => ({
    principal_id: 'acme',
    agent_id,
    purpose: 'Record what was used.',
    allowed_operations: ['usage-ledger-record', 'start-agent-run', 'wallet-run-start'],
    rails: ['packetops' as const],
    resources: [],
    limits: { per_action_usd: 100, total_usd: 500, actions_max: 200 },
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    ...more,
  })
  const issue = async (more: Partial<Terms> = {}): Promise<Mandate> => {
    const action = { ...terms(more), idempotency_key: freshKey() }
    const { body } = await console.call('issue-mandate', { mode: 'issue_mandate', action })
    if (!('signed_mandate' in body)) throw new Error('a mandate of authority was expected')
    return body as Mandate
  }
  const grant = async (
    { signed_mandate }: Pick<Mandate, 'signed_mandate'>,
    action: Pick<Action, 'operation_id' | 'input' | 'spend_usd'>,
    expires_in_seconds?: number,
  ) => {
    const asked = {
      ...action,
      idempotency_key: freshKey(),
      ...(expires_in_seconds === undefined ? {} : { expires_in_seconds }),
    }
    const input = { mode: 'issue_action_grant', signed_mandate, action: asked } as const
    return (await console.call('issue-action-grant', input)).body
  }
  const execute = (
    { signed_mandate }: { signed_mandate: object },
    signed_action_grant: object,
    action: Pick<Action, 'operation_id' | 'input' | 'spend_usd'> & { idempotency_key?: string },
    api = 0,
  ) =>
    (clients[api] ?? client).call('execute-delegated-action', {
      mode: 'execute_delegated_action',
      signed_mandate: { ...signed_mandate },
      signed_action_grant: { ...signed_action_grant },
      action: { idempotency_key: freshKey(), ...action },
    })
  const evaluate = async (
    { signed_mandate }: { signed_mandate: object },
    action: Pick<Action, 'operation_id' | 'input' | 'spend_usd'>,
    signed_action_grant?: object,
  ) =>
    (
      await client.call('evaluate-action', {
        mode: 'evaluate_action',
        signed_mandate: { ...signed_mandate },
        action: { idempotency_key: freshKey(), ...action },
        ...(signed_action_grant === undefined
          ? {}
          : { signed_action_grant: { ...signed_action_grant } }),
      })
    ).body
  const revoke = async ({ mandate_id }: { mandate_id: string }) =>
    (
      await console.call('revoke-mandate', {
        mode: 'revoke_mandate',
        action: { mandate_id, reason: 'no longer needed' },
      })
    ).body
  /** A wallet of the agent that holds so much. */
  const about = { subject_kind: 'payment_reference' } as const
  const approve = (id: string) => decide(first, operator, id, 'approve', about)
  return {
    ...known,
    fundedWallet: (usd: number) => fundedWallet(client, usd, approve),
    agent_id,
    client,
    clients,
    console,
    terms,
    issue,
    grant,
    execute,
    evaluate,
    revoke,
  }
}
