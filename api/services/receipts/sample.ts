import { CODE_VERSION } from '#domain/core/code-version.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { type SigningKey, signCompact } from '../../../activities/keys/compact.ts'
import type { KeyRings } from '../../../activities/keys/key-ring.ts'
import { readKeyStatus } from '../../../activities/keys/key-status.ts'
import { type ReceiptView, receiptView } from '../../../activities/keys/receipt-view.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'

/** An example that a GET shows, of something that never happened. */
export type Sample<Shown> = Shown & {
  sample: true
  usage: 'synthetic'
  fixture_id: string
  code_version: string
  persisted: false
  receipt: ReceiptView
}

/** When fixed samples are dated, in Unix seconds: 2026-11-01. */
const SAMPLED_AT = 1_793_491_200

type SampleRing = 'receipt' | 'callback'
type Deps = Pick<ReceiptIssuer, 'issuer' | 'environment'> & {
  db: Tx
  keys: Pick<KeyRings, SampleRing>
}
type Shown = Record<string, unknown>
/** What a sample is made with. */
export type Making = {
  /** The key of the ring that signs now, and the time in whole Unix seconds. */
  key: SigningKey
  now: number
  /** Signs what is shown under a kind of its own, at a fixed time. The receipt names all of it, or `claims` where that is long. */
  sign<S extends Shown>(said: { at?: number; shown: S; claims?: Shown }): Promise<Sample<S>>
}

/**
 * Samples, none of them stored: each is made and signed once in a process for the key that signs now. Its receipt has a fixed
 * date and varies with build, configuration and key alone, and Ed25519 signs the same text alike (RFC 8032 §5.1.6), so that each
 * process shows the same one.
 */
export class Samples {
  private readonly deps: Deps
  readonly #kept = new Map<string, { kid: string; made: Promise<unknown> }>()

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** What `make` makes under this name. What failed is made again by the next call. */
  async once<Made>(
    fixtureId: string,
    make: (making: Making) => Promise<Made>,
    ring: SampleRing = 'receipt',
  ): Promise<Made> {
    const { db, keys } = this.deps
    const status = await readKeyStatus(db, keys, [ring])
    const key = status.signer(ring)
    const known = this.#kept.get(fixtureId)
    if (known?.kid === key.kid) return known.made as Promise<Made>
    const sign: Making['sign'] = (said) => this.#sign(key, { fixtureId, ...said })
    const made = make({ key, now: status.nowSeconds, sign })
    this.#kept.set(fixtureId, { kid: key.kid, made })
    made.catch(() => this.#kept.get(fixtureId)?.made === made && this.#kept.delete(fixtureId))
    return made
  }

  async #sign<S extends Shown>(key: SigningKey, said: Said<S>): Promise<Sample<S>> {
    const { fixtureId: fixture_id, at = SAMPLED_AT, shown, claims = shown } = said
    const { issuer: iss, environment } = this.deps
    const about = { kind: 'sample', usage: 'synthetic' as const, environment, prev: null }
    const payload = { iss, iat: at, sub: `sample:${fixture_id}`, ...about, fixture_id, ...claims }
    const receipt = receiptView(await signCompact(key, { typ: RECEIPT_TYP, payload }))
    const sample = { fixture_id, code_version: CODE_VERSION, receipt, persisted: false } as const
    return { ...shown, ...sample, sample: true, usage: 'synthetic' }
  }
}

type Said<S> = { fixtureId: string; at?: number; shown: S; claims?: Shown }
