/** One text that stands exactly once in a file of the rail, and what stands there instead. */
export type Edit = { file: string; find: string; replace: string }
/** A way to break the rail, and the part of the harness's schedule that has the situation in which it matters. */
export type Break = { name: string; edits: readonly Edit[]; harness: readonly string[] }
/** A way to break a rule that no schedule of faults touches, and the files of tests that have to fail. */
export type TestedBreak = { name: string; edits: readonly Edit[]; tests: readonly string[] }

const oneBatch = ['--runs', '48']

/** The breaks that the harness has to catch. */
export const breaks: readonly Break[] = [
  {
    name: 'sign at a new token nonce on retry',
    // The third batch has a key where transfers are sent.
    harness: ['--runs', '144', '--stack', '2'],
    edits: [
      {
        file: 'activities/payouts/signing-rules.ts',
        find: '    transfer.nonce === transferNonce(policy.asset, payout_id) &&\n',
        replace: '    transferNonce(policy.asset, payout_id) !== undefined &&\n',
      },
      {
        file: 'activities/signer/open.ts',
        find: 'async function openRemotePayoutSigner({\n',
        replace: `export let again: Signer['sign'] | undefined
async function openRemotePayoutSigner(settings: Settings): Promise<Signer> {
  const signer = await openVerifiedSigner(settings)
  again = signer.sign
  return signer
}
async function openVerifiedSigner({
`,
      },
      {
        file: 'activities/payouts/transfer.ts',
        find: "import type { Deps, Signer } from './deps.ts'\n",
        replace:
          "import { again } from '../signer/open.ts'\nimport type { Deps, Signer } from './deps.ts'\n",
      },
      {
        file: 'activities/payouts/transfer.ts',
        find: '  const authorization = authorizationOf(transfer)\n  const signature = ',
        replace: '  let authorization = authorizationOf(transfer)\n  let signature = ',
      },
      {
        file: 'activities/payouts/transfer.ts',
        find: '  const check = await deps.preflight(authorization, signature)\n',
        replace: `  if (transfer.status === 'submitted' && again !== undefined) {
    const nonce = '0x' + crypto.randomUUID().replaceAll('-', '').repeat(2)
    const { payout } = await requirePayout(deps.db, payoutId)
    const signing = await again({ payout, transfer: { ...transfer, nonce }, inUse: 0n })
    if ('signature' in signing) {
      authorization = { ...authorization, nonce: nonce as never }
      signature = signing.signature as never
    }
  }
  const check = await deps.preflight(authorization, signature)
`,
      },
      {
        file: 'activities/payouts/transfer.ts',
        find: 'deps.gasWalletQueue.submit(`payout:',
        replace: 'deps.gasWalletQueue.submit(authorization.nonce + `payout:',
      },
    ],
  },
  {
    name: 'broadcast before storing',
    // Only a fault between its two statements shows it, and one batch of all activities has too few of those.
    harness: [...oneBatch, '--activity', 'submitTransfer'],
    edits: [
      {
        file: 'activities/chain/gas-wallet-queue.ts',
        find: '    atCommit(storeGasWalletTransaction(tx, row))\n',
        replace:
          '    await sendStored(settings, row)\n    atCommit(storeGasWalletTransaction(tx, row))\n',
      },
    ],
  },
  {
    name: 'release the cap on timeout',
    // The fourth batch asks for more than the cap.
    harness: ['--runs', '192', '--stack', '3'],
    edits: [
      {
        file: 'activities/store/payouts/transfers.ts',
        find: "and status in ('reserved','signed','submitted')), 0)`",
        replace:
          "and status in ('reserved','signed','submitted') and reserved_at > clock_timestamp() - interval '2 seconds'), 0)`",
      },
    ],
  },
  {
    name: "take the transaction's success for the transfer",
    harness: oneBatch,
    edits: [
      {
        file: 'activities/chain/outcome.ts',
        find: '  if (!holdsTransfer(receipt, terms))\n',
        replace: "  if (receipt.status !== 'success' && !holdsTransfer(receipt, terms))\n",
      },
    ],
  },
  {
    name: 'late rows that are never woken',
    harness: ['--storm'],
    edits: [
      {
        file: 'temporal/late-rows.ts',
        find: '    if (inARow === FAILURES_MAX) {\n',
        replace: '    if (inARow <= FAILURES_MAX) {\n',
      },
    ],
  },
  {
    name: 'write the replay keys outside the transaction',
    harness: [...oneBatch, '--activity', 'authorizePayout'],
    edits: [
      {
        file: 'activities/payouts/payout.ts',
        find: '  atCommit(consumeKeys(bound.keys, payout.payout_id))\n',
        replace: '  await consumeKeys(bound.keys, payout.payout_id).run(deps.db)\n',
      },
    ],
  },
]

/** The breaks that tests have to catch. */
export const testedBreaks: readonly TestedBreak[] = [
  {
    name: 'verifier without the standing check',
    tests: [
      'test/activities/keys/key-status.test.ts',
      'test/api/services/receipts/verification.test.ts',
    ],
    edits: [
      {
        file: 'workflows/domain/receipts/key-standing.ts',
        find: "  if (revokedAt !== null) return 'revoked'\n  if (!isActivatedBy(times, issuedAt)) return 'published'\n  return retiredAt !== null && issuedAt > retiredAt ? 'retired' : 'active'\n",
        replace:
          "  return (retiredAt ?? revokedAt ?? issuedAt) === undefined ? 'revoked' : 'active'\n",
      },
    ],
  },
  {
    name: 'signer without the principal check',
    tests: ['test/activities/signing.test.ts', 'test/activities/payouts/signing-rules.test.ts'],
    edits: [
      {
        file: 'activities/payouts/signing-rules.ts',
        find: '    authorityFault(order.payout, policy, now)\n',
        replace: '    (now < 0 ? authorityFault(order.payout, policy, now) : undefined)\n',
      },
    ],
  },
  {
    name: 'step without the operation check',
    tests: ['test/activities/signing.test.ts'],
    edits: [
      {
        file: 'activities/store/calls/calls.ts',
        find: '  if (call.operation === operation) return call\n',
        replace:
          '  if (call.operation !== operation || call.operation === operation) return call\n',
      },
    ],
  },
]
