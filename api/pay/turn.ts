import { searchFrom } from '../../activities/chain/outcome.ts'
import { type CallRow, findCall, takeCallLease } from '../../activities/store/calls.ts'
import { type Tx, transaction } from '../../activities/store/db.ts'
import { grantFree } from '../../activities/store/free-grants.ts'
import {
  type Funding,
  type GrantedToLead,
  grantCall,
  readStanding,
  type Standing,
} from '../../activities/store/grants.ts'
import {
  claimPayment,
  findPayment,
  keepSignature,
  type PaymentClaim,
  paymentAlreadyUsed,
} from '../../activities/store/payments.ts'
import { refuse } from '../../workflows/domain/errors.ts'
import type { Reply } from '../operation.ts'
import type { CallerTicket } from '../road.ts'
import { callerTickets } from './caller-tickets.ts'
import type { Run } from './run.ts'

/**
 * What this caller does now: `lead` the granted call, `run` it beside others (its effect is durable, or it is a read that was
 * paid before), `wait` for a leader, `settle` a call whose effect is done, `replay` the stored answer, or give the answer of
 * a read that was worked out with its grant.
 */
export type Turn =
  | { kind: 'run' | 'wait' }
  | { kind: 'lead'; paid: boolean }
  | { kind: 'settle' | 'replay'; row: CallRow }
  | { kind: 'answered'; reply: Reply<unknown>; paid: boolean }

/** Works out a read's answer before it is granted; its refusal takes nothing from the caller. */
export type Read = () => Promise<Reply<unknown>>

/** Answers a repeat before it is priced; a call that has no live row is granted here, or refused with 402. */
export async function takeTurn(run: Run, read: Read): Promise<Turn> {
  const { limits } = run.deps
  const rate = await callerTickets(run)
  const free = run.operation.price === null ? undefined : await limits.freeGrant(run.request.address)
  let freeTaken = false
  try {
    if (free?.granted && rate?.granted && (await grantedAtOnce(run))) {
      freeTaken = true
      rate.assertGranted()
      return { kind: 'lead', paid: false }
    }
    const worked = await workOut(run, read, rate)
    const turn = await grant(run, worked, rate, async (_, standing) => {
      if (run.operation.price === null) return { kind: 'none' }
      assertNoDebt(run, standing)
      if (standing.credit !== undefined) return { kind: 'credit', paymentId: standing.credit }
      freeTaken = free?.granted === true && standing.freeLeft > 0
      return freeTaken ? { kind: 'free' } : undefined
    })
    return turn ?? (await grantPaid(run, worked, rate))
  } finally {
    rate?.putBack()
    if (!freeTaken) free?.putBack()
  }
}

/** Looks again for a call that somebody else was seen to lead. */
export async function takeTurnAgain(run: Run, read: Read): Promise<Turn> {
  const row = await findCall(run.deps.db, run.call.callId)
  return row === undefined || row.grant_state === 'released' ? takeTurn(run, read) : join(run, row)
}

/** Most calls are new and free: nothing has to be read for them before they are written. */
async function grantedAtOnce(run: Run): Promise<boolean> {
  const { deps, call, operation } = run
  if (operation.idempotency.kind === 'read') return false
  return deps.inTurn(call.caller, () => grantFree(deps.db, call, granted(run)))
}

type Fund = (tx: Tx, standing: Standing) => Promise<Funding | undefined>

type Worked = PromiseSettledResult<Reply<unknown>> | undefined

/** Before any transaction: who holds a connection while asking for another waits for ever once all do. */
async function workOut({ operation }: Run, read: Read, rate: CallerTicket | undefined): Promise<Worked> {
  if (operation.idempotency.kind !== 'read' || rate?.granted === false) return undefined
  const [worked] = await Promise.allSettled([read()])
  return worked
}

