export const reconciliationRequirements = {
  'reconcile.schedule': {
    source: 'reconciliation § Schedule',
    behavior: 'One Temporal schedule for all workers starts reconciliations that never overlap.',
  },
  'reconcile.agreement': {
    source: 'reconciliation § Comparison',
    behavior: 'Healthy traffic opens no exception, including work in progress.',
  },
  'reconcile.whole': {
    source: 'decision',
    behavior:
      'The row of a reconciliation says which page is next. It ends only once each section was compared and each suspect confirmed, in SQL as well, whatever Temporal says of it.',
  },
  'reconcile.compares': {
    source: 'reconciliation § Comparison',
    behavior:
      'Each possible difference between chain, rows, workflows, receipts, charges, the cap and the gas-wallet queues has its own code.',
  },
  'reconcile.restored': {
    source: 'decision',
    behavior:
      'A transfer whose row was lost by a restore, but whose payout is known, is reported as that payout’s and pauses nothing.',
  },
  'reconcile.exceptions': {
    source: 'reconciliation § Reconciliation exceptions',
    behavior:
      'A difference that lasts opens one exception with both sides as evidence. When it is found again, no second exception is opened.',
  },
  'reconcile.never-repairs': {
    source: 'reconciliation § Reconciliation exceptions',
    behavior:
      'A reconciliation changes no rows but its own. The exception of a difference that disappears stays open and is marked as gone.',
  },
  'reconcile.close': {
    source: 'reconciliation § Reconciliation exceptions',
    behavior:
      'Only an operator closes an exception, with a reason and a signed receipt. Accepted evidence does not open it again; other evidence does.',
  },
  'reconcile.attention': {
    source: 'reconciliation § Reconciliation exceptions',
    behavior:
      'The workflow of a payout with an open exception shows its code, and NeedsAttention while it runs. The list of stuck work also names closed workflows.',
  },
  'reconcile.read': {
    source: 'reconciliation § Reading',
    behavior:
      'GET /api/operator/reconciliation returns the statement, the last run and the open exceptions to an operator.',
  },
  'reconcile.finds-what-changed': {
    source: 'reconciliation § Comparison',
    behavior:
      'A reconciliation reads all rows that changed since the snapshot of the last one, manual changes included, and everything that is not final. This holds with 100,000 rows.',
  },
  'reconcile.pause': {
    source: 'decision',
    behavior:
      'A transfer out of the payout wallet that no payout explains pauses the payouts once, with a reason and a receipt; an operator resumes them.',
  },
} as const
