import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'

/** What is carried on by a workflow or a schedule, each by the row that says where it stands. */
export const lateSubjects = [
  'payout',
  'payment',
  'task',
  'run',
  'callback',
  'delegation',
  'schedule',
  'firing',
  'invitation',
  'key_rotation',
  'directory',
  'harness',
] as const
export type LateSubject = (typeof lateSubjects)[number]

/** The unit of the target ages of most states, and how long a block may take to become final; in milliseconds. */
export type TargetAges = { readonly unitMs: number; readonly finalMs: number }

/** An open row. It is woken once it is older than its first target age, and late once it is older than its second. */
export type OpenRow = {
  subject: LateSubject
  id: string
  state: string
  /** Since when it stands in this state with nothing else to wait for. */
  since: Date
}

/** How long a decision of a person may take. */
const PERSON_MS = 24 * 3_600_000
/** How long a step of a run may work, and a task may wait for a place. */
const RUN_STEP_MS = 660_000
const QUEUED_MS = 1_800_000
/** Between a due firing and its row. */
const FIRING_MS = 600_000

const ms = (value: number) => sql.lit(Math.round(value))

type Builder = (ages: TargetAges) => RawBuilder<unknown>

/**
 * The open rows of each subject with `state`, `since`, `wake_ms` and `late_ms`, by the index of what is open. Rows that wait for a caller
 * are not among them; those that wait for a person are late when the decision is.
 */
