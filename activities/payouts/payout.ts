import { isDeepStrictEqual } from 'node:util'
import { DomainError, refuse } from '#domain/core/errors.ts'
import { transferNonce } from '#domain/core/ids.ts'
import { type CreateInput, payoutTerms, termsDigest } from '#domain/payouts/payout.ts'
import type { PayoutReceiptKind, ReceiptClaims } from '#domain/receipts/receipt.ts'
import type { PayoutSteps, StepInput, StepResult } from '../../workflows/payouts/activities.ts'
import { assertPayoutAllowed, insistPayoutAllowed } from '../accounts/controls.ts'
import type { KeyStatus } from '../keys/key-status.ts'
import { callingWallet, readControls } from '../store/accounts/controls.ts'
import {
  answerCall,
  assertStepGrant,
  type CallRow,
  keepRefusal,
  type LockedCall,
  lockCall,
  useGrant,
} from '../store/calls/calls.ts'
import { consumeKeys } from '../store/calls/replay-ledger.ts'
import { hasUnsettledCharge } from '../store/payments/payments.ts'
import { readPayoutConstraints } from '../store/payouts/constraints.ts'
import { lockMandatesOf } from '../store/payouts/mandates.ts'
import {
  authorizedPayout,
  createdPayout,
  insertPayout,
  lockPayoutRecord,
  type PayoutRecord,
  type PayoutRow,
  payoutAnswer,
  readPayout,
  updateAuthorized,
} from '../store/payouts/payouts.ts'
import { insertTransfer, lockDailyCap, reservedTransfer } from '../store/payouts/transfers.ts'
import { type AtCommit, type Tx, transaction } from '../store/postgres/db.ts'
import { nextReceipt, type Sign } from '../store/receipts/receipts.ts'
import { openExceptionCode } from '../store/tasks/exceptions.ts'
import {
  type AuthorizeInput,
  readAuthorityKeyStatus,
  verifyAuthorization,
} from './authorization.ts'
import { assertCanaryConfirmed, dueCanary } from './canary.ts'
import type { Deps, Signer } from './deps.ts'
import { payoutReceipt, snapshotOf } from './records.ts'
import {
  assertProven,
  deadTransfer,
  type ExecuteInput,
  type ExecuteProof,
  executableIn,
  isProvenByKey,
  openFor,
  ownPayout,
  readExecuteProof,
  unsettledCharge,
} from './rules.ts'
import { signedTransfer } from './transfer.ts'

/**
 * The short durable steps of a payout. Each is one transaction and may run twice. With a `signer` the transfer is reserved with its
 * signature; otherwise the signing queue adds the signature.
 */
export function createPayoutSteps(deps: Deps, signer?: Signer): PayoutSteps {
  return {
    loadPayout: async (payoutId) => {
      const record = (await readPayout(deps.db, payoutId)) ?? (await dueCanary(deps, payoutId))
      if (record === undefined) return null
      return { ...snapshotOf(deps, record), difference: await openExceptionCode(deps.db, payoutId) }
    },
    createPayout: (input) => step(input, () => createPayout(deps, input)),
    authorizePayout: (input) => step(input, () => authorizePayout(deps, input)),
    reserveTransfer: (input) => step(input, () => reserveTransfer(deps, input, signer)),
  }

  /** A refusal is kept with its call, where its caller reads it. */
  async function step(
    { callId }: StepInput,
    run: () => Promise<PayoutRecord>,
  ): Promise<StepResult> {
    try {
      return { ok: true, snapshot: snapshotOf(deps, await run()) }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      await keepRefusal(deps.db, callId, error.refusal)
      return { ok: false }
    }
  }
}

