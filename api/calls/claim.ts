import { refuse } from '#domain/core/errors.ts'
import { type CallRow, findCall, takeCallLease } from '../../activities/store/calls/calls.ts'
import {
  type Funding,
  type GrantedToLead,
  grantCall,
  readStanding,
  type Standing,
} from '../../activities/store/calls/grants.ts'
import { claimPayment } from '../../activities/store/payments/payments.ts'
import { type Tx, transaction } from '../../activities/store/postgres/db.ts'
import type { CallAnswer } from '../context.ts'
import { keptOf, type Reply } from '../operation.ts'
import { callerTickets } from './admit.ts'
import type { AdmittedCall, CallExecution } from './call.ts'
import { handle } from './handle.ts'
import type { CallerTicket, FreeTicket } from './limits.ts'
import { verifyPresentedPayment } from './payment.ts'

/**
 * What this attempt does with the call:
 * `lead` runs the effect of a granted call. `join` runs it together with another attempt: the effect is durable, or it is a paid read.
 * `wait` waits for the attempt that leads. `settle` settles the payment of a call whose effect is done. `replay` returns the stored
 * answer. `read` returns the answer that was worked out for a read before its grant.
 */
export type Claim =
  | { kind: 'lead'; paid: boolean }
  | { kind: 'join' }
  | { kind: 'wait' }
  | { kind: 'settle'; row: CallRow }
  | { kind: 'replay'; row: CallRow }
  | { kind: 'read'; reply: Reply<unknown>; paid: boolean }

/** Counts a call that needs no row, and returns what its answer says of its limit. */
export async function countPlain(call: AdmittedCall): Promise<CallAnswer['headers']> {
  const tickets = await callerTickets(call)
  try {
    tickets?.assertGranted()
  } finally {
    tickets?.putBack()
  }
  return { ...tickets?.headers }
}

/** Claims the call: a repeat joins or gets the stored answer; a new call is granted, or refused with 402 or 429. */
export async function claimCall(call: CallExecution): Promise<Claim> {
  const tickets = await takeTickets(call)
  try {
    const read = await workOutRead(call, tickets.rate)
    return (await claimUnpaid(call, read, tickets)) ?? (await claimPaid(call, read, tickets))
  } finally {
    tickets.rate?.putBack()
    if (!tickets.freeUsed) tickets.free?.putBack()
  }
}

/** Claims a call once more that another attempt led. */
export async function claimAgain(call: CallExecution): Promise<Claim> {
  const row = await findCall(call.deps.db, call.identity.callId)
  if (row === undefined || row.grant_state === 'released') return claimCall(call)
  return joinCall(call, row)
}

/** The tickets of one attempt; those that it does not use are put back. */
type Tickets = {
  readonly rate: CallerTicket | undefined
  readonly free: FreeTicket | undefined
  freeUsed: boolean
}

async function takeTickets(call: CallExecution): Promise<Tickets> {
  const { deps, operation, request } = call
  const rate = await callerTickets(call)
  const free = operation.price === null ? undefined : await deps.limits.freeGrant(request.address)
  return { rate, free, freeUsed: false }
}

const isRead = ({ operation }: CallExecution): boolean => operation.idempotency.kind === 'read'

type WorkedOut = PromiseSettledResult<Reply<unknown>> | undefined

/**
 * Works out the answer of a read before its grant, so that a refusal costs nothing. It runs outside any transaction: a transaction that
 * waits for a second connection can deadlock the pool.
 */
async function workOutRead(
  call: CallExecution,
  rate: CallerTicket | undefined,
): Promise<WorkedOut> {
  if (!isRead(call) || rate?.granted === false) return undefined
  const [worked] = await Promise.allSettled([handle(call)])
  return worked
}

/** By a credit or a free call; undefined where the caller has neither. */
function claimUnpaid(
  call: CallExecution,
  read: WorkedOut,
  tickets: Tickets,
): Promise<Claim | undefined> {
  return grant({ call, read, rate: tickets.rate }, async (_tx, standing) => {
    if (call.operation.price === null) return { kind: 'none' }
    assertNoDebt(call, standing)
    if (standing.credit !== undefined) return { kind: 'credit', paymentId: standing.credit }
    tickets.freeUsed = tickets.free?.granted === true && standing.freeLeft > 0
    return tickets.freeUsed ? { kind: 'free' } : undefined
  })
}

