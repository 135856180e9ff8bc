import type { ReportPlan } from '../report/plan.ts'
import { payoutFiles } from './files.ts'

export const distributionopsReport: ReportPlan = {
  title: 'Distribution of a pool',
  figures: [
    { label: 'Pool', at: '/total_check/pool_minor' },
    { label: 'Allocated', at: '/total_check/allocated_minor' },
    { label: 'Left in the pool', at: '/remainder_minor' },
    { label: 'Pool = allocated + left', at: '/total_check/balances' },
    { label: 'Payments', at: '/batch/payments' },
    { label: 'Rows refused', at: '/refused' },
    { label: 'Balances carried', at: '/carried' },
    { label: 'Ready for review', at: '/batch/ready_for_review' },
    { label: 'Payout calls ready', at: '/payout_calls/ready' },
    { label: 'Bank transfers in the payment file', at: '/credit_transfer/transactions' },
    { label: 'Credits in the NACHA file', at: '/ach/entries' },
  ],
  charts: [
    {
      title: 'Allocations',
      table: 'allocations',
      label: 'recipient_id',
      value: 'amount_minor',
      form: 'bars',
    },
  ],
  tables: ['payments', 'allocations', 'carried', 'refused', 'caps_applied', 'duplicates'],
  columns: [
    'recipient_id',
    'amount_minor',
    'balance_minor',
    'basis',
    'kind',
    'limit_minor',
    'reason',
    'name',
    'iban',
    'bic',
    'transfer_refused',
    'routing_number',
    'account_number',
    'account_type',
    'ach_refused',
    'wallet',
    'payout_refused',
  ],
  files: payoutFiles,
}