function createPayout(deps: Deps, { payoutId, callId }: StepInput): Promise<PayoutRecord> {
  return transaction(deps.db, async (tx, atCommit) => {
    const [locked, known, sign, held] = await Promise.all([
      lockCall(tx, callId),
      readPayout(tx, payoutId),
      deps.signReceipt(tx),
      readControls(tx, { wallet: callingWallet(callId) }),
    ])
    const call = assertStepGrant(locked, payoutId, 'payout-create')
    if (call.grant_state === 'used') return present(known)
    const payout = newPayout(deps, payoutId, call)
    if (known !== undefined && known.payout.terms_sha256 !== payout.terms_sha256) {
      throw refuse('idempotency_conflict', {
        detail: 'a payout with this idempotency key has other terms',
        next_action: 'Use a new idempotency key for other terms.',
      })
    }
    if (known === undefined) assertPayoutAllowed(held, payout)
    const record =
      known ??
      (await withReceipt(
        { deps, atCommit, sign },
        { payout, transfer: undefined, receipts: [] },
        'payout_created',
        call.locked_at,
      ))
    if (known === undefined) atCommit(insertPayout(payout))
    // The answer follows from the row whenever it is asked for, so a payout that is never used takes little room.
    atCommit(answerCall(callId, payoutId, 201, { payout_id: payoutId }))
    return record
  })
}

/** The row that a create call requests. */
function newPayout({ rail }: Deps, payoutId: string, call: LockedCall): PayoutRow {
  const input = inputOf<CreateInput>(call)
  const terms = { ...payoutTerms(input), asset: rail.asset }
  const created = {
    payout_id: payoutId,
    creator: walletOf(call),
    idempotency_key: input.idempotency_key,
    payout_wallet: rail.payoutWallet,
    terms_sha256: termsDigest(terms),
  }
  return createdPayout({ ...terms, ...created }, new Date(call.locked_at * 1000))
}

function authorizePayout(deps: Deps, { payoutId, callId }: StepInput): Promise<PayoutRecord> {
  return transaction(deps.db, async (tx, atCommit) => {
    const [locked, found, unsettled, sign, keyStatus, held] = await Promise.all([
      lockPayoutRecord(tx, payoutId),
      lockCall(tx, callId),
      hasUnsettledCharge(tx, payoutId),
      deps.signReceipt(tx),
      readAuthorityKeyStatus(deps.authority, tx),
      readControls(tx, { wallet: callingWallet(callId) }),
    ])
    const call = assertStepGrant(found, payoutId, 'payout-authorize')
    ownPayout(locked?.payout, walletOf(call))
    const before = present(locked)
    if (call.grant_state === 'used') return before
    assertPayoutAllowed(held, before.payout)
    const input = inputOf<AuthorizeInput>(call)
    const record = isSameAuthorization(before.payout, call, input)
      ? before
      : await authorize({ deps, tx, atCommit, sign, keyStatus }, before, call, unsettled)
    atCommit(answerCall(callId, payoutId, 200, payoutAnswer(record, deps.rail.environment)))
    return record
  })
}

type Effect = {
  readonly deps: Deps
  readonly tx: Tx
  readonly atCommit: AtCommit
  readonly sign: Sign<ReceiptClaims>
  readonly keyStatus: KeyStatus
}

/** `created → authorized` with its receipt and replay keys, once the presented proofs are verified. */
async function authorize(
  { deps, tx, atCommit, sign, keyStatus }: Effect,
  before: PayoutRecord,
  call: LockedCall,
  unsettled: boolean,
): Promise<PayoutRecord> {
  const input = inputOf<AuthorizeInput>(call)
  const now = call.locked_at
  const payout = openFor('authorize', before.payout)
  const bound = await verifyAuthorization(
    { authority: deps.authority, keyStatus, lifeSecondsMin: deps.rail.executeLifeSecondsMin },
    tx,
    payout,
    input,
    Math.floor(now),
  )
  if (unsettled) throw unsettledCharge()
  const facts = {
    expiresAt: input.expires_at,
    idempotencyKey: input.idempotency_key,
    fingerprint: call.fingerprint,
    mandateRef: bound.mandateRef,
    principalSignature: input.principal_signature.toLowerCase(),
  }
  const authorized = authorizedPayout(payout, facts, new Date(now * 1000))
  // This fails if a concurrent payout has consumed one of the keys; the retried step then finds that payout.
  atCommit(consumeKeys(bound.keys, payout.payout_id))
  atCommit(updateAuthorized(authorized))
  return withReceipt(
    { deps, atCommit, sign },
    { ...before, payout: authorized },
    'payout_authorized',
    now,
  )
}