/** By the payment that the request carries. */
async function claimPaid(call: CallExecution, read: WorkedOut, tickets: Tickets): Promise<Claim> {
  const payment = await verifyPresentedPayment(call)
  if (payment === 'ours') return { kind: 'wait' }
  const claim = await grant({ call, read, rate: tickets.rate }, async (tx, standing) => {
    assertNoDebt(call, standing)
    await claimPayment(tx, payment, call.identity.callId, isRead(call) ? 'settling' : 'claimed')
    return { kind: 'payment', paymentId: payment.paymentId }
  })
  return claim ?? { kind: 'wait' }
}

type Granting = {
  readonly call: CallExecution
  readonly read: WorkedOut
  readonly rate: CallerTicket | undefined
}
type Fund = (tx: Tx, standing: Standing) => Promise<Funding | undefined>

/** Grants in one transaction under the caller's lock, so that free calls, credits and proof nonces are counted exactly. */
async function grant({ call, read, rate }: Granting, fund: Fund): Promise<Claim | undefined> {
  const { deps, identity } = call
  const granted = await deps.callerQueue(identity.caller, () =>
    transaction(deps.db, async (tx, atCommit): Promise<Claim | { joins: CallRow } | undefined> => {
      const standing = await readStanding(tx, identity)
      if (standing.call !== undefined) {
        // A repeated read is worked out and answered once more, so it counts like any other.
        if (isRead(call)) rate?.assertGranted()
        return { joins: standing.call }
      }
      rate?.assertGranted()
      const funding = await fund(tx, standing)
      if (funding === undefined) return undefined
      if (read?.status === 'rejected') throw read.reason
      const reply = read?.value
      await grantCall(tx, atCommit, identity, funding, reply === undefined ? grantTo(call) : 'read')
      const paid = funding.kind === 'payment'
      return reply === undefined ? { kind: 'lead', paid } : { kind: 'read', reply, paid }
    }),
  )
  return granted !== undefined && 'joins' in granted ? joinCall(call, granted.joins) : granted
}

/** Joins the call in this row, or takes over an attempt that stopped. */
async function joinCall(call: CallExecution, row: CallRow): Promise<Claim> {
  if (row.fingerprint !== call.identity.fingerprint)
    throw refuse('idempotency_conflict', {
      detail: 'the idempotency key was used with other terms',
    })
  if (row.answer_state === 'final') return isRead(call) ? { kind: 'join' } : { kind: 'replay', row }
  if (row.answer_state === 'done') return { kind: 'settle', row }
  if (row.grant_state === 'used') return { kind: 'join' }
  const leads = await takeCallLease(call.deps.db, row.call_id, leaseOf(call))
  return leads ? { kind: 'lead', paid: row.funding === 'payment' } : { kind: 'wait' }
}

/** A wallet that owes the fee of an earlier effect may only repeat that call or read. */
function assertNoDebt(call: CallExecution, { debt }: Standing): void {
  if (isRead(call) || debt === undefined || debt.callId === call.identity.callId) return
  const owed = { payment_id: debt.paymentId, operation: debt.operation }
  throw call.deps.offers.paymentRequired(call.operation, 'an earlier call is not paid for', {
    debt: owed,
  })
}

const grantTo = (call: CallExecution): GrantedToLead => ({
  lease: leaseOf(call),
  input: inputToKeep(call),
})

function inputToKeep({ operation, input, request }: CallExecution): unknown {
  const { keepsInput, keepsProof } = keptOf(operation)
  if (keepsInput) return input
  if (!keepsProof) return undefined
  return { ...Object(input), proof: request.headers['x-service-wallet-proof'] }
}

const leaseOf = ({ holder, deps }: CallExecution) => ({ holder, ms: deps.config.CALL_LEASE_MS })
