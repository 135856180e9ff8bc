import type { Tx } from './db.ts'

export type ReplayKind = 'presentation' | 'challenge_jti' | 'mandate' | 'kb_nonce' | 'principal_digest'
export type ReplayKey = { kind: ReplayKind; key: string }

/** Consumes keys in the one global ledger; returns the kind of the first that another subject used before, or undefined. */
export async function consumeKeys(
  tx: Tx,
  keys: readonly ReplayKey[],
  subject: string,
): Promise<ReplayKind | undefined> {
  for (const { kind, key } of keys) {
    const inserted = await tx
      .insertInto('replay_ledger')
      .values({ kind, key, subject })
      .onConflict((conflict) => conflict.columns(['kind', 'key']).doNothing())
      .returning('kind')
      .executeTakeFirst()
    if (inserted === undefined) return kind
  }
  return undefined
}

/** Which of these keys another subject has consumed already; reads only. */
export async function findConsumed(
  tx: Tx,
  keys: readonly ReplayKey[],
  subject: string,
): Promise<ReplayKind | undefined> {
  for (const { kind, key } of keys) {
    const row = await tx
      .selectFrom('replay_ledger')
      .select('subject')
      .where('kind', '=', kind)
      .where('key', '=', key)
      .executeTakeFirst()
    if (row !== undefined && row.subject !== subject) return kind
  }
  return undefined
}
