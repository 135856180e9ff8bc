import { sql } from 'kysely'
import type { RuleResult } from '#domain/authority/evaluate.ts'
import type { ActionState, GrantState } from '#domain/authority/facts.ts'
import type { Refusal } from '#domain/core/errors.ts'
import type { Tx } from '../postgres/db.ts'

type Page = { offset: number; limit: number }

/** A grant in a list. */
export type GrantLine = {
  grant_id: string
  mandate_id: string
  agent_id: string
  agent_name: string
  operation_id: string
  state: GrantState
  spend_usd_max: number
  issued_by: string
  issued_at: Date
  expires_at: Date
}
/** `text`: a whole id of a grant, mandate, agent, action or operation. */
export type GrantFilter = { state?: GrantState | undefined; text?: string | undefined }

/** Grants of single actions, the newest first. */
export async function listGrantLines(
  tx: Tx,
  { state, text }: GrantFilter,
  { offset, limit }: Page,
): Promise<GrantLine[]> {
  const asked = text ?? null
  const { rows } = await sql<GrantLine>`
    select g.*, a.name as agent_name from (
      select grant_id, mandate_id, agent_id, operation_id, spend_usd_max, issued_by, issued_at, expires_at,
        case when state = 'issued' and expires_at <= clock_timestamp() then 'expired' else state end as state
      from action_grants) g join agents a using (agent_id)
    where (${state ?? null}::text is null or g.state = ${state ?? null})
      and (${asked}::text is null or ${asked} in (g.grant_id, g.mandate_id, g.agent_id, g.operation_id)
        or g.grant_id = (select d.grant_id from delegated_actions d where d.action_id = ${asked}))
    order by g.issued_at desc, g.grant_id offset ${offset} limit ${limit}`.execute(tx)
  return rows
}

/** A delegated action in a list, with the decision that permitted it. */
export type ActionLine = {
  action_id: string
  mandate_id: string
  grant_id: string
  agent_id: string
  agent_name: string
  operation_id: string
  state: ActionState
  price_usd: number
  released_usd: number | null
  status: number | null
  refusal: Refusal | null
  decision_id: string | null
  rules: RuleResult[] | null
  decision_receipt_id: string | null
  receipt_id: string | null
  reserved_at: Date
  finished_at: Date | null
}
/** `text`: a whole id of an action, grant, mandate, agent or operation. */
export type ActionFilter = { state?: ActionState | undefined; text?: string | undefined }

/** Actions that agents executed under mandates, the newest first. The decision is that of the transaction that stored the action. */
export async function listActionLines(
  tx: Tx,
  { state, text }: ActionFilter,
  { offset, limit }: Page,
): Promise<ActionLine[]> {
  const asked = text ?? null
  const { rows } = await sql<ActionLine>`
    select d.action_id, d.mandate_id, d.grant_id, d.agent_id, a.name as agent_name, d.operation_id, d.state, d.price_usd, d.released_usd, d.status,
      d.refusal, c.decision_id, c.rules, c.receipt_id as decision_receipt_id, d.receipt_id, d.reserved_at, d.finished_at
    from (select * from delegated_actions
      where (${state ?? null}::text is null or state = ${state ?? null})
        and (${asked}::text is null or ${asked} in (action_id, grant_id, mandate_id, agent_id, operation_id))
      order by reserved_at desc, action_id offset ${offset} limit ${limit}) d
    join agents a using (agent_id)
    left join lateral (select decision_id, rules, receipt_id from authority_decisions x
      where x.mandate_id = d.mandate_id and x.grant_id = d.grant_id and x.purpose = 'execute' and x.decision = 'allow'
        and x.decided_at <= d.reserved_at
      order by x.decided_at desc limit 1) c on true
    order by d.reserved_at desc, d.action_id`.execute(tx)
  return rows
}