/** Grants in one transaction under the caller's lock, so that slots, credits and proof nonces are counted exactly. */
async function grant(run: Run, worked: Worked, rate: CallerTicket | undefined, fund: Fund): Promise<Turn | undefined> {
  const { deps, call } = run
  const decided = await deps.inTurn(call.caller, () =>
    transaction(deps.db, async (tx, last): Promise<Turn | { joins: CallRow } | undefined> => {
      const standing = await readStanding(tx, call)
      if (standing.call !== undefined) {
        // A repeated read is worked out and answered once more, so it counts like any other.
        if (run.operation.idempotency.kind === 'read') rate?.assertGranted()
        return { joins: standing.call }
      }
      rate?.assertGranted()
      const funding = await fund(tx, standing)
      if (funding === undefined) return undefined
      const paid = funding.kind === 'payment'
      if (worked?.status === 'rejected') throw worked.reason
      const reply = worked?.value
      await grantCall(tx, last, call, funding, reply === undefined ? granted(run) : 'read')
      return reply === undefined ? { kind: 'lead', paid } : { kind: 'answered', reply, paid }
    }),
  )
  return decided !== undefined && 'joins' in decided ? join(run, decided.joins) : decided
}

const granted = (run: Run): GrantedToLead => ({
  lease: lease(run),
  input: inputToKeep(run),
})

function inputToKeep({ operation, input, request }: Run): unknown {
  if (operation.keepsInput) return input
  return operation.keepsProof ? { ...Object(input), proof: request.headers['x-service-wallet-proof'] } : undefined
}

async function join(run: Run, row: CallRow): Promise<Turn> {
  if (row.fingerprint !== run.call.fingerprint) {
    throw refuse(
      'idempotency_conflict',
      'the idempotency key was used with other terms',
      'Use a new idempotency key for other terms.',
    )
  }
  if (row.answer_state === 'final')
    return run.operation.idempotency.kind === 'read' ? { kind: 'run' } : { kind: 'replay', row }
  if (row.answer_state === 'done') return { kind: 'settle', row }
  if (row.grant_state === 'used') return { kind: 'run' }
  const leads = await takeCallLease(run.deps.db, row.call_id, lease(run))
  return leads ? { kind: 'lead', paid: row.funding === 'payment' } : { kind: 'wait' }
}

/** The wallet owes a fee for an effect that it has: nothing but that call, and status, goes on. */
function assertNoDebt(run: Run, { debt }: Standing): void {
  if (run.operation.idempotency.kind === 'read' || debt === undefined || debt.callId === run.call.callId) return
  const owed = { payment_id: debt.paymentId, operation: debt.operation }
  throw run.deps.offers.paymentRequired(run.operation, 'an earlier call is not paid for', { debt: owed })
}

async function grantPaid(run: Run, worked: Worked, rate: CallerTicket | undefined): Promise<Turn> {
  const claim = await verifiedPayment(run)
  if (claim === 'ours') return { kind: 'wait' }
  const turn = await grant(run, worked, rate, async (tx, standing) => {
    assertNoDebt(run, standing)
    await claimPayment(tx, claim, run.call.callId, run.operation.idempotency.kind === 'read' ? 'settling' : 'claimed')
    return { kind: 'payment', paymentId: claim.paymentId }
  })
  return turn ?? { kind: 'wait' }
}

/** The payment of this request, parsed strictly and verified; `ours` when it is bound to this very call already. */
export async function verifiedPayment(
  run: Run,
  more: { debt?: Record<string, string> } = {},
): Promise<PaymentClaim | 'ours'> {
  const { offers, db, clock, chainHead } = run.deps
  const payment = offers.readPayment(run.request.headers, run.operation)
  if (payment === undefined) throw offers.paymentRequired(run.operation, 'payment is required', more)
  const known = await findPayment(db, payment.paymentId)
  // A payment that is claimed is never verified again: verification of a settled one fails although it paid.
  if (known !== undefined && known.state !== 'released') {
    if (known.call_id === run.call.callId) return 'ours'
    throw paymentAlreadyUsed()
  }
  await offers.verify(payment, await clock.nowSeconds(), run.operation)
  const fromBlock = searchFrom(await chainHead())
  const { paymentId, payer, nonce, payTo, value, validAfter, validBefore, signature, accepted } = payment
  const proofWallet = run.caller.kind === 'wallet' ? run.caller.wallet : run.caller.id
  const claim = {
    paymentId,
    asset: offers.asset,
    payer,
    nonce,
    payTo,
    value,
    validAfter,
    validBefore,
    signature,
    requirements: accepted,
    proofWallet,
    fromBlock,
  }
  await keepSignature(db, claim)
  return claim
}

const lease = (run: Run) => ({ holder: run.holder, ms: run.deps.config.CALL_LEASE_MS })
