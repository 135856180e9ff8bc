import { sql } from 'kysely'
import type { Tx } from './db.ts'
import { type Statement, send } from './pipeline.ts'

export type ReplayKind = 'presentation' | 'challenge_jti' | 'mandate' | 'kb_nonce' | 'principal_digest'
export type ReplayKey = { kind: ReplayKind; key: string }

/** Consumes keys in the one global ledger; a key that is there already makes the transaction fail. */
export const consumeKeys = (tx: Tx, keys: readonly ReplayKey[], subject: string): Statement =>
  tx.insertInto('replay_ledger').values(keys.map(({ kind, key }) => ({ kind, key, subject })))

/** Which of these keys another subject has consumed already, the first in their order; reads only. */
export async function findConsumed(
  tx: Tx,
  keys: readonly ReplayKey[],
  subject: string,
): Promise<ReplayKind | undefined> {
  const used = await send(
    tx,
    sql<ReplayKey>`select l.kind, l.key from replay_ledger l
      join unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ key }) => key)}::text[]) as asked(kind, key)
        on l.kind = asked.kind and l.key = asked.key
      where l.subject <> ${subject}`,
  )
  return keys.find(({ kind, key }) => used.some((row) => row.kind === kind && row.key === key))?.kind
}
