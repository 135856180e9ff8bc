import type { RunRecord } from '../run-record.ts'
import { rootsOf } from './check-log.ts'
import type {
  CallFact,
  Facts,
  PaymentFact,
  PayoutFact,
  ReceiptFact,
  TokenEvent,
  TransferFact,
} from './facts.ts'
import { logEntryOf, nonceOf, payoutIdOf, sha256, termsDigestOf } from './identity.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`
const asset = address('a')
const payoutWallet = address('b')
const payTo = address('c')
const gasWallet = address('d')
const payer = address('e')
const feeNonce = `0x${'f'.repeat(64)}`
const now = 1_800_000_000

/**
 * Facts of three payouts as a healthy batch leaves them, made by hand: 0 was executed and paid for by x402, 1 was executed
 * from the free tier, 2 died unsent. Tests plant one fault each.
 */
export function healthyFacts(): Facts {
  const made = [0, 1, 2].map((index) => onePayout(index))
  const receipts = made.flatMap((one) => one.receipts)
  const logLeaves = receipts.map(({ jws }, idx) => ({ idx: String(idx), entry: logEntryOf(jws) }))
  const root = rootsOf(logLeaves).at(-1) ?? ''
  const events: TokenEvent[] = [
    ...feeEvents(),
    ...made.flatMap(({ payout }, index) => (index === 2 ? [] : spendEvents(payout, index))),
  ]
  return {
    where: { asset, payoutWallet, payTo },
    runs: made.map(({ run }) => run),
    chain: {
      head: { number: 100, timestamp: now + 100 },
      finalized: { number: 99, timestamp: now + 99 },
      events,
      balances: new Map(
        made.map(({ payout }, index) => [payout.recipient, index === 2 ? 0n : 1_000_000n]),
      ),
      nonces: new Map([[gasWallet, { mined: 3, pooled: 3 }]]),
    },
    store: {
      payouts: made.map(({ payout }) => payout),
      transfers: made.map(({ transfer }) => transfer),
      receipts,
      logLeaves,
      logCheckpoints: [{ size: String(logLeaves.length), root }],
      openRows: [],
      calls: made.flatMap(({ calls }) => calls),
      payments: [feePayment(made[0]?.calls[0]?.call_id ?? null)],
      ledger: made.flatMap(({ payout }) =>
        ['presentation', 'challenge_jti', 'mandate', 'kb_nonce', 'principal_digest'].map(
          (kind) => ({
            kind,
            key: `${kind} of ${payout.payout_id}`,
            subject: payout.payout_id,
          }),
        ),
      ),
      gasWallets: [{ address: gasWallet, next_nonce: '3' }],
      gasWalletQueue: [0, 1, 2].map((nonce) => ({
        tx_hash: hash(nonce),
        gas_wallet: gasWallet,
        eoa_nonce: String(nonce),
        outcome: 'mined',
      })),
    },
    workflows: made.map(({ payout }) => ({
      workflowId: payout.payout_id,
      type: 'payout',
      status: 'COMPLETED',
      startedAt: now,
      needsAttention: false,
      taskAttempts: 0,
      history: [],
    })),
  }
}

const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const placeOf = (index: number) => ({
  blockNumber: 10 + index,
  blockHash: hash(1000 + index),
  blockTime: now + index,
  transactionHash: hash(index),
})

function spendEvents(payout: PayoutFact, index: number): TokenEvent[] {
  const { payout_wallet: from, recipient: to } = payout
  return [
    { ...placeOf(index), logIndex: 4, kind: 'used', authorizer: from, nonce: nonceOf(payout) },
    {
      ...placeOf(index),
      logIndex: 5,
      kind: 'transfer',
      from,
      to,
      value: BigInt(payout.amount_atomic),
    },
  ]
}

function feeEvents(): TokenEvent[] {
  return [
    { ...placeOf(2), logIndex: 0, kind: 'used', authorizer: payer, nonce: feeNonce },
    { ...placeOf(2), logIndex: 1, kind: 'transfer', from: payer, to: payTo, value: 100_000n },
  ]
}

function feePayment(callId: string | null): PaymentFact {
  const { transactionHash: transaction_hash, blockHash: block_hash } = placeOf(2)
  const terms = { payer, authorization_nonce: feeNonce, pay_to: payTo, amount_atomic: '100000' }
  const settled = { state: 'settled', credit: 'none', transaction_hash, block_hash } as const
  return { payment_id: 'fee', ...terms, call_id: callId, ...settled }
}