const openRows: Readonly<Record<LateSubject, Builder>> = {
  // A transfer counts from its reservation, whatever was tried since; expired ones wait for the finality that proves them unused. One with
  // an exception waits for an operator, who finds its workflow in Temporal also after a loss of Temporal's data.
  payout: ({ unitMs, finalMs }) => sql`
    select payout_id as id, s.state, case when s.state in ('included','exception') then changed_at when s.state = 'expired' then to_timestamp(valid_before) else reserved_at end as since,
      case s.state when 'included' then ${ms(unitMs * 6)} else ${ms(unitMs)} end as wake_ms,
      case s.state when 'exception' then ${ms(PERSON_MS)} when 'included' then ${ms(finalMs)} when 'expired' then ${ms(finalMs)} when 'submitted' then ${ms(unitMs * 6)} else ${ms(unitMs * 3)} end as late_ms
    from transfers, lateral (select case when exception is not null then 'exception' when status <> 'included' and to_timestamp(valid_before) < statement_timestamp()
      then 'expired' else status end as state) s
    where status not in ('final','dead')`,
  payment: ({ unitMs, finalMs }) => sql`
    select payment_id, state, case state when 'settled' then changed_at else created_at end,
      case state when 'settled' then ${ms(unitMs * 6)} else ${ms(unitMs)} end,
      case state when 'settled' then ${ms(finalMs)} else ${ms(unitMs * 6)} end
    from payments where (state in ('settling','pending') or (state = 'settled' and not finalized))`,
  task: ({ unitMs }) => sql`
    select t.task_id, t.state, case when t.state in ('contract_ready','quoted','credit_pending') then t.due_at else t.changed_at end,
      case when s.person then ${ms(PERSON_MS)} when t.state = 'queued' then ${ms(unitMs * 3)} else ${ms(unitMs)} end,
      case when s.person then ${ms(PERSON_MS)} when t.state = 'queued' then ${ms(QUEUED_MS)} else ${ms(unitMs * 6)} end
    from tasks t, lateral (select case t.state when 'replay_ready' then true when 'credit_funded' then t.review_decision is null
        when 'trust_pending' then not exists (select from agents a where a.agent_id = t.agent_id
          and (a.trust_state = 'trusted' or (a.trust_state = 'sandbox_trusted' and t.usage = 'synthetic'))) else false end as person) s
    where t.state <> 'closed' and t.changed_at < statement_timestamp() - ${ms(unitMs)} * interval '1 millisecond'
      and t.state not in ('preflight_checked','trusted','evidence_partial','exception_open','operating','result_ready')
      and (t.state <> 'credit_funded' or t.input_sha256 is not null)
      and (t.state <> 'callback_pending' or not exists (select from callback_deliveries d where d.subject = t.task_id and d.finished_at is null))`,
  run: ({ unitMs }) => sql`
    select r.run_id, coalesce(r.step, 'over'), greatest(r.changed_at, t.changed_at, l.finished_at),
      case when s.person then ${ms(PERSON_MS)} when r.step is null then ${ms(unitMs)} else ${ms(unitMs * 3)} end,
      case when s.person then ${ms(PERSON_MS)} when r.step is null then ${ms(unitMs * 6)} else ${ms(RUN_STEP_MS)} end
    from tasks t join runs r on r.task_id = t.task_id
      left join loop_steps l on l.run_id = r.run_id and l.attempt = r.attempt and l.round = r.round and l.step = r.step,
      lateral (select r.step = 'review_step' and l.run_id is not null and l.verdict is null as person) s
    where t.state in ('operating','result_ready')`,
  // Nothing else begins those of a grant of access and of a task that has stopped, so they are due as soon as they are stored.
  callback: ({ unitMs }) => sql`
    select d.delivery_id, d.state, d.next_attempt_at, case when d.state = 'pending' and d.event <> 'payout_updated'
        and not exists (select from tasks t where t.task_id = d.subject and t.state = 'callback_pending') then 0 else ${ms(unitMs)} end, ${ms(unitMs * 6)}
      from callback_deliveries d where d.finished_at is null`,
  delegation: ({ unitMs }) => sql`
    select action_id, state, reserved_at, ${ms(unitMs)}, ${ms(unitMs * 6)} from delegated_actions where state in ('reserved','started')`,
  // One whose row is ahead of its schedule; and one that did not fire when it was due, as after a loss of Temporal's data.
  schedule: ({ unitMs }) => sql`
    select workflow_id, state, state_since, ${ms(unitMs / 5)}, ${ms(unitMs * 6)} from customer_workflows
      where state in ('active','paused','deleted') and scheduled is distinct from state
    union all
    select w.workflow_id, 'not fired', greatest(w.state_since, coalesce((select max(f.due_at) from workflow_firings f
        where f.workflow_id = w.workflow_id), w.state_since)) + case w.cadence when 'daily' then interval '1 day'
        when 'weekly' then interval '7 days' else interval '31 days' end, ${ms(FIRING_MS)}, ${ms(FIRING_MS)}
      from customer_workflows w where w.state = 'active' and w.scheduled = 'active' and w.cadence <> 'on_demand'`,
  // Its workflow repeats what passes, and has lost it where it stays due.
  firing: ({ unitMs }) => sql`
    select firing_id, state, fired_at, ${ms(unitMs * 3)}, ${ms(unitMs * 6)} from workflow_firings where state = 'due'`,
  invitation: ({ unitMs }) => sql`
    select pilot_id, state, case when reminded_at is null then created_at + (expires_at - created_at) / 2 else expires_at end,
      ${ms(unitMs)}, ${ms(unitMs * 6)} from pilots where state = 'invited'`,
  key_rotation: ({ unitMs }) => sql`
    select ring, state, case state when 'published' then activate_at when 'active' then retire_at else requested_at end,
      ${ms(unitMs)}, ${ms(unitMs * 6)} from key_rotations where state <> 'done'`,
  directory: ({ unitMs }) => sql`
    select submission_id, state, next_attempt_at, ${ms(unitMs)}, ${ms(unitMs * 6)} from directory_submissions where state = 'submitted'`,
  // A test that was not played within a quarter of an hour is given up.
  harness: ({ unitMs }) => sql`
    select test_run_id, 'open', created_at, ${ms(unitMs)}, ${ms(unitMs * 30)} from harness_runs
      where ended_at is null and created_at > statement_timestamp() - interval '15 minutes'`,
}

const ofSubject = (subject: LateSubject, ages: TargetAges) =>
  sql`(select ${subject}::text as subject, o.* from (${openRows[subject](ages)}) o (id, state, since, wake_ms, late_ms))`

/** All open rows with their target ages, for a further query. */
const openRowsOf = (ages: TargetAges) =>
  sql.join(
    lateSubjects.map((subject) => ofSubject(subject, ages)),
    sql` union all `,
  )

const olderThan = (ms: string) =>
  sql<boolean>`since < clock_timestamp() - ${sql.ref(ms)} * interval '1 millisecond'`

/** The late rows, for a further query. */
export const lateRows = (ages: TargetAges) =>
  sql<OpenRow>`select subject, id, state, since from (${openRowsOf(ages)}) o where ${olderThan('late_ms')}`

