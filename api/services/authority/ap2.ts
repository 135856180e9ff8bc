import { tightest } from '#domain/ap2/constraints.ts'
import { vcts } from '#domain/ap2/mandates.ts'
import { type Ap2Asked, ap2Faults } from '#domain/ap2/terms.ts'
import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { sha256Base64url } from '#domain/payouts/holder-binding.ts'
import { type AuthorityDeps, writeAuthorityReceipt } from '../../../activities/authority/deps.ts'
import { authorityKeyStatus } from '../../../activities/authority/facts.ts'
import { signOpenMandate } from '../../../activities/keys/ap2-chain.ts'
import type { SigningKey } from '../../../activities/keys/compact.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import {
  type Ap2MandateRow,
  findAp2Issued,
  insertAp2Mandate,
  lockAp2Mandate,
  revokeAp2Mandate,
} from '../../../activities/store/payments/ap2.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'

type Operator = { operatorId: string; name: string }
type Asked = { idempotency_key: string; ap2: Ap2Asked }

/** A presentation of the mandate has to stay within its bound. */
const OPEN_CHARS_MAX = 16_000

/** Signs an open checkout mandate and the open payment mandate for it; the same operator and key give the first ones again. */
export async function issueAp2(
  deps: AuthorityDeps,
  operator: Operator,
  { idempotency_key, ap2 }: Asked,
) {
  const named = { kind: 'ap2', operator: operator.operatorId, idempotency_key }
  const mandate_id = `mdt_${digestOf(named)}`
  return transaction(deps.db, async (tx) => {
    const nowSeconds = Math.floor(await clockSeconds(tx))
    const errors = ap2Faults(ap2, nowSeconds * 1000)
    if (errors.length > 0)
      throw refuse('limits_invalid', {
        detail: errors.map(({ pointer, message }) => `${pointer}: ${message}`).join('; '),
        errors,
      })
    if ((await findAgent(tx, ap2.agent_id)) === undefined)
      throw refuse('not_found', { detail: 'no such agent' })
    const key = (await authorityKeyStatus(deps.keys, tx)).signer('authority')
    const signed = await signBoth(key, { iss: deps.origin, ap2, iat: nowSeconds })
    const issuer = deps.origin
    const issued_by = operator.name
    await insertAp2Mandate(tx, { mandate_id, issuer, issued_by, ...rowOf(signed, ap2) })
    const stored = await findAp2Issued(tx, mandate_id)
    if (stored === undefined) throw new Error('a mandate that was stored is missing')
    return issued(deps, tx, stored, nowSeconds)
  })
}

async function signBoth(
  key: SigningKey,
  { iss, ap2, iat }: { iss: string; ap2: Ap2Asked; iat: number },
) {
  const times = { iat, exp: Math.floor(Date.parse(ap2.expires_at) / 1000) }
  const cnf = { jwk: ap2.agent_key }
  const { constraints, ...preset } = ap2.payment
  const checkout = { vct: vcts.openCheckout, constraints: ap2.checkout.constraints, cnf, ...times }
  const open_checkout_mandate = await signOpenMandate(key, { iss, mandate: checkout })
  const open_checkout_hash = sha256Base64url(open_checkout_mandate)
  const reference = {
    type: 'payment.reference' as const,
    conditional_transaction_id: open_checkout_hash,
  }
  const payment = {
    vct: vcts.openPayment,
    constraints: [...constraints, reference],
    cnf,
    ...preset,
    ...times,
  }
  const open_payment_mandate = await signOpenMandate(key, { iss, mandate: payment })
  const longest = Math.max(open_checkout_mandate.length, open_payment_mandate.length)
  if (longest > OPEN_CHARS_MAX)
    throw refuse('limits_invalid', {
      detail: `a mandate has ${longest} characters, more than ${OPEN_CHARS_MAX}`,
      next_action: 'Allow fewer payees, merchants or items.',
    })
  return { open_checkout_mandate, open_payment_mandate, open_checkout_hash }
}

function rowOf(signed: Awaited<ReturnType<typeof signBoth>>, ap2: Ap2Asked) {
  const [jwt = ''] = signed.open_payment_mandate.split('~')
  return {
    mandate_key: sha256Hex(jwt.slice(0, jwt.lastIndexOf('.'))),
    agent_id: ap2.agent_id,
    document: JSON.stringify(signed),
    ...tightest(ap2.payment.constraints),
    expires_at: new Date(ap2.expires_at),
  }
}

async function issued(deps: AuthorityDeps, tx: Tx, stored: Ap2MandateRow, nowSeconds: number) {
  const { mandate_id, document, mandate_key, agent_id, expires_at, issued_by } = stored
  if (mandate_id === null || document === null || expires_at === null)
    throw new Error('a mandate that was issued here is incomplete')
  const until = expires_at.toISOString()
  const receipt = await writeAuthorityReceipt(deps, tx, {
    subject: mandate_id,
    kind: 'mandate',
    facts: { mandate_id, agent_id, mandate_sha256: mandate_key, expires_at: until, issued_by },
    nowSeconds,
  })
  return { mandate_id, ...document, expires_at: until, receipt }
}

/** Revokes a mandate that was issued here: no payment under it commits afterwards. False for an unknown id. */
export async function revokeIssuedAp2(
  tx: Tx,
  of: { mandateId: string; by: string; reason: string },
): Promise<boolean> {
  const known = await lockAp2Mandate(tx, { mandate_id: of.mandateId })
  if (known === undefined) return false
  await revokeAp2Mandate(tx, of)
  return true
}
