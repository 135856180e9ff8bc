import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { BROKEN_RUN } from '../../../../temporal/broken-runs.ts'
import { verifies } from '../../../verifies.ts'
import type { Findings } from '../run-record.ts'
import { check } from './check.ts'
import type { Facts, TokenEvent } from './facts.ts'
import { healthyFacts } from './healthy.ts'

type Plant = (facts: Facts) => void
/** What has to be said, as what, and the fault that makes it true. */
type Planted = [as: keyof Findings, what: string, plant: Plant]

const hash = `0x${'9'.repeat(64)}`
const stranger = `0x${'9'.repeat(40)}`
const answersOf = ({ runs }: Facts, step: 0 | 1 | 2) => runs[0]!.calls[step]!.answers
const refusal = (code: string, atMs = 1_800_000_000_500, more = {}) => ({
  status: 409,
  body: { code, money_moved: 'no', ...more },
  replayed: false,
  askedMs: atMs,
  atMs,
})
const later = <T extends { askedMs: number; atMs: number }>(answer: T, ms: number): T => ({
  ...answer,
  askedMs: answer.askedMs + ms,
  atMs: answer.atMs + ms,
})
const spentOf = ({ chain }: Facts): TokenEvent[] =>
  chain.events.filter(({ transactionHash }) => transactionHash === `0x${'0'.repeat(64)}`)
const without = (facts: Facts, gone: TokenEvent[]) => {
  facts.chain.events = facts.chain.events.filter((event) => !gone.includes(event))
}
const openWorkflow = (facts: Facts, needsAttention: boolean) =>
  Object.assign(facts.workflows[0]!, { status: 'RUNNING', needsAttention })
/** A run that the service ended after its task had ended like this, and the one that came so many milliseconds later. */
const givenUp = ({ workflows }: Facts, lastTask: string, laterMs: number) => {
  const history = [
    `4 workflowTask${lastTask}`,
    '5 workflowExecutionSignaled',
    `6 workflowExecutionTerminated: ${BROKEN_RUN}`,
  ]
  workflows.push({ ...workflows[0]!, startedAt: workflows[0]!.startedAt + laterMs })
  Object.assign(workflows[0]!, { status: 'TERMINATED', history })
}
const underWay = (facts: Facts, more: Partial<Facts['store']['transfers'][number]> = {}) =>
  Object.assign(facts.store.transfers[0]!, { status: 'submitted', ...more })

const money: Planted[] = [
  [
    'duplicates',
    'money left the payout wallet and no payout explains it',
    (facts) =>
      facts.chain.events.push(
        ...spentOf(facts).map((event) => ({
          ...event,
          blockHash: hash,
          ...('nonce' in event && { nonce: hash }),
        })),
      ),
  ],
  [
    'duplicates',
    'money left the payout wallet and no payout explains it',
    ({ chain, where }) =>
      chain.events.push({
        ...chain.events[0]!,
        logIndex: 9,
        kind: 'transfer',
        from: where.payoutWallet,
        to: stranger,
        value: 1n,
      }),
  ],
  [
    'duplicates',
    'one nonce was used more than once',
    (facts) =>
      facts.chain.events.push(...spentOf(facts).map((event) => ({ ...event, blockHash: hash }))),
  ],
  [
    'duplicates',
    'a recipient holds more than it was due',
    ({ chain, runs }) => chain.balances.set(runs[1]!.recipient, 2_000_000n),
  ],
]

