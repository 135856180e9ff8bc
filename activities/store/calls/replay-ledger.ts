import { sql } from 'kysely'
import type { Tx } from '../postgres/db.ts'
import { prepared, type Statement } from '../postgres/prepared.ts'

export type ReplayKind =
  | 'presentation'
  | 'challenge_jti'
  | 'mandate'
  | 'kb_nonce'
  | 'principal_digest'
export type ReplayKey = { kind: ReplayKind; key: string }

/** Consumes keys in the global ledger. The transaction fails if a key was consumed before. */
export const consumeKeys = (keys: readonly ReplayKey[], subject: string): Statement =>
  insertKeys(kindsOf(keys), keysOf(keys), subject)

const insertKeys = prepared(
  (
    _,
    kinds: string[],
    keys: string[],
    subject: string,
  ) => sql`insert into replay_ledger (kind, key, subject)
    select kind, key, ${subject} from unnest(${kinds}::text[], ${keys}::text[]) as consumed(kind, key)`,
)
const selectConsumed = prepared(
  (
    _,
    kinds: string[],
    keys: string[],
    subject: string,
  ) => sql<ReplayKey>`select l.kind, l.key from replay_ledger l
    join unnest(${kinds}::text[], ${keys}::text[]) as asked(kind, key) on l.kind = asked.kind and l.key = asked.key
    where l.subject <> ${subject}`,
)

const kindsOf = (keys: readonly ReplayKey[]): string[] => keys.map(({ kind }) => kind)
const keysOf = (keys: readonly ReplayKey[]): string[] => keys.map(({ key }) => key)

/** The first of these keys that another subject has consumed. It only reads. */
export async function findConsumed(
  tx: Tx,
  keys: readonly ReplayKey[],
  subject: string,
): Promise<ReplayKind | undefined> {
  const used = await selectConsumed(kindsOf(keys), keysOf(keys), subject).run(tx)
  return keys.find(({ kind, key }) => used.some((row) => row.kind === kind && row.key === key))
    ?.kind
}
