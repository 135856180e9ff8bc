import { type Selectable, sql } from 'kysely'
import type { TrustState } from '#domain/agents/trust.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { Tx } from '../postgres/db.ts'
import { COUNTED_MAX, containing, countUpTo, now, SEARCHED_MAX } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

type ProfileRow = Selectable<Database['agent_profiles']>
type NewProfile = Omit<ProfileRow, 'capabilities' | 'rails' | 'changed_at'> & {
  capabilities: string[]
  rails: RailKey[]
}

/** Replaces the profile of an agent and says whether it is public, in the caller's transaction. */
export async function putProfile(
  tx: Tx,
  { agent_id, ...profile }: NewProfile,
  isPublished: boolean,
): Promise<void> {
  const values = {
    ...profile,
    capabilities: JSON.stringify(profile.capabilities),
    rails: JSON.stringify(profile.rails),
    changed_at: now,
  }
  await tx
    .insertInto('agent_profiles')
    .values({ agent_id, ...values })
    .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(values))
    .execute()
  await tx
    .updateTable('agents')
    .set({ publish_profile: isPublished })
    .where('agent_id', '=', agent_id)
    .execute()
}

export type PublishedFilter = {
  query?: string | undefined
  rail?: RailKey | undefined
  capability?: string | undefined
}
export type PublishedAgent = ProfileRow & { trust_state: TrustState }

/** The agents that publish and registered last; one whose trust was taken back is public no longer. */
const newest = (tx: Tx) =>
  tx
    .selectFrom('agents')
    .select(['agent_id', 'created_at', 'trust_state'])
    .where('publish_profile', '=', true)
    .where('trust_state', '=', 'trusted')
    .orderBy('created_at', 'desc')
    .orderBy('agent_id')
    .limit(SEARCHED_MAX)

const published = (tx: Tx, { query, rail, capability }: PublishedFilter) =>
  tx
    .selectFrom(newest(tx).as('a'))
    .innerJoin('agent_profiles as p', 'p.agent_id', 'a.agent_id')
    .$if(query !== undefined, (some) =>
      some.where(
        sql<boolean>`concat_ws(' ', p.name, p.description, p.capabilities::text) ilike ${containing(query ?? '')}`,
      ),
    )
    .$if(rail !== undefined, (some) => some.where(sql<boolean>`p.rails::jsonb ? ${rail}`))
    .$if(capability !== undefined, (some) =>
      some.where(sql<boolean>`p.capabilities::jsonb ? ${capability}`),
    )

/** Agents that published a profile and are trusted, those that registered last first. */
export function listPublished(
  tx: Tx,
  filter: PublishedFilter,
  { offset, limit }: { offset: number; limit: number },
): Promise<PublishedAgent[]> {
  return published(tx, filter)
    .selectAll('p')
    .select('a.trust_state')
    .orderBy('a.created_at', 'desc')
    .orderBy('a.agent_id')
    .offset(offset)
    .limit(limit)
    .execute()
}

export function countPublished(tx: Tx, filter: PublishedFilter): Promise<number> {
  return countUpTo(tx, published(tx, filter))
}

export type WorkCount = { agent_id: string; runs: number; finished: number; exceptions: number }

/** Of each agent's newest `COUNTED_MAX` operational tasks: its runs, those with a result, and the exceptions that stopped them. */
export async function countWorkOf(tx: Tx, agentIds: readonly string[]): Promise<WorkCount[]> {
  const { rows } = await sql<WorkCount>`
    select a.agent_id, count(t.run_id)::int as runs, count(r.finished_at)::int as finished,
      coalesce(sum((select count(*) from task_exceptions e where e.task_id = t.task_id
        and e.resume_state is not null)), 0)::int as exceptions
    from unnest(${[...agentIds]}::text[]) a(agent_id)
    cross join lateral (select task_id, run_id from tasks where agent_id = a.agent_id
      and usage = 'operational' order by created_at desc limit ${COUNTED_MAX}) t
    left join runs r on r.run_id = t.run_id group by 1`.execute(tx)
  return rows
}