const states: Planted[] = [
  [
    'disagreements',
    'a payout has another id than its creator and key give',
    ({ store }) => {
      store.payouts[0]!.idempotency_key = 'other'
    },
  ],
  [
    'disagreements',
    'the stored terms digest is not of the stored terms',
    ({ store }) => {
      store.payouts[0]!.memo = 'other'
    },
  ],
  [
    'disagreements',
    'a transfer has other terms than its payout',
    ({ store }) => {
      store.transfers[0]!.nonce = hash
    },
  ],
  [
    'disagreements',
    'a transfer was reserved without authority',
    ({ store }) => {
      store.payouts[0]!.state = 'created'
    },
  ],
  ['disagreements', 'a payout is executed and its transfer is not', (facts) => underWay(facts)],
  [
    'disagreements',
    'a transfer is included and its payout not executed',
    ({ store }) => {
      store.payouts[0]!.state = 'authorized'
    },
  ],
  [
    'disagreements',
    'a payout is executed and the chain never paid it',
    (facts) => without(facts, spentOf(facts)),
  ],
  [
    'disagreements',
    'the stored block is not the real one',
    ({ store }) => {
      store.transfers[0]!.transaction_hash = hash
    },
  ],
  [
    'disagreements',
    'the chain paid a payout and the row does not say so',
    ({ store }) => {
      store.transfers[0]!.status = 'dead'
    },
  ],
  [
    'disagreements',
    'the nonce was spent on something else and no operator was called',
    (facts) =>
      without(
        facts,
        spentOf(facts).filter(({ kind }) => kind === 'transfer'),
      ),
  ],
  [
    'disagreements',
    'a transfer is dead without proof',
    ({ chain }) => {
      chain.finalized.timestamp = 1_800_000_000
    },
  ],
  [
    'disagreements',
    'an authorization was canceled and its transfer is not dead',
    (facts) => {
      const [used] = spentOf(facts)
      without(facts, spentOf(facts))
      facts.chain.events.push({ ...used!, kind: 'canceled' } as TokenEvent)
    },
  ],
]

const receipts: Planted[] = [
  [
    'disagreements',
    'a receipt does not verify',
    ({ store }) => {
      store.receipts[0]!.claims = null
    },
  ],
  ['disagreements', 'a receipt is missing', ({ store }) => store.receipts.splice(1, 1)],
  [
    'disagreements',
    'the chain of receipts is broken',
    ({ store }) => {
      store.receipts[1]!.prev = null
    },
  ],
  [
    'disagreements',
    'a receipt has a wrong id',
    ({ store }) => {
      store.receipts[1]!.receipt_id = 'rc_'
    },
  ],
  [
    'disagreements',
    'a receipt is filed as another',
    ({ store }) => {
      store.receipts[1]!.claims!['sub'] = 'other'
    },
  ],
  [
    'disagreements',
    'the receipts are payout_created,payout_authorized',
    ({ store }) => store.receipts.splice(-1),
  ],
  [
    'disagreements',
    'payout_created has another recipient',
    ({ store }) => {
      store.receipts[0]!.claims!['recipient'] = stranger
    },
  ],
  [
    'disagreements',
    'a receipt names a transaction that did not pay',
    ({ store }) => {
      store.receipts[3]!.claims!['transaction_hash'] = hash
    },
  ],
  [
    'disagreements',
    'a receipt says that no money moved',
    ({ store }) => {
      store.receipts.at(-1)!.claims!['money_moved'] = 'yes'
    },
  ],
]

const log: Planted[] = [
  ['lost', 'a receipt is not in the log', ({ store }) => store.logLeaves.pop()],
  [
    'disagreements',
    'a leaf of the log is no receipt',
    ({ store }) => {
      store.logLeaves[3]!.entry = '0'.repeat(64)
    },
  ],
  [
    'duplicates',
    'a receipt is in the log twice',
    ({ store }) => store.logLeaves.push({ ...store.logLeaves[0]!, idx: '99' }),
  ],
  [
    'disagreements',
    'a leaf of the log is missing',
    ({ store }) => {
      store.logLeaves.at(-1)!.idx = '99'
    },
  ],
  [
    'disagreements',
    'a checkpoint has another root than its leaves',
    ({ store }) => {
      store.logCheckpoints[0]!.root = '0'.repeat(64)
    },
  ],
  [
    'disagreements',
    'the last checkpoint has not all leaves',
    ({ store }) => store.logCheckpoints.pop(),
  ],
]

