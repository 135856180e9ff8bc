import { refuse } from '../../workflows/domain/errors.ts'
import { authorityRules, decideAuthority, overReasons } from '../../workflows/domain/payment-authority.ts'
import type { AuthorityType } from '../../workflows/domain/payment-reference.ts'
import type { ChallengeRow } from '../store/challenges.ts'
import { type Tx, transaction } from '../store/db.ts'
import { findEntitlement } from '../store/entitlements.ts'
import type { ReferenceRow } from '../store/payment-references.ts'
import { findQuote, type QuoteRow } from '../store/quotes.ts'
import { judgeWallet, ownWallet } from './allowance.ts'
import { type MoneyDesk, ownReference } from './desk.ts'
import type { Presented } from './presenting.ts'
import { claimQuote, liveQuote, requirePayable } from './quotes.ts'
import { presentReference } from './references.ts'
import { spendingLimit } from './spending-limit.ts'
import { referenceView } from './views.ts'

export type Authorities = ReturnType<typeof openAuthorities>
/** What carries the authority: one of the three, by its type. */
export type AuthorityAsked = {
  agentId: string
  authority_type: AuthorityType
  quote_id: string
  wallet_id?: string | undefined
  provider_session_id?: string | undefined
  wallet_proof?: { wallet: string; transaction_hash: string; signature: string } | undefined
}
type Judged = {
  reasons: string[]
  left: { agent_usd: number | null; wallet: Awaited<ReturnType<typeof judgeWallet>>['left'] | null }
}

/** Whether a payment may be made, and by what: an authority stands as a payment reference, and moves nothing (endpoints.md §12). */
export function openAuthorities(deps: MoneyDesk) {
  const { db } = deps
  return {
    check: async (asked: AuthorityAsked) => {
      const { agentId, authority_type } = asked
      const { quote, challenge, judged } = await transaction(db, async (tx) => {
        await claimQuote(tx, asked.quote_id, agentId)
        const quote = await liveQuote(tx, asked.quote_id)
        // What was presented for it before is told again, or told to be under way.
        const challenge = await requirePayable(tx, quote.quote_id)
        return { quote, challenge, judged: await judge(tx, agentId, asked.wallet_id, quote) }
      })
      if (authorityRules[authority_type].hosted_by === 'provider' && deps.providers.length === 0)
        return { ...told(authority_type, undefined, judged, quote), reasons: ['no payment provider is configured'] }
      const reference = judged.reasons.length > 0 ? undefined : await authorize(deps, asked, challenge)
      return told(authority_type, reference, judged, quote)
    },

    /** An authority as it stands now; 404 for a payment that was presented without one. */
    read: async (agentId: string, referenceId: string) => {
      const reference = await ownReference(deps, agentId, referenceId)
      const { authority_type, entitlement_id, payer } = reference
      const quote = await findQuote(db, (await findEntitlement(db, entitlement_id ?? ''))?.quote_id ?? '')
      if (authority_type === null || quote === undefined)
        throw refuse('not_found', 'the payment was presented without an authority', 'Read it at the payment rail.')
      const over = overReasons(reference)
      const isOpen = reference.state === 'presented' || reference.state === 'pending'
      const walletId = isOpen && reference.method === 'agent_allowance' ? (payer ?? '') : undefined
      const judged = await transaction(db, (tx) => judge(tx, agentId, walletId, quote))
      return told(authority_type, reference, { ...judged, reasons: [...over, ...judged.reasons] }, quote)
    },
  }
}

/** What an allowance wallet has against the payment; nobody else is asked before something is presented. */
async function judge(tx: Tx, agentId: string, walletId: string | undefined, quote: QuoteRow): Promise<Judged> {
  const agent_usd = await spendingLimit(tx, agentId)
  if (walletId === undefined) return { reasons: [], left: { agent_usd, wallet: null } }
  const payment = { rail: quote.rail, amount_usd: quote.total_usd }
  const { paused, denials, shortfall_usd, left } = await judgeWallet(
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

const authorize = (deps: MoneyDesk, asked: AuthorityAsked, { challenge_id }: ChallengeRow): Promise<ReferenceRow> =>
  presentReference(deps, {
    agentId: asked.agentId,
    challengeId: challenge_id,
    authorityType: asked.authority_type,
    method: authorityRules[asked.authority_type].method,
    ...presentedBy(asked),
  })

function presentedBy({ wallet_id, provider_session_id, wallet_proof }: AuthorityAsked): Omit<Presented, 'method'> {
  if (wallet_id !== undefined) return { externalReference: wallet_id, payer: wallet_id }
  if (wallet_proof === undefined) return { externalReference: provider_session_id ?? '' }
  const { wallet, transaction_hash, signature } = wallet_proof
  return { externalReference: transaction_hash, payer: wallet, proof: { signature } }
}

function told(
  authority_type: AuthorityType,
  reference: ReferenceRow | undefined,
  { reasons, left }: Judged,
  { total_usd }: QuoteRow,
) {
  return {
    authority_type,
    decision: decideAuthority(authority_type, reference?.state ?? 'none', reasons),
    reasons,
    amount_usd: total_usd,
    payment_reference: reference === undefined ? null : referenceView(reference),
    limits_left: left,
  }
}