async function reserveTransfer(
  deps: Deps,
  step: StepInput,
  signer: Signer | undefined,
): Promise<PayoutRecord> {
  try {
    return await reserve(deps, step, signer)
  } catch (error) {
    if (!(error instanceof AsksWallet)) throw error
    // A contract wallet is verified on the chain, outside the locks of a reservation.
    await assertProven(error.proof, deps.authority.verifyWalletMessage)
    return reserve(deps, step, signer, error.proof)
  }
}

/** Thrown for a proof that no key made. */
class AsksWallet extends Error {
  readonly proof: ExecuteProof
  constructor(proof: ExecuteProof) {
    super('the creator may be a contract wallet')
    this.proof = proof
  }
}

async function reserve(
  deps: Deps,
  { payoutId, callId }: StepInput,
  signer: Signer | undefined,
  accepted?: ExecuteProof,
): Promise<PayoutRecord> {
  const held = await deps.minimumBalance.read()
  return transaction(deps.db, async (tx, atCommit) => {
    const [record, locked, , , constraints, account] = await Promise.all([
      lockPayoutRecord(tx, payoutId),
      lockCall(tx, callId),
      lockDailyCap(tx, { payoutId }),
      lockMandatesOf(tx, payoutId),
      readPayoutConstraints(tx, payoutId),
      readControls(tx, { wallet: callingWallet(callId) }, { kind: 'payout', subject: payoutId }),
    ])
    const call = assertStepGrant(locked, payoutId, 'payout-execute')
    const payout = ownPayout(record?.payout, walletOf(call))
    const known = present(record)
    if (known.transfer?.status === 'dead') throw deadTransfer(known)
    if (known.transfer !== undefined) {
      atCommit(useGrant(callId, payoutId))
      return known
    }
    const { creator } = payout
    const proof = readExecuteProof(call.input as ExecuteInput | null, {
      payoutId,
      creator,
      origin: deps.authority.origin,
    })
    if (!isProvenByKey(proof) && !isDeepStrictEqual(proof, accepted)) throw new AsksWallet(proof)
    const { expiresAt, now } = executableIn(constraints, payout, deps.rail.executeLifeSecondsMin)
    insistPayoutAllowed(atCommit, account, payout)
    await deps.minimumBalance.assertAbove(tx, payout, held)
    await assertCanaryConfirmed(tx, deps)
    const nonce = transferNonce(payout.asset, payoutId)
    const reserved = reservedTransfer(payout, { nonce, validBefore: expiresAt, callId }, now)
    const inUse = constraints.use.atomic + BigInt(payout.amount_atomic)
    const transfer =
      signer === undefined
        ? reserved
        : await signedTransfer({ payout, transfer: reserved, inUse }, signer)
    atCommit(insertTransfer(transfer))
    atCommit(useGrant(callId, payoutId))
    return { ...known, transfer }
  })
}

/** The record with the receipt of its new state, which is written with the transaction's last statements. */
async function withReceipt(
  { deps, atCommit, sign }: Pick<Effect, 'deps' | 'atCommit' | 'sign'>,
  record: PayoutRecord,
  kind: PayoutReceiptKind,
  nowSeconds: number,
): Promise<PayoutRecord> {
  const asked = payoutReceipt(deps, kind, record.payout, record.transfer)
  const { row, insert } = await nextReceipt(record.receipts, sign, asked, Math.floor(nowSeconds))
  atCommit(insert)
  return { ...record, receipts: [...record.receipts, row] }
}

const isSameAuthorization = (row: PayoutRow, call: CallRow, input: AuthorizeInput): boolean =>
  row.authorize_idempotency_key === input.idempotency_key &&
  row.authorize_fingerprint === call.fingerprint

const walletOf = ({ caller }: CallRow): string => caller.replace(/^wallet:/, '')

function inputOf<T>(call: CallRow): T {
  if (call.input === null) throw new Error('an open call of a workflow has no input')
  return call.input as T
}

function present(record: PayoutRecord | undefined): PayoutRecord {
  if (record === undefined) throw new Error('the payout of a recorded step has no row')
  return record
}