const limits: Planted[] = [
  [
    'disagreements',
    'the daily cap was exceeded',
    ({ store }) => {
      for (const transfer of store.transfers.slice(0, 2)) transfer.amount_atomic = '60000000'
    },
  ],
  [
    'disagreements',
    'the daily cap was exceeded',
    ({ store }) => {
      // The dead one counted until its burial.
      for (const transfer of store.transfers.slice(1)) transfer.amount_atomic = '60000000'
    },
  ],
  [
    'disagreements',
    'a wallet had more free calls than there are',
    ({ store }) => {
      const [call] = store.calls.slice(-1)
      const more = (index: number) => ({
        ...call!,
        grant_state: 'used' as const,
        funding: 'free' as const,
        key: `${index}`,
      })
      store.calls.push(...Array.from({ length: 9 }, (_, index) => more(index)))
    },
  ],
  [
    'disagreements',
    'a payout was authorized without using up its replay keys once',
    ({ store }) => store.ledger.splice(0, 1),
  ],
  [
    'disagreements',
    'replay keys are used up for a payout that was never authorized',
    ({ store }) => {
      store.payouts[2]!.state = 'created'
    },
  ],
]

const charges: Planted[] = [
  ['disagreements', 'create has not 1 charged call', ({ store }) => store.calls.splice(0, 1)],
  [
    'disagreements',
    'authorize has not 1 charged call',
    ({ store }) => {
      store.calls[1]!.funding = 'none'
    },
  ],
  [
    'disagreements',
    'create has not 1 charged call',
    ({ store }) => store.calls.push({ ...store.calls[0]! }),
  ],
  [
    'disagreements',
    'execute has not 1 charged call',
    ({ store }) => {
      store.transfers[0]!.call_id = 'other'
    },
  ],
  [
    'stuck',
    'a call is granted and no process works on it',
    ({ store }) => {
      store.calls[0]!.grant_state = 'open'
    },
  ],
  [
    'disagreements',
    'a call is charged and has no effect',
    ({ store }) => store.calls.push({ ...store.calls[0]!, subject: 'po_none' }),
  ],
  [
    'disagreements',
    'a call is charged and has no effect',
    ({ store }) => store.calls.push({ ...store.calls[2]!, call_id: 'second execute' }),
  ],
  [
    'disagreements',
    'an effect is done and its answer was not stored',
    ({ store }) => {
      store.calls[0]!.answer_state = 'open'
    },
  ],
]

const payments: Planted[] = [
  [
    'disagreements',
    'a fee was taken that no payment explains',
    ({ store }) => store.payments.splice(0, 1),
  ],
  [
    'disagreements',
    'a settled payment is not on chain as stored',
    (facts) => {
      facts.store.payments[0]!.block_hash = hash
    },
  ],
  [
    'disagreements',
    'a settled payment is not on chain as stored',
    ({ chain }) => chain.events.splice(0, 2),
  ],
  [
    'disagreements',
    'a fee was taken for a payment that is released',
    ({ store }) => {
      store.payments[0]!.state = 'released'
    },
  ],
  [
    'stuck',
    'a payment stays pending',
    ({ store }) => {
      store.payments[0]!.state = 'pending'
    },
  ],
  [
    'disagreements',
    'a fee was taken without effect or credit',
    ({ store }) => {
      store.calls[0]!.payment_id = null
    },
  ],
  [
    'disagreements',
    'a payment is not under the one call it paid for',
    ({ store }) => {
      store.calls[4]!.payment_id = 'fee'
    },
  ],
  [
    'disagreements',
    'a payment is not under the one call it paid for',
    ({ store }) => {
      store.payments[0]!.credit = 'available'
    },
  ],
  [
    'disagreements',
    'one call was charged twice',
    ({ store }) => store.payments.push({ ...store.payments[0]! }),
  ],
]

/** A task that has been queued for so long, whose workflow runs or does not. */
const queuedTask = ({ store, workflows }: Facts, age_ms: number, status: string) => {
  store.openRows.push({ subject: 'task', id: 'task-1', state: 'queued', age_ms })
  workflows.push({ ...workflows[0]!, workflowId: 'task-1', type: 'task', status })
}

const late: Planted[] = [
  [
    'stuck',
    'a task stays queued while its workflow runs',
    (facts) => queuedTask(facts, 21_000, 'RUNNING'),
  ],
  [
    'stuck',
    'a task stays queued and no workflow runs',
    (facts) => queuedTask(facts, 21_000, 'COMPLETED'),
  ],
]

