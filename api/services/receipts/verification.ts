import type { Kysely } from 'kysely'
import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { timesFor } from '#domain/receipts/dated-back.ts'
import {
  isActivatedBy,
  isGood,
  type KeyTimes,
  standingKnownAt,
} from '#domain/receipts/key-standing.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { verifyCompact } from '../../../activities/keys/compact.ts'
import { keyTimes } from '../../../activities/keys/published-key.ts'
import { listPublicKeys, type SigningKeyRow } from '../../../activities/store/keys/signing-keys.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { type LogStanding, logDetails, lookUpInLog } from './log-state.ts'

export type ReceiptSelector = {
  receipt_id?: string | undefined
  receipt?: string | undefined
  payload_sha256?: string | undefined
  at?: string | undefined
  tree_size?: string | undefined
}
type Check = { check: string; ok: boolean; detail: string }

/** Verifies a receipt by its signature, the status of its key, our record of it and its place in the log. */
export class ReceiptService {
  readonly #db: Kysely<Database>
  readonly #issuer: string

  constructor(db: Kysely<Database>, issuer: string) {
    this.#db = db
    this.#issuer = issuer
  }

  async verify(selector: ReceiptSelector) {
    const jws = selector.receipt ?? (await storedJws(this.#db, selector))
    const stored = await findReceipt(this.#db, { receipt_id: receiptId(jws) })
    const key = (await listPublicKeys(this.#db)).find(
      (row) => row.ring === 'receipt' && row.kid === headerOf(jws)?.['kid'],
    )
    const payload = key === undefined ? undefined : verifiedPayload(jws, key)
    const iat = typeof payload?.['iat'] === 'number' ? payload['iat'] : undefined
    const at = selector.at === undefined ? iat : Math.floor(Date.parse(selector.at) / 1000)
    const times = key && timesFor(keyTimes(key), RECEIPT_TYP, payload ?? {})
    const standing = await this.#logStanding(jws, payload, selector)
    const { log_state } = standing
    const checks: Check[] = [
      check(
        'key',
        key !== undefined,
        key === undefined ? 'no key of this service has this kid' : `key ${key.kid}`,
      ),
      check(
        'signature',
        payload !== undefined,
        payload === undefined ? 'the signature does not verify' : 'EdDSA over the compact form',
      ),
      check(
        'issuer',
        payload?.['iss'] === this.#issuer,
        `issuer ${String(payload?.['iss'] ?? 'unknown')}`,
      ),
      keyStanding(times, iat, stored?.issued_at),
      check('log', log_state === 'included' || log_state === 'exempt', logDetails[log_state]),
    ]
    return {
      verified: checks.every(({ ok }) => ok),
      receipt_id: receiptId(jws),
      kind: typeof payload?.['kind'] === 'string' ? payload['kind'] : null,
      usage: typeof payload?.['usage'] === 'string' ? payload['usage'] : null,
      ...standing,
      checks,
      signature: {
        alg: 'EdDSA' as const,
        key_id: key?.kid ?? null,
        key_state_at_issue: stateAt(key, times, iat),
        key_state_at: stateAt(key, times, at),
        valid: payload !== undefined,
      },
      payload: payload ?? null,
      payload_sha256: payload === undefined ? null : digestOf(payload),
      stored: stored !== undefined,
      receipt_sha256: sha256Hex(jws),
      verified_at: new Date().toISOString(),
    }
  }

  async #logStanding(
    jws: string,
    payload: Record<string, unknown> | undefined,
    { tree_size }: ReceiptSelector,
  ): Promise<LogStanding> {
    const unknown = { leaf_index: null, tree_size: null }
    if (payload === undefined) return { log_state: 'not_checked', ...unknown }
    if (payload['kind'] === 'sample') return { log_state: 'exempt', ...unknown }
    return lookUpInLog(this.#db, jws, tree_size === undefined ? undefined : Number(tree_size))
  }
}

/** `unknown` before the key was published; what is dated back may be older than its key. */
function stateAt(
  key: SigningKeyRow | undefined,
  times: KeyTimes | undefined,
  at: number | undefined,
) {
  if (key === undefined || times === undefined || at === undefined) return 'unknown' as const
  const isPublished = at >= Math.floor(key.published_at.getTime() / 1000)
  return isPublished || !('activatedAt' in times) ? standingKnownAt(times, at) : 'unknown'
}

const check = (name: string, ok: boolean, detail: string): Check => ({ check: name, ok, detail })

async function storedJws(
  db: Kysely<Database>,
  { receipt_id, payload_sha256 }: ReceiptSelector,
): Promise<string> {
  const row = await findReceipt(
    db,
    receipt_id === undefined ? { payload_sha256: payload_sha256 ?? '' } : { receipt_id },
  )
  if (row === undefined)
    throw refuse('not_found', {
      detail: `no receipt of this service has that ${receipt_id === undefined ? 'payload_sha256' : 'id'}`,
      next_action: 'Check it, or send the receipt itself.',
    })
  return row.jws
}

function verifiedPayload(jws: string, key: SigningKeyRow): Record<string, unknown> | undefined {
  try {
    return verifyCompact(jws, { typ: RECEIPT_TYP, alg: 'EdDSA', publicJwk: key.public_jwk })
  } catch {
    return undefined
  }
}

/** A revoked key proves nothing by itself: its thief can date a receipt back; our record from before the revocation does. */
function keyStanding(
  times: KeyTimes | undefined,
  iat: number | undefined,
  storedAt: Date | undefined,
): Check {
  if (times === undefined || iat === undefined)
    return check('key_standing', false, 'the key was unknown')
  const ok = isGood(times, {
    issuedAt: iat,
    storedAt: storedAt === undefined ? null : storedAt.getTime() / 1000,
  })
  return check('key_standing', ok, standingDetail(times, iat, ok))
}

function standingDetail(times: KeyTimes, iat: number, ok: boolean): string {
  if (!isActivatedBy(times, iat)) return 'the receipt is dated before the key was active'
  if (times.retiredAt !== null && iat > times.retiredAt)
    return 'the key was retired before the receipt is dated'
  if (times.revokedAt === null) return 'the key was active'
  return ok
    ? 'the key is revoked, our record of the receipt is older'
    : 'the key is revoked and no older record of this receipt exists'
}

function headerOf(jws: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString('utf8')) as Record<
      string,
      unknown
    >
  } catch {
    return undefined
  }
}
