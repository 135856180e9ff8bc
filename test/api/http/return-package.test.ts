import { expect } from 'vitest'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { verifyRecord } from '#domain/verification/replay-package.ts'
import { verifyPackageView } from '#domain/verification/return-package.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { returnPackageView } from '../../../activities/runs/isolation/return-package-zip.ts'
import { returnPackagePage } from '../../../api/http/pages/return-package.ts'
import { finishedPackage, finishedTask, keySet } from '../../support/finished-task.ts'
import { verifies } from '../../verifies.ts'

const hostile = '</bdi><script>alert(1)</script> \u202egnp\u001b[31m'
const { made, signature } = await finishedPackage(tokenops)
const view = returnPackageView(made, signature, {
  settlement_receipt_id: null,
  usage_receipt_id: null,
})
const { replay_package: record } = await finishedTask(tokenops)
const at = '2026-11-24T10:00:00.000Z'
const body = {
  task: { task_id: record.task_id, state: 'closed', contract_id: 'ct_1', updated_at: at },
  ordered: ['Watch the budget', hostile],
  return_package: view,
  completion: verifyPackageView(view, keySet()),
  verification_packet: { verified: true },
  record: verifyRecord(record, keySet()),
  review_policy: 'operator_review',
  reviews: [],
  criteria: [
    { criterion: 'agrees', verdict: 'met', note: hostile },
    { criterion: hostile, verdict: 'not_judged', note: '' },
  ],
  receipts: record.receipts.map(receiptView),
}
const pageOf = (more: object = {}) =>
  returnPackagePage(
    { ...body, ...more },
    { explorerUrl: 'https://scan.example', path: '/api/agents/status/tk_1/return-package' },
  )

verifies(
  'pages.return-package',
  'the page of a package has its result, checks and receipts',
  () => {
    const page = pageOf()
    expect(page).toContain('✓ Verified: the result of tokenops')
    for (const text of ['Watch the budget', 'cost by day', '✓ completion signature', '✓ ledger'])
      expect(page).toContain(text)
    for (const { receipt_id } of body.receipts)
      expect(page).toContain(`href="/api/verify-receipt?receipt_id=${receipt_id}"`)
    expect(page).toContain('href="/api/agents/status/tk_1/return-package?as=json"')
  },
)

verifies(['pages.return-package', 'console.forgery'], 'hostile text is text on it', () => {
  const rows = [{ [hostile]: hostile, citations: [{ pointer: hostile }] }]
  const note = { code: hostile, detail: hostile, citations: [{ pointer: hostile, quote: hostile }] }
  const result = { [hostile]: { [hostile]: rows }, list: [hostile], deep: [[{ a: hostile }]] }
  const page = pageOf({ return_package: { ...view, result, gaps: [note], findings: [note] } })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  expect(page).not.toMatch(/[\u202a-\u202e\u001b]|<script|<\/bdi><\/bdi>/)
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
})

verifies('pages.return-package', 'a changed package or record is not verified, and why', () => {
  const changed = { ...view, result: { total_cost_minor: '1' } }
  const page = pageOf({ return_package: changed, completion: verifyPackageView(changed, keySet()) })
  expect(page).toContain('✗ Not verified: the result of tokenops')
  expect(page).toContain('it was changed')
  const [first, ...ledger] = record.ledger
  const other = { ...record, ledger: [{ ...first!, actor: 'someone' }, ...ledger] }
  expect(pageOf({ record: verifyRecord(other, keySet()) })).toContain('✗ Not verified')
  const revoked = verifyRecord(record, keySet({ revoked_at: at }))
  expect(pageOf({ record: revoked })).toContain('? Indeterminate')
})

verifies(
  'pages.return-package',
  'a large result shows its first rows and how many there are',
  () => {
    const row = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`column_${n}`, 'x']))
    const rows = Array.from({ length: 50_000 }, () => row)
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`list_${n}`, rows]))
    const page = pageOf({ return_package: { ...view, result: { ...many, text: 'y'.repeat(1e6) } } })
    expect(page).toContain('The first 20 of 50,000 rows')
    expect(page).toContain('The first 8 of 30 columns')
    expect(page.length).toBeLessThan(500_000)
  },
)

verifies('pages.return-package', 'a payment on chain leads to its transaction', () => {
  const transaction_hash = `0x${'a'.repeat(64)}`
  const [receipt] = body.receipts
  const paid = { ...receipt, payload: { evidence: { transaction_hash } } }
  expect(pageOf({ receipts: [paid] })).toContain(
    `href="https://scan.example/tx/${transaction_hash}"`,
  )
})
