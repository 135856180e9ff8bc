import { verify } from 'node:crypto'
import { promisify } from 'node:util'
import { receiptId } from '#domain/core/ids.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { listPublicKeys } from '../store/keys/signing-keys.ts'
import type { StoredReceipt } from '../store/log/leaves.ts'
import type { Tx } from '../store/postgres/db.ts'
import { decodeCompact, importPublicKey } from './compact.ts'

/** With a callback, Node verifies in a thread of its pool. */
const verifyInThread = promisify<
  null,
  Uint8Array,
  ReturnType<typeof importPublicKey>,
  Uint8Array,
  boolean
>(verify)

/** Whether a receipt key that was ever published signed this row, for its subject and kind. */
export type IsOurs = (tx: Tx, row: StoredReceipt) => Promise<boolean>

const REMEMBERED = 20_000

/** Checks the signatures of stored receipts, each once for as long as it is remembered. */
export function createIsOurs(): IsOurs {
  const known = new Set<string>()
  const keys = new Map<string, Record<string, unknown>>()
  const keyOf = async (tx: Tx, kid: string) => {
    if (!keys.has(kid))
      for (const row of await listPublicKeys(tx))
        if (row.ring === 'receipt') keys.set(row.kid, row.public_jwk as Record<string, unknown>)
    return keys.get(kid)
  }
  return async (tx, row) => {
    const name = `${row.receipt_id} ${row.kind} ${row.subject}`
    if (receiptId(row.jws) !== row.receipt_id) return false
    if (known.has(name)) return true
    if (!(await isSigned(row, (kid) => keyOf(tx, kid)))) return false
    if (known.size >= REMEMBERED) known.clear()
    known.add(name)
    return true
  }
}

async function isSigned(
  { jws, subject, kind }: StoredReceipt,
  keyOf: (kid: string) => Promise<Record<string, unknown> | undefined>,
): Promise<boolean> {
  const parts = partsOf(jws)
  if (parts === undefined) return false
  const { header, payload, signingInput, signature } = parts
  if (header['typ'] !== RECEIPT_TYP || header['alg'] !== 'EdDSA' || 'crit' in header) return false
  if (payload['sub'] !== subject || payload['kind'] !== kind) return false
  const publicJwk = await keyOf(String(header['kid']))
  if (publicJwk === undefined) return false
  return verifyInThread(
    null,
    Buffer.from(signingInput),
    importPublicKey(publicJwk, 'EdDSA'),
    signature,
  )
}

function partsOf(jws: string): ReturnType<typeof decodeCompact> | undefined {
  try {
    return decodeCompact(jws)
  } catch {
    return undefined
  }
}
