import { type Selectable, sql } from 'kysely'
import type { Scope } from '#domain/agents/credential.ts'
import { isTrusted, type TrustState, trustStates } from '#domain/agents/trust.ts'
import type { TrustLimits } from '#domain/agents/trust-limits.ts'
import type { ComputeNetwork } from '../calls/compute.ts'
import type { Tx } from '../postgres/db.ts'
import {
  changeRow,
  countEach,
  countOf,
  findRow,
  insertOnce,
  insertRow,
  lockRow,
  now,
  requireRow,
} from '../postgres/rows.ts'
import { noAmount, type WaitingFilter, waitingAs } from '../reviews/waiting-filter.ts'
import type { Contact } from '../schema/json-columns.ts'
import type { Database } from '../schema/schema.ts'

export type AgentRow = Selectable<Database['agents']>

/** A registered manifest. All keys are public; of the status token only the digest is stored. */
export type NewAgent = {
  agentId: string
  account: { accountId: string; name: string; country: string | null }
  name: string
  contact: Contact
  capabilities: string[]
  rails: string[]
  protocols: string[]
  requestedScopes: Scope[]
  publicKey: Record<string, unknown>
  keySha256: string
  encryptionKey: Record<string, unknown> | null
  sandbox: boolean
  statusTokenSha256: string
  registrationCall: string
  network?: ComputeNetwork
}

