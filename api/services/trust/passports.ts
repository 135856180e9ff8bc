import { sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import type { RunUsage } from '#domain/core/usage.ts'
import { PassportClaims, passportId } from '#domain/trust/passport.ts'
import { accountOf, type Work, workId } from '#domain/trust/work.ts'
import { decodeCompact } from '../../../activities/keys/compact.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import {
  findReceipt,
  issueReceipt,
  listReceipts,
} from '../../../activities/store/receipts/receipts.ts'
import {
  findPassport,
  insertPassport,
  type PassportRow,
} from '../../../activities/store/trust/passports.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'
import { findWork, findWorkSubject } from '../../../activities/store/trust/work.ts'
import type { TrustDeps } from './deps.ts'
import { packetOf, verifyPassport } from './verification.ts'

type Asked = { wallet: string; work: Work; usage: RunUsage; callId: string }

/** Receipt passports: signed statements about work that the rows of the service prove. */
export class PassportService {
  private readonly deps: TrustDeps

  constructor(deps: TrustDeps) {
    this.deps = deps
  }

  /** One passport for each wallet and work; all in one transaction. */
  issue(asked: Asked) {
    const { wallet, work, callId } = asked
    const id = passportId(wallet, work)
    return answerOnce(this.deps, { callId, subject: id, status: 201 }, async (tx) => {
      await lockSubject(id).run(tx)
      const earlier = await findPassport(tx, { passport_id: id })
      if (earlier !== undefined && earlier.call_id !== callId) throw attested(id)
      return passportView(tx, earlier ?? (await this.#make(tx, id, asked)))
    })
  }

  /** A passport that is not one of ours is no error: the answer says why. */
  async verify(passport: string) {
    const { receiptId: id, ...judged } = await verifyPassport(this.deps, passport)
    return {
      valid: judged.reasons.length === 0,
      ...judged,
      verification_packet: await packetOf(this.deps, id),
    }
  }

  async #make(tx: Tx, id: string, asked: Asked): Promise<PassportRow> {
    const { wallet, work, callId } = asked
    const { issuer, environment, signPassport } = this.deps
    const proven = await findWork(tx, wallet, work)
    if (proven === undefined)
      throw refuse('work_not_found', { detail: 'no such work of this wallet is on record' })
    const usage = await labelOf(tx, asked)
    const [sign, now] = await Promise.all([signPassport(tx), clockSeconds(tx)])
    const iat = Math.floor(now)
    const claims: PassportClaims = {
      iss: issuer,
      iat,
      jti: id,
      sub: accountOf(wallet),
      kind: 'receipt_passport',
      usage,
      environment,
      work,
      proven,
    }
    const { jws, kid } = await sign(claims)
    const facts = { passport_id: id, passport_sha256: sha256Hex(jws), wallet, work, proven }
    const receipt = await issueReceipt(this.deps, tx, {
      subject: id,
      kind: 'passport',
      usage,
      facts,
    })
    const row = {
      passport_id: id,
      wallet,
      work: workId(work),
      usage,
      jws,
      kid,
      receipt_id: receiptId(receipt),
      call_id: callId,
      issued_at: new Date(iat * 1000),
    }
    await insertPassport(tx, row)
    return row
  }
}

/** Work whose first receipt declares it synthetic is called synthetic, whatever the caller calls it. */
async function labelOf(tx: Tx, { wallet, work, usage }: Asked): Promise<RunUsage> {
  const subject = await findWorkSubject(tx, wallet, work)
  const [first] = subject === undefined ? [] : await listReceipts(tx, subject)
  const isSynthetic =
    first !== undefined && decodeCompact(first.jws).payload['usage'] === 'synthetic'
  return isSynthetic ? 'synthetic' : usage
}

async function passportView(tx: Tx, { passport_id, jws, receipt_id }: PassportRow) {
  const receipt = await findReceipt(tx, { receipt_id })
  if (receipt === undefined) throw new Error(`the receipt of ${passport_id} is missing`)
  return {
    passport: jws,
    passport_id,
    claims: PassportClaims.parse(decodeCompact(jws).payload),
    receipt: receiptView(receipt.jws),
  }
}

const attested = (id: string) =>
  refuse('work_already_attested', {
    detail: `the passport ${id} was issued for this work under another idempotency key`,
    extra: { passport_id: id },
  })