const workflows: Planted[] = [
  [
    'stuck',
    'a workflow is FAILED',
    (facts) => Object.assign(facts.workflows[0]!, { status: 'FAILED' }),
  ],
  [
    'stuck',
    'a workflow is TERMINATED',
    (facts) => Object.assign(facts.workflows[0]!, { status: 'TERMINATED' }),
  ],
  ['stuck', 'a workflow is TERMINATED', (facts) => givenUp(facts, 'Completed', 1)],
  ['stuck', 'a workflow is TERMINATED', (facts) => givenUp(facts, 'TimedOut', -1)],
  [
    'stuck',
    'a workflow task keeps failing',
    (facts) => Object.assign(facts.workflows[0]!, { taskAttempts: 9 }),
  ],
  [
    'stuck',
    'a payout workflow has no payout',
    ({ workflows }) =>
      workflows.push({ ...workflows[0]!, workflowId: 'po_none', status: 'RUNNING' }),
  ],
  ['stuck', 'a payout is over and its workflow open', (facts) => openWorkflow(facts, false)],
  ['stuck', 'a transfer is in flight and no workflow drives it', (facts) => underWay(facts)],
  [
    'stuck',
    'a transfer stays submitted',
    (facts) => {
      openWorkflow(facts, false)
      underWay(facts)
    },
  ],
  [
    'stuck',
    'a transfer waits for an operator who was not notified',
    (facts) => {
      openWorkflow(facts, false)
      underWay(facts, { parked: 'no gas' })
    },
  ],
]

const gasWalletQueue: Planted[] = [
  [
    'stuck',
    'a gas wallet has open transactions',
    ({ store }) => {
      store.gasWalletQueue[1]!.outcome = null
    },
  ],
  [
    'stuck',
    'a gas wallet has transactions in the pool',
    ({ chain, store }) => chain.nonces.set(store.gasWallets[0]!.address, { mined: 3, pooled: 4 }),
  ],
  [
    'stuck',
    'nonces were given out that the chain never saw',
    ({ store }) => {
      store.gasWallets[0]!.next_nonce = '5'
    },
  ],
  [
    'disagreements',
    'the chain used nonces that were never given out',
    ({ store }) => {
      store.gasWallets[0]!.next_nonce = '2'
    },
  ],
  [
    'disagreements',
    'a transaction was sent and never stored',
    ({ store }) => store.gasWalletQueue.splice(1, 1),
  ],
  [
    'disagreements',
    'one nonce was mined twice',
    ({ store }) => {
      store.gasWalletQueue[1]!.eoa_nonce = '0'
    },
  ],
]

const answers: Planted[] = [
  [
    'disagreements',
    'two final answers of one call differ',
    (facts) =>
      answersOf(facts, 0).push({ ...answersOf(facts, 0)[0]!, body: { payout: {}, receipts: [] } }),
  ],
  [
    'disagreements',
    'a call was refused after it had succeeded',
    (facts) => answersOf(facts, 0).push({ ...refusal('payment_required'), status: 402 }),
  ],
  [
    'disagreements',
    'a call failed in an unforeseen way',
    (facts) => answersOf(facts, 0).unshift(refusal('internal_error')),
  ],
  [
    'disagreements',
    'a call was open again after its final answer',
    (facts) => answersOf(facts, 2).push(later(answersOf(facts, 2)[0]!, 1_000)),
  ],
  [
    'disagreements',
    'a call succeeded after it had been refused for good',
    (facts) => answersOf(facts, 2).unshift(refusal('payout_expired', 0)),
  ],
  [
    'disagreements',
    'an answer has other terms than the store',
    (facts) => {
      Object.assign((answersOf(facts, 0)[0]!.body as { payout: object }).payout, {
        recipient: stranger,
      })
    },
  ],
  [
    'disagreements',
    'an answer says executed and the store does not',
    (facts) => {
      Object.assign((answersOf(facts, 0)[0]!.body as { payout: object }).payout, {
        state: 'executed',
      })
      facts.store.payouts[0]!.state = 'authorized'
    },
  ],
  [
    'disagreements',
    'an answer shows a receipt that is not stored',
    (facts) => (answersOf(facts, 0)[0]!.body as { receipts: string[] }).receipts.push('another'),
  ],
  [
    'disagreements',
    'money_moved: no was said of a payout that then moved',
    (facts) => answersOf(facts, 2).splice(1, 0, refusal('unavailable')),
  ],
]

