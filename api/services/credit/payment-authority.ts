import { refuse } from '#domain/core/errors.ts'
import { authorityRules, decideAuthority, overReasons } from '#domain/payments/payment-authority.ts'
import type { AuthorityType } from '#domain/payments/payment-reference.ts'
import { checkWallet, ownWallet } from '../../../activities/credit/allowance.ts'
import type { Presented } from '../../../activities/credit/presenting.ts'
import { claimQuote, liveQuote, newId, requirePayable } from '../../../activities/credit/quotes.ts'
import { type Opening, presentReference } from '../../../activities/credit/references.ts'
import { spendingLimit } from '../../../activities/credit/spending-limit.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { findQuote, type QuoteRow } from '../../../activities/store/credit/quotes.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import { type Tx, transaction, tryOut } from '../../../activities/store/postgres/db.ts'
import type { PaymentDeps } from './deps.ts'
import { ownReference } from './references.ts'
import { referenceView } from './views.ts'
/** An authority with its proof: one of the three fields, by its type. */
export type AuthorityAsked = {
  agentId: string
  authority_type: AuthorityType
  quote_id: string
  wallet_id?: string | undefined
  provider_session_id?: string | undefined
  wallet_proof?: { wallet: string; transaction_hash: string; signature: string } | undefined
}
type Checked = {
  reasons: string[]
  left: { agent_usd: number | null; wallet: Awaited<ReturnType<typeof checkWallet>>['left'] | null }
}

/** Whether a payment may be made, and by which authority: an authority is a payment reference that moves no money. */
export class PaymentAuthorityService {
  private readonly deps: PaymentDeps

  constructor(deps: PaymentDeps) {
    this.deps = deps
  }

  async check(asked: AuthorityAsked) {
    const { db } = this.deps
    const { agentId, authority_type, quote_id: quoteId, wallet_id: walletId } = asked
    const open: Opening = async (tx, challengeId) => {
      await claimQuote(tx, quoteId, { owner: agentId })
      await liveQuote(tx, quoteId)
      // A payment that was presented before is returned again, or refused as pending.
      return requirePayable(tx, quoteId, challengeId)
    }
    const { quote, checked } = await tryOut(db, async (tx) => {
      await open(tx, newId('ch'))
      const quote = await liveQuote(tx, quoteId)
      return { quote, checked: await checkWalletFor(tx, { agentId, walletId, quote }) }
    })
    const isHosted = authorityRules[authority_type].hosted_by === 'provider'
    const isOffered = !isHosted || this.deps.providers.length > 0
    if (isOffered && checked.reasons.length === 0) {
      const reference = await authorize(this.deps, asked, open)
      return authorityView({ authority_type, reference, checked, quote })
    }
    await transaction(db, (tx) => open(tx, newId('ch')))
    const denied = authorityView({ authority_type, reference: undefined, checked, quote })
    return isOffered ? denied : { ...denied, reasons: ['no payment provider is configured'] }
  }

  /** The current state of an authority; 404 for a payment that was presented without one. */
  async read(agentId: string, referenceId: string) {
    const { db } = this.deps
    const reference = await ownReference(db, agentId, referenceId)
    const { authority_type, entitlement_id, payer } = reference
    const quote = await findQuote(
      db,
      (await findEntitlement(db, entitlement_id ?? ''))?.quote_id ?? '',
    )
    if (authority_type === null || quote === undefined)
      throw refuse('not_found', {
        detail: 'the payment was presented without an authority',
        next_action: 'Read it at the payment rail.',
      })
    const over = overReasons(reference)
    const isOpen = reference.state === 'presented' || reference.state === 'pending'
    const walletId = isOpen && reference.method === 'agent_allowance' ? (payer ?? '') : undefined
    const checked = await transaction(db, (tx) => checkWalletFor(tx, { agentId, walletId, quote }))
    const reasons = [...over, ...checked.reasons]
    return authorityView({ authority_type, reference, checked: { ...checked, reasons }, quote })
  }
}

type Planned = { agentId: string; walletId: string | undefined; quote: QuoteRow }

/** The objections of an allowance wallet to the payment; other authorities are checked when a payment is presented. */
async function checkWalletFor(tx: Tx, { agentId, walletId, quote }: Planned): Promise<Checked> {
  const agent_usd = await spendingLimit(tx, agentId)
  if (walletId === undefined) return { reasons: [], left: { agent_usd, wallet: null } }
  const payment = { rail: quote.rail, amount_usd: quote.total_usd }
  const { paused, denials, shortfall_usd, left } = await checkWallet(
    tx,
    await ownWallet(tx, walletId, agentId),
    payment,
  )
  const reasons = [
    ...(paused === undefined ? [] : [`payments from the wallet are paused: ${paused}`]),
    ...denials,
    ...(shortfall_usd === 0 ? [] : [`the wallet holds ${shortfall_usd} usd too little`]),
  ]
  return { reasons, left: { agent_usd, wallet: left } }
}

const authorize = (
  deps: PaymentDeps,
  asked: AuthorityAsked,
  open: Opening,
): Promise<ReferenceRow> =>
  presentReference(deps, {
    agentId: asked.agentId,
    open,
    authorityType: asked.authority_type,
    method: authorityRules[asked.authority_type].method,
    ...presentedBy(asked),
  })

function presentedBy({
  wallet_id,
  provider_session_id,
  wallet_proof,
}: AuthorityAsked): Omit<Presented, 'method'> {
  if (wallet_id !== undefined) return { externalReference: wallet_id, payer: wallet_id }
  if (wallet_proof === undefined) return { externalReference: provider_session_id ?? '' }
  const { wallet, transaction_hash, signature } = wallet_proof
  return { externalReference: transaction_hash, payer: wallet, proof: { signature } }
}

type Authority = {
  authority_type: AuthorityType
  reference: ReferenceRow | undefined
  checked: Checked
  quote: QuoteRow
}

function authorityView({ authority_type, reference, checked, quote }: Authority) {
  const { reasons, left } = checked
  return {
    authority_type,
    decision: decideAuthority(authority_type, reference?.state ?? 'none', reasons),
    reasons,
    amount_usd: quote.total_usd,
    payment_reference: reference === undefined ? null : referenceView(reference),
    limits_left: left,
  }
}
