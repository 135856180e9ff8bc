import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { trustLimits } from '#domain/core/limits.ts'
import { type Inbox, type Proof, proofId, withProof } from '#domain/trust/inbox.ts'
import { accountOf } from '#domain/trust/work.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { findReceipt, issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import {
  findProof,
  insertProof,
  listProofs,
  type ProofRow,
  readInbox,
  replaceInbox,
} from '../../../activities/store/trust/proofs.ts'
import { createKeyedQueue } from '../../calls/queues.ts'
import type { TrustDeps } from './deps.ts'
import { verifyPack, verifyPassport } from './verification.ts'

type Stored = { wallet: string; proof: Proof; callId: string }
type Page = { offset: number; limit: number }

/** The proofs that a wallet keeps with the service. */
export class InboxService {
  private readonly deps: TrustDeps
  /** Stores of one wallet in this process wait here and lose no attempt to each other. */
  readonly #queue = createKeyedQueue()

  constructor(deps: TrustDeps) {
    this.deps = deps
  }

  /** The same proof again is the one that is there. */
  async store({ wallet, proof, callId }: Stored) {
    await this.#assertGenuine(proof)
    const id = proofId(wallet, proof)
    const call = { callId, subject: `proof_${id}`, status: 201 }
    return this.#queue(wallet, () =>
      answerOnce(this.deps, call, async (tx) => {
        const row = await this.#storeOnce(tx, wallet, { id, proof })
        return {
          proof_id: id,
          bytes: row.bytes,
          stored_at: row.stored_at.toISOString(),
          verified: proof.kind !== 'evidence',
          used: usedOf(await readInbox(tx, wallet)),
          inclusion_receipt: await inclusionReceipt(tx, row),
        }
      }),
    )
  }

  async list(wallet: string, page: Page) {
    const { db } = this.deps
    const [rows, inbox] = await Promise.all([listProofs(db, wallet, page), readInbox(db, wallet)])
    const proofs = rows.map(({ stored_at, ...row }) => ({
      ...row,
      stored_at: stored_at.toISOString(),
    }))
    return { proofs, ...page, total: inbox.records, used: usedOf(inbox) }
  }

  async retrieve(wallet: string, id: string) {
    const { db } = this.deps
    const row = await findProof(db, wallet, id)
    if (row === undefined)
      throw refuse('not_found', { detail: 'this wallet has no proof of that id' })
    const { kind, content, label, stored_at } = row
    return {
      proof: { kind, content, label },
      proof_id: id,
      stored_at: stored_at.toISOString(),
      inclusion_receipt: await inclusionReceipt(db, row),
    }
  }

  /** Passports and packs are verified before they are stored. An expired pack is still evidence of what it said. */
  async #assertGenuine({ kind, content }: Proof): Promise<void> {
    if (kind === 'evidence') return
    const verify = kind === 'receipt_passport' ? verifyPassport : verifyPack
    const { reasons } = await verify(this.deps, content)
    if (reasons.length === 0) return
    throw refuse('receipt_invalid', {
      detail: `the content is no valid ${kind}: ${reasons.join(', ')}`,
      errors: reasons.map((reason) => ({ pointer: '/proof/content', message: reason })),
    })
  }

  /** Compare-and-set on the counter of the wallet keeps its limits exact. */
  async #storeOnce(
    tx: Tx,
    wallet: string,
    { id, proof }: { id: string; proof: Proof },
  ): Promise<ProofRow> {
    const bytes = Buffer.byteLength(proof.content)
    for (let attempt = 1; attempt <= trustLimits.casAttempts; attempt++) {
      const read = await readInbox(tx, wallet)
      const stored = await findProof(tx, wallet, id)
      if (stored !== undefined) return stored
      const next = withProof(read, { proofId: id, bytes })
      if ('exceeds' in next) throw full(read, next.exceeds)
      if (await replaceInbox(tx, wallet, { read, next }))
        return this.#insert(tx, { wallet, id, proof, bytes, next })
    }
    throw refuse('contention', {
      detail: `other proofs of this wallet were stored in each of ${trustLimits.casAttempts} attempts`,
      retry_after_ms: 500,
      money_moved: 'no',
    })
  }

  async #insert(
    tx: Tx,
    made: { wallet: string; id: string; proof: Proof; bytes: number; next: Inbox },
  ): Promise<ProofRow> {
    const { wallet, id, proof, bytes, next } = made
    const stored_at = new Date(Math.floor((await clockSeconds(tx)) * 1000))
    const receipt = await issueReceipt(this.deps, tx, {
      subject: `proof_${id}`,
      kind: 'intake',
      usage: 'unspecified',
      facts: {
        proof_id: id,
        wallet: accountOf(wallet),
        proof_kind: proof.kind,
        bytes,
        position: next.records,
        inbox_head: next.head,
      },
    })
    const row = {
      proof_id: id,
      wallet,
      seq: next.records,
      ...proof,
      bytes,
      receipt_id: receiptId(receipt),
      stored_at,
    }
    await insertProof(tx, row)
    return row
  }
}

const usedOf = ({ records, bytes }: Inbox) => ({ records, bytes })

function full(inbox: Inbox, limit: 'recordsPerWallet' | 'bytesPerWallet') {
  const { records, bytes } = inbox
  return refuse('wallet_storage_full', {
    detail: `${limit} is ${trustLimits[limit]}; the wallet uses ${records} records and ${bytes} bytes`,
    extra: { limit, limit_value: trustLimits[limit], used: { records, bytes } },
  })
}

async function inclusionReceipt(tx: Tx, { proof_id, receipt_id }: ProofRow) {
  const receipt = await findReceipt(tx, { receipt_id })
  if (receipt === undefined) throw new Error(`the receipt of proof ${proof_id} is missing`)
  return receiptView(receipt.jws)
}
