/** What people decide about: each decision is one row of `review_decisions`. */
export const subjectKinds = [
  'agent',
  'work_order',
  'task',
  'loop_step',
  'payment_reference',
  'recovery',
] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** On the result of a run: the same input gives the same result, so what is not right is rejected, and the input corrected. */
export const loopStepDecisions = ['approve', 'reject'] as const

export const decisions = ['approve', 'reject', 'revise', 'hold'] as const
export type Decision = (typeof decisions)[number]
