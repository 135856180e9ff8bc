import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { RotationState } from '#domain/keys/rotation.ts'
import type { Tx } from '../postgres/db.ts'
import { now } from '../postgres/rows.ts'
import type { Database } from '../schema/schema.ts'

export type KeyRotationRow = Selectable<Database['key_rotations']>

/** A rotation, with the milliseconds until its next step is due by Postgres' clock; 0 where it is due. */
export type DueRotation = KeyRotationRow & { wait_ms: number }

/** Stores a rotation that was asked for; undefined where one of its ring is open. */
export function insertRotation(
  tx: Tx,
  rotation: Insertable<Database['key_rotations']>,
): Promise<KeyRotationRow | undefined> {
  return tx
    .insertInto('key_rotations')
    .values(rotation)
    .onConflict((conflict) =>
      conflict.column('ring').where(sql<boolean>`state <> 'done'`).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
}

/**
 * Has the open rotation of a ring revoke the previous key and wait no longer. Undefined where it does already, where its next key has
 * ended, and where none is open.
 */
export function hastenRotation(tx: Tx, ring: string): Promise<KeyRotationRow | undefined> {
  const atOnce = (time: string) =>
    sql<Date>`case when ${sql.ref(time)} > clock_timestamp() then clock_timestamp() else ${sql.ref(time)} end`
  return tx
    .updateTable('key_rotations')
    .set({
      revoke_old: true,
      activate_at: atOnce('activate_at'),
      retire_at: atOnce('retire_at'),
    })
    .where('ring', '=', ring)
    .where('state', '<>', 'done')
    .where('revoke_old', '=', false)
    .where(sql<boolean>`not ${hasEnded('next_kid')}`)
    .returningAll()
    .executeTakeFirst()
}

const hasEnded = (...kids: ('next_kid' | 'previous_kid')[]) =>
  sql`exists (select from signing_keys where kid in (${sql.join(kids.map((kid) => sql.ref(kid)))})
    and (retired_at is not null or revoked_at is not null))`

/** At most 50 rotations: those that are open, then those that were done last. */
export function listRotations(tx: Tx): Promise<KeyRotationRow[]> {
  return tx
    .selectFrom('key_rotations')
    .selectAll()
    .orderBy(sql`done_at desc nulls first`)
    .orderBy('requested_at', 'desc')
    .orderBy('ring')
    .limit(50)
    .execute()
}

/** Where a key of a rotation has ended, its next step is due. */
const dueRotations = (tx: Tx) =>
  tx
    .selectFrom('key_rotations')
    .selectAll()
    .select(
      sql<number>`case when ${hasEnded('next_kid', 'previous_kid')} then 0 else greatest(0, ceil(extract(epoch from (
        case state when 'published' then activate_at when 'active' then retire_at else requested_at end) - clock_timestamp()
      ) * 1000)) end::float8`.as('wait_ms'),
    )

/** The rotation of a ring that is not done. */
export function findOpenRotation(tx: Tx, ring: string): Promise<DueRotation | undefined> {
  return dueRotations(tx).where('ring', '=', ring).where('state', '<>', 'done').executeTakeFirst()
}

/** A rotation, locked until the transaction ends; throws for an unknown id. */
export function lockRotation(tx: Tx, rotationId: string): Promise<DueRotation> {
  return dueRotations(tx)
    .where('rotation_id', '=', rotationId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Writes the next state of a rotation with what belongs to it; SQL refuses any other move. */
export async function moveRotation(
  tx: Tx,
  { rotationId, to }: { rotationId: string; to: RotationState },
  more: Pick<Updateable<Database['key_rotations']>, 'next_kid' | 'previous_kid'> & {
    /** How long until the step after it is due. */
    waitSeconds?: number
  },
): Promise<void> {
  const { waitSeconds = 0, ...kids } = more
  const due = sql<Date>`clock_timestamp() + make_interval(secs => ${waitSeconds})`
  const times = {
    requested: {},
    published: { activate_at: due },
    active: { retire_at: due },
    done: { done_at: now },
  }
  await tx
    .updateTable('key_rotations')
    .set({ state: to, ...kids, ...times[to] })
    .where('rotation_id', '=', rotationId)
    .execute()
}
