import { refuse } from '#domain/core/errors.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import type { PilotRow } from '../../../activities/store/pilots/pilots.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'

export type ClientAccount = { account_id: string | null; agent_id: string | null }

/** The account that a client names with its agent, whose own it has to be: 401 `credential_required`, 403 `not_owner`. */
export async function clientAccount(
  tx: Tx,
  accountId: string | undefined,
  agentId: string | undefined,
): Promise<ClientAccount> {
  if (accountId === undefined) return { account_id: null, agent_id: null }
  if (agentId === undefined)
    throw refuse('credential_required', { detail: 'an account is named by its agent' })
  if ((await findAgent(tx, agentId))?.account_id !== accountId)
    throw refuse('not_owner', {
      detail: 'the account is not that of the agent',
      next_action: 'Name the account of the agent, or none.',
    })
  return { account_id: accountId, agent_id: agentId }
}

/** What a client adds to its invited pilot. 403 `not_owner` for the pilot of another agent, 409 once its checkout has fixed the account. */
export function withAccount({ client, agent_id, state }: PilotRow, own: ClientAccount) {
  if (own.agent_id === null) return {}
  if (agent_id !== null && agent_id !== own.agent_id)
    throw refuse('not_owner', { detail: 'the pilot is that of another agent' })
  const { account_id } = own
  if (state === 'activated' && client.account_id !== account_id)
    throw refuse('wrong_state', {
      detail: 'the account of the pilot is fixed by its checkout',
      next_action: 'Leave out account_id.',
    })
  return { client: JSON.stringify({ ...client, account_id }), agent_id: own.agent_id }
}
