import type { OperationId } from '../../http/client-contract.ts'

/** The operations that the console calls. It has no other way to the service. */
export const paths = {
  'session-open': 'POST /api/operator/session',
  'session-read': 'GET /api/operator/session',
  'session-end': 'POST /api/operator/session/end',
  inbox: 'GET /api/operator/inbox',
  'loop-review-console': 'GET /api/loop-review-console',
  'loop-review-record': 'POST /api/loop-review-console',
  'loop-review-record-batch': 'POST /api/operator/reviews',
  'work-list': 'GET /api/operator/work',
  'work-read': 'GET /api/operator/work/{id}',
  'recovery-act': 'POST /api/operator/work',
  money: 'GET /api/operator/money',
  reconciliation: 'GET /api/operator/reconciliation',
  'close-exception': 'POST /api/operator/reconciliation',
  'agents-list': 'GET /api/operator/agents',
  pauses: 'GET /api/operator/pauses',
  'pause-set': 'POST /api/os-security-hardening',
  'keys-list': 'GET /api/operator/keys',
  'operators-list': 'GET /api/operator/credentials',
} as const satisfies Partial<Record<OperationId, string>>