/** Inserts the agent and its account. Returns undefined if there is an agent of this id. */
export async function insertAgent(tx: Tx, agent: NewAgent): Promise<AgentRow | undefined> {
  const { accountId, name, country } = agent.account
  await insertOnce(tx, 'accounts', {
    account_id: accountId,
    name,
    country,
    owner_agent_id: agent.agentId,
  })
  return tx
    .insertInto('agents')
    .values({
      agent_id: agent.agentId,
      account_id: accountId,
      name: agent.name,
      contact: JSON.stringify(agent.contact),
      capabilities: JSON.stringify(agent.capabilities),
      rails: JSON.stringify(agent.rails),
      protocols: JSON.stringify(agent.protocols),
      requested_scopes: JSON.stringify(agent.requestedScopes),
      public_key: JSON.stringify(agent.publicKey),
      key_sha256: agent.keySha256,
      encryption_key: agent.encryptionKey === null ? null : JSON.stringify(agent.encryptionKey),
      sandbox: agent.sandbox,
      network: agent.network ?? null,
      status_token_sha256: agent.statusTokenSha256,
      registration_call: agent.registrationCall,
      trust_state: agent.sandbox ? 'sandbox_trusted' : 'submitted',
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** The account that an agent registered for, as its manifest names it. */
export const findAccount = (tx: Tx, accountId: string) =>
  tx
    .selectFrom('accounts')
    .select(['name', 'country'])
    .where('account_id', '=', accountId)
    .executeTakeFirst()

export const findAgent = (tx: Tx, agentId: string) => findRow(tx, 'agents', { agent_id: agentId })

/** The agent's row, locked until the transaction ends. */
export const lockAgent = (tx: Tx, agentId: string) => lockRow(tx, 'agents', { agent_id: agentId })

/** The agent that registered with the public key of this digest; the last one, where the key was taken back from another. */
export const findAgentByKey = (tx: Tx, keySha256: string): Promise<AgentRow | undefined> =>
  tx
    .selectFrom('agents')
    .selectAll()
    .where('key_sha256', '=', keySha256)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** The agent whose status token has this SHA-256. */
export const findAgentByToken = (tx: Tx, tokenSha256: string) =>
  findRow(tx, 'agents', { status_token_sha256: tokenSha256 })

/** Moves the agent through the states of a trust decision. Limits that are given replace those of earlier decisions. */
export async function moveTrust(
  tx: Tx,
  agentId: string,
  states: readonly TrustState[],
  decision: { decisionId: string; limits: TrustLimits | undefined },
): Promise<AgentRow> {
  for (const state of states) {
    await tx
      .updateTable('agents')
      .set({
        trust_state: state,
        trust_since: now,
        decision_id: decision.decisionId,
        ...(decision.limits === undefined ? {} : { limits: JSON.stringify(decision.limits) }),
      })
      .where('agent_id', '=', agentId)
      .execute()
  }
  return requireRow(tx, 'agents', { agent_id: agentId })
}

/** The limits of an agent; a change of them waits until the transaction ends. */
export async function holdLimits(tx: Tx, agentId: string): Promise<TrustLimits | null> {
  const agent = await tx
    .selectFrom('agents')
    .select('limits')
    .where('agent_id', '=', agentId)
    .forShare()
    .executeTakeFirst()
  return agent?.limits ?? null
}

/** Sets the limits of an agent outside a decision, with the receipt that says who did it and why. */
export function setLimits(
  tx: Tx,
  agentId: string,
  { limits, receiptId }: { limits: TrustLimits; receiptId: string },
): Promise<AgentRow> {
  const change = { limits: JSON.stringify(limits), limits_receipt_id: receiptId }
  return changeRow(tx, 'agents', { agent_id: agentId }, change)
}

export type AgentFilter = WaitingFilter & {
  agentId?: string | undefined
  states: readonly TrustState[]
  rail?: string | undefined
  undecided: boolean
}

export type ListedAgent = AgentRow & { onboarding_receipt_id: string | null }

/** Agents in these states, longest waiting first. `undecided` leaves out those that an operator has reviewed. */
export async function listAgents(
  tx: Tx,
  filter: AgentFilter,
  most: number,
): Promise<ListedAgent[]> {
  return filtered(tx, filter)
    .leftJoin('receipts', (join) =>
      join
        .onRef('receipts.subject', '=', 'agents.agent_id')
        .on('receipts.kind', '=', 'onboarding')
        .on('receipts.set_aside_at', 'is', null),
    )
    .selectAll('agents')
    .select('receipts.receipt_id as onboarding_receipt_id')
    .orderBy('trust_since')
    .orderBy('agent_id')
    .limit(most)
    .execute()
}

export const countAgents = (tx: Tx, filter: AgentFilter): Promise<number> =>
  countOf(filtered(tx, filter))

/** The number of agents in each trust state, each up to `COUNTED_MAX`. */
export const countTrustStates = (tx: Tx): Promise<Record<string, number>> =>
  countEach(tx, trustStates, sql`select from agents where trust_state = value`)

const filtered = (tx: Tx, { agentId, states, rail, undecided, ...waits }: AgentFilter) =>
  tx
    .selectFrom('agents')
    .$if(agentId !== undefined, (query) => query.where('agent_id', '=', String(agentId)))
    .where(sql<boolean>`trust_state = any(${[...states]})`)
    .where(waitingAs(waits, { since: 'trust_since', amount: noAmount }))
    .$if(undecided, (query) => query.where('decision_id', 'is', null))
    .$if(rail !== undefined, (query) => query.where(sql<boolean>`rails::jsonb ? ${rail}`))

/** Whether an agent may start real work: it was trusted by a decision, and it is not a sandbox agent. */
export const isTrustedAgent = async (tx: Tx, agentId: string): Promise<boolean> =>
  (await readAgentTrust(tx, agentId)).trusted

/** The same, with the network that answers for the work of an agent without trust. */
export async function readAgentTrust(
  tx: Tx,
  agentId: string,
): Promise<{ trusted: boolean; network: ComputeNetwork }> {
  const agent = await tx
    .selectFrom('agents')
    .select(['trust_state', 'sandbox', 'network'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
  const trusted = agent !== undefined && isTrusted(agent)
  return { trusted, network: trusted ? null : (agent?.network ?? null) }
}

export type IdentityRow = Selectable<Database['agent_identities']>

export const insertIdentity = (tx: Tx, identity: Omit<IdentityRow, 'verified_at'>) =>
  insertRow(tx, 'agent_identities', identity)

/** The identity that the agent proved when it registered, if it claimed one. */
export const findIdentity = (tx: Tx, agentId: string) =>
  findRow(tx, 'agent_identities', { agent_id: agentId })
