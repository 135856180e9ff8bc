import { settlesNothing } from '#domain/ap2/mandates.ts'
import type { Hex } from '#domain/core/ids.ts'
import {
  agree,
  atomicOf,
  checkTransaction,
  type Verdict,
} from '#domain/payments/payment-reference.ts'
import { checkEvents } from '#domain/payments/provider-event.ts'
import { readTransaction } from '../chain/transaction.ts'
import { findAgent } from '../store/agents/agents.ts'
import { eventsAbout } from '../store/credit/provider-events.ts'
import type { ReferenceRow } from '../store/payments/payment-references.ts'
import { findPayment, type PaymentRow } from '../store/payments/payments.ts'
import type { MoneyDeps } from './deps.ts'

/** A verdict with the name of its source. */
export type Checked =
  | Exclude<Verdict, { kind: 'verified' }>
  | (Extract<Verdict, { kind: 'verified' }> & { by: string })

const ofSandbox = {
  kind: 'rejected',
  reason: 'an agent of the sandbox pays nothing',
} as const
const undecided = { kind: 'pending', reason: 'it waits for a decision' } as const

/** Asks the source that confirms this method. A failure is no verdict: it is `pending` with the reason. */
export async function checkReference(deps: MoneyDeps, reference: ReferenceRow): Promise<Checked> {
  switch (reference.method) {
    case 'stablecoin_reference':
      return by('chain', await onChain(deps, reference))
    case 'x402_reference':
      return by('payment', await byPayment(deps, reference))
    case 'hosted_checkout':
    case 'payment_reference':
    case 'invoice_reference':
      return by('provider', await byEvents(deps, reference))
    // Authorized but not debited: the payment expires with its challenge.
    case 'agent_allowance':
      return by('wallet', {
        kind: 'pending',
        reason: 'the wallet is not debited yet',
        absent: true,
      })
    case 'ap2_mandate_reference':
      return by('payment', await byMandate(deps, reference))
    default:
      return undecided
  }
}

const by = (source: string, verdict: Verdict): Checked =>
  verdict.kind === 'verified' ? { ...verdict, by: source } : verdict

async function onChain(
  { chain, offers, payTo }: MoneyDeps,
  reference: ReferenceRow,
): Promise<Verdict> {
  const terms = {
    payer: reference.payer ?? '',
    payTo,
    amountAtomic: atomicOf(reference.amount_usd),
  }
  try {
    const seen = await readTransaction(chain, offers.asset, reference.external_reference as Hex)
    return agree(seen.map((one) => checkTransaction(one, terms)))
  } catch {
    return { kind: 'pending', reason: 'the chain does not answer' }
  }
}

/** A mandate that names no rail that settles here brings nothing and expires with its challenge; a wallet was debited when it was presented. */
async function byMandate({ db }: MoneyDeps, reference: ReferenceRow): Promise<Verdict> {
  const payment = await findPayment(db, reference.external_reference)
  if (payment === undefined) return { kind: 'pending', reason: settlesNothing, absent: true }
  return verdictOn(payment, reference)
}

/** An x402 payment is settled by its own workflow; here it counts once its block is final. */
const byPayment = async ({ db }: MoneyDeps, reference: ReferenceRow): Promise<Verdict> =>
  verdictOn(await findPayment(db, reference.external_reference), reference)

function verdictOn(payment: PaymentRow | undefined, reference: ReferenceRow): Verdict {
  if (payment === undefined || payment.call_id !== reference.payment_reference_id)
    return { kind: 'rejected', reason: 'the payment was claimed for something else' }
  const { state, finalized, transaction_hash, failure } = payment
  if (state === 'settled' && finalized) return { kind: 'verified', evidence: { transaction_hash } }
  if (state === 'failed' || state === 'released')
    return { kind: 'rejected', reason: failure ?? `the payment ${state}` }
  return { kind: 'pending', reason: failure ?? 'the payment is not final on chain' }
}

/** What events say; an agent of the sandbox pays nothing, whatever they say. */
async function byEvents({ db }: MoneyDeps, reference: ReferenceRow): Promise<Verdict> {
  if ((await findAgent(db, reference.agent_id))?.sandbox === true) return ofSandbox
  return checkEvents(reference, await eventsAbout(db, reference))
}