const promises: Planted[] = [
  [
    'stuck',
    'a run had to end executed and did not',
    ({ runs, store }) => {
      store.transfers.splice(0, 1)
      runs[0]!.calls = runs[0]!.calls.slice(0, 2)
    },
  ],
  ['lost', 'an acknowledged payout-create is not there', ({ store }) => store.payouts.splice(0, 1)],
  [
    'lost',
    'an acknowledged payout-authorize is not there',
    ({ store }) => {
      store.payouts[0]!.state = 'created'
    },
  ],
  [
    'lost',
    'an acknowledged payout-execute is not there',
    ({ store }) => store.transfers.splice(0, 1),
  ],
  [
    'lost',
    'a run had to end executed and did not',
    ({ runs }) => {
      runs[2]!.expects = 'executed'
    },
  ],
  [
    'stuck',
    'a run had to end dead and did not',
    (facts) => {
      facts.store.transfers[2]!.status = 'signed'
    },
  ],
  [
    'stuck',
    'a run has not ended',
    (facts) => {
      facts.runs[0]!.expects = 'either'
      underWay(facts)
    },
  ],
  [
    'disagreements',
    'a run that had to be refused reserved a transfer',
    ({ runs }) => {
      runs[0]!.expects = 'refused'
    },
  ],
]

verifies('chaos.checker.judges', 'the facts of a healthy batch are in order', () => {
  expect(check(healthyFacts())).toEqual([])
})

verifies(
  'chaos.checker.judges',
  'a run ended after repeated failures, with a successor, is in order',
  () => {
    const facts = healthyFacts()
    givenUp(facts, 'TimedOut', 1)
    expect(check(facts)).toEqual([])
  },
)

verifies('chaos.checker.judges', 'a row that was moved on a moment ago is in order', () => {
  const facts = healthyFacts()
  queuedTask(facts, 2_000, 'RUNNING')
  expect(check(facts)).toEqual([])
})

verifies('chaos.checker.judges', 'concurrent requests may be answered in either order', () => {
  const facts = healthyFacts()
  const [open, executed] = answersOf(facts, 2)
  answersOf(facts, 2).push({ ...open!, atMs: executed!.atMs + 30 })
  expect(check(facts)).toEqual([])
})

for (const [as, what, plant] of [
  ...money,
  ...states,
  ...receipts,
  ...log,
  ...limits,
  ...charges,
  ...payments,
  ...workflows,
  ...late,
  ...gasWalletQueue,
  ...answers,
  ...promises,
]) {
  verifies('chaos.checker.judges', `finds: ${what}`, () => {
    const facts = healthyFacts()
    plant(facts)
    const found = check(facts).filter(
      (complaint) => complaint.as === as && complaint.what.startsWith(what),
    )
    expect(found.length).toBeGreaterThan(0)
    const [{ payoutId, run }] = found as [(typeof found)[0]]
    // The affected run is named, unless there is none: a gas wallet, a stranger, an unknown fee.
    expect(payoutId ?? run ?? null).toSatisfy(
      (owner) =>
        owner !== null || /gas wallet|nonce|left|fee was|never stored|log|leaves/.test(what),
    )
  })
}

verifies(
  'chaos.checker.independent',
  'the checker reads for itself: it imports nothing of the product',
  () => {
    const here = import.meta.dirname
    const seen = new Set(['check.ts'])
    const packages = new Set<string>()
    for (const file of seen) {
      const text = readFileSync(join(here, file), 'utf8')
      for (const [, from = ''] of text.matchAll(/(?:\bfrom|\bimport\(?)\s*'([^']+)'/g)) {
        if (from.startsWith('.')) seen.add(from.replace(/^\.\//, ''))
        else packages.add(from)
      }
    }
    expect([...seen].filter((file) => file.includes('/'))).toEqual(['../run-record.ts'])
    const own = readdirSync(here).filter((file) => !/(\.test|^healthy)\.ts$/.test(file))
    expect([...seen].filter((file) => !file.includes('/')).sort()).toEqual(own.sort())
    expect([...packages].sort()).toEqual([
      '@noble/hashes/sha3.js',
      '@noble/hashes/utils.js',
      '@temporalio/client',
      '@temporalio/common',
      'jose',
      'node:crypto',
      'node:util',
      'pg',
    ])
  },
)