/** The rows that are late, the oldest first. */
export async function listLate(tx: Tx, ages: TargetAges, most: number): Promise<OpenRow[]> {
  const { rows } = await sql<OpenRow>`${lateRows(ages)} order by since, id limit ${most}`.execute(
    tx,
  )
  return rows
}

export type LateCount = {
  subject: LateSubject
  state: string
  count: number
  oldest_seconds: number
}

/** How many rows of each subject and state are late, and the age of the oldest. */
export async function countLate(tx: Tx, ages: TargetAges): Promise<LateCount[]> {
  const { rows } = await sql<LateCount>`
    select subject, state, count(*)::int as count, extract(epoch from clock_timestamp() - min(since))::float8 as oldest_seconds
      from (${openRowsOf(ages)}) o where ${olderThan('late_ms')} group by subject, state order by subject, state`.execute(
    tx,
  )
  return rows
}

/** The open row of a subject, whatever its age; undefined where nothing is to be carried on. */
export async function findOpenRow(
  tx: Tx,
  ages: TargetAges,
  id: string,
): Promise<(OpenRow & { late: boolean }) | undefined> {
  const { rows } = await sql<OpenRow & { late: boolean }>`
    select subject, id, state, since, ${olderThan('late_ms')} as late from (${openRowsOf(ages)}) o where id = ${id}`.execute(
    tx,
  )
  return rows[0]
}

/** The longest distance between two wakes of a row, in units; that of an expired transfer, which the next final block may end. */
const LONGEST = 60
const LONGEST_EXPIRED = 2

export type Claimed = OpenRow & { attempts: number }

/**
 * Claims the rows whose next wake is due, for the caller alone: each wake doubles the distance to the next, up to a tenth more or less.
 * All workers together claim at most `most` within `withinMs`. They come in an order of chance, so that rows that fail each time come
 * first only now and then.
 */
export async function claimWakes(
  tx: Tx,
  ages: TargetAges,
  { most, withinMs }: { most: number; withinMs: number },
): Promise<Claimed[]> {
  const unit = ms(ages.unitMs)
  const { rows } = await sql<Claimed>`
    with open as materialized (select * from (${openRowsOf(ages)}) o where ${olderThan('wake_ms')}),
    due as (
      select o.*, case when w.since = o.since then w.attempts else 0 end as before
        from open o left join late_wakes w on w.subject = o.subject and w.id = o.id
        where w.id is null or w.since <> o.since or w.next_at <= clock_timestamp()
        order by o.since
        limit (select greatest(0, ${most} - count(*)) from late_wakes where woken_at > clock_timestamp() - ${withinMs} * interval '1 millisecond')
    ),
    claimed as (
      insert into late_wakes as l (subject, id, since, attempts, woken_at, next_at)
        select subject, id, since, coalesce(before, 0) + 1, clock_timestamp(), clock_timestamp() + interval '1 millisecond' * (0.9 + random() * 0.2)
          * least(greatest(wake_ms, ${unit} * case state when 'expired' then ${sql.lit(LONGEST_EXPIRED)} else ${sql.lit(LONGEST)} end),
            greatest(wake_ms, ${unit}) * power(2, least(coalesce(before, 0), 20)))
          from due
        on conflict (subject, id) do update set since = excluded.since, attempts = excluded.attempts, woken_at = excluded.woken_at, next_at = excluded.next_at
          where l.since <> excluded.since or l.next_at <= clock_timestamp()
        returning subject, id, attempts
    )
    select o.subject, o.id, o.state, o.since, c.attempts from claimed c join open o using (subject, id) order by random()`.execute(
    tx,
  )
  return rows
}

/** Gives a claim back, because the wake was not sent: it is due again after a unit, and was no attempt. */
export async function returnWake(
  tx: Tx,
  { unitMs }: TargetAges,
  { subject, id }: Pick<OpenRow, 'subject' | 'id'>,
): Promise<void> {
  await sql`update late_wakes set attempts = greatest(attempts - 1, 0), next_at = clock_timestamp() + ${unitMs} * interval '1 millisecond'
    where subject = ${subject} and id = ${id}`.execute(tx)
}

/** Removes what is not late any more: its wake has been due for an hour, and no worker claimed it. */
export async function forgetWakes(tx: Tx): Promise<void> {
  await sql`delete from late_wakes where next_at < clock_timestamp() - interval '1 hour'`.execute(
    tx,
  )
}