function onePayout(index: number) {
  const creator = address(String(index + 1))
  const key = `create ${index}`
  const dead = index === 2
  const named = { creator, idempotency_key: key }
  const terms = {
    recipient: address(String(index + 5)),
    amount_atomic: '1000000',
    memo: 'm',
    rail_reference: 'r',
  }
  const bare: PayoutFact = {
    payout_id: payoutIdOf(named),
    ...named,
    ...terms,
    usage: 'synthetic',
    asset,
    payout_wallet: payoutWallet,
    terms_sha256: '',
    state: dead ? 'authorized' : 'executed',
    expires_at: String(now + 50),
    authorize_idempotency_key: `authorize ${index}`,
  }
  const payout = { ...bare, terms_sha256: termsDigestOf(bare) }
  const calls = callsOf(payout, index)
  const { blockNumber, blockHash, blockTime, transactionHash } = placeOf(index)
  const included = {
    status: 'final' as const,
    transaction_hash: transactionHash,
    block_number: String(blockNumber),
    block_hash: blockHash,
    block_ms: blockTime * 1000,
  }
  const unsent = {
    status: 'dead' as const,
    transaction_hash: null,
    block_number: null,
    block_hash: null,
    block_ms: null,
  }
  const transfer: TransferFact = {
    payout_id: payout.payout_id,
    nonce: nonceOf(payout),
    wallet: payoutWallet,
    recipient: payout.recipient,
    amount_atomic: payout.amount_atomic,
    valid_before: String(now + 50),
    ...(dead ? unsent : included),
    parked: null,
    exception: null,
    call_id: calls[2]?.call_id ?? '',
    reserved_ms: (now - 10) * 1000 + index,
  }
  const receipts = receiptsOf(payout, dead ? undefined : transactionHash)
  return { payout, transfer, receipts, calls, run: runOf(payout, receipts, index) }
}

function fundingOf({ gone, paid }: { gone: boolean; paid: boolean }): CallFact['funding'] {
  if (gone) return 'none'
  return paid ? 'payment' : 'free'
}

function callsOf({ payout_id, creator, idempotency_key }: PayoutFact, index: number): CallFact[] {
  const keys = { create: idempotency_key, authorize: `authorize ${index}`, execute: payout_id }
  return Object.entries(keys).map(([step, key]): CallFact => {
    const gone = step === 'execute' && index === 2
    const paid = step === 'create' && index === 0
    return {
      call_id: `${step} call ${index}`,
      caller: `wallet:${creator}`,
      operation: `payout-${step}`,
      key,
      grant_state: gone ? 'released' : 'used',
      answer_state: gone ? 'open' : 'final',
      funding: fundingOf({ gone, paid }),
      payment_id: paid ? 'fee' : null,
      subject: payout_id,
      granted_ms: (now - 20) * 1000,
    }
  })
}

function receiptsOf(payout: PayoutFact, paidIn: string | undefined): ReceiptFact[] {
  const ends = paidIn === undefined ? ['payout_dead'] : ['payout_executed', 'payout_final']
  const outcome = paidIn === undefined ? { money_moved: 'no' } : { transaction_hash: paidIn }
  const receipts: ReceiptFact[] = []
  for (const kind of ['payout_created', 'payout_authorized', ...ends]) {
    const jws = `${kind} of ${payout.payout_id}`
    const prev = receipts.length === 0 ? null : sha256(receipts.at(-1)?.jws ?? '')
    const said = ends.includes(kind) ? outcome : {}
    const { payout_id: subject } = payout
    const row = { receipt_id: `rc_${sha256(jws)}`, subject, seq: receipts.length, kind, jws, prev }
    receipts.push({
      ...row,
      issued_ms: (now + 60) * 1000,
      claims: { ...payout, kind, sub: subject, prev, ...said },
    })
  }
  return receipts
}

function runOf(payout: PayoutFact, receipts: ReceiptFact[], index: number): RunRecord {
  const body = (state: string, shown: number) => ({
    payout: { ...payout, state },
    receipts: receipts.slice(0, shown).map(({ jws }) => jws),
  })
  const answer = (status: number, body: unknown, atMs: number) => ({
    status,
    body,
    replayed: false,
    askedMs: atMs - 50,
    atMs,
  })
  const at = now * 1000
  const expired = { code: 'payout_expired', money_moved: 'no' }
  const executed = [
    answer(202, body('authorized', 2), at + 200),
    answer(200, body('executed', 3), at + 300),
  ]
  return {
    index,
    seed: 1,
    schedule: [],
    creator: payout.creator,
    payoutId: payout.payout_id,
    recipient: payout.recipient,
    amountAtomic: payout.amount_atomic,
    expects: index === 2 ? 'dead' : 'executed',
    calls: [
      {
        operation: 'payout-create',
        key: payout.idempotency_key,
        answers: [answer(201, body('created', 1), at)],
      },
      {
        operation: 'payout-authorize',
        key: `authorize ${index}`,
        answers: [answer(200, body('authorized', 2), at + 100)],
      },
      {
        operation: 'payout-execute',
        key: 'execute',
        answers: index === 2 ? [answer(410, expired, at + 60_000)] : executed,
      },
    ],
  }
}
