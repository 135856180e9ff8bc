/** What people decide about, one road for all (endpoints.md §22.5): each decision is one row of `review_decisions`. */
export const subjectKinds = [
  'agent',
  'service_candidate',
  'work_order',
  'task',
  'loop_step',
  'payment_reference',
  'listing',
  'pilot',
  'commerce_proof',
  'exception',
  'recovery',
  'workflow',
  'clearing',
] as const
export type SubjectKind = (typeof subjectKinds)[number]

export const decisions = ['approve', 'reject', 'revise', 'hold'] as const
export type Decision = (typeof decisions)[number]
