import type { Kysely } from 'kysely'
import { hasPaid } from '../../activities/store/payments/payments.ts'
import type { Database } from '../../activities/store/schema/schema.ts'

/** Whether a wallet never paid for a call: a key costs nothing, so that its proof says nothing of who calls. */
export type IsNewWallet = (wallet: string) => Promise<boolean>

const KNOWN_MAX = 100_000
/** How long a wallet counts as new before it is looked up again. */
const NEW_MS = 2_000

/** A wallet that paid is remembered, because that never changes. */
export function newWallets(db: Kysely<Database>): IsNewWallet {
  const known = new Map<string, { isNew: boolean; until: number }>()
  return async (wallet) => {
    const found = known.get(wallet)
    if (found !== undefined && found.until > performance.now()) return found.isNew
    const isNew = !(await hasPaid(db, wallet))
    if (known.size >= KNOWN_MAX) known.clear()
    const until = isNew ? performance.now() + NEW_MS : Number.POSITIVE_INFINITY
    known.set(wallet, { isNew, until })
    return isNew
  }
}
