/** What people decide about: each decision is one row of `review_decisions`. */
export const subjectKinds = [
  'agent',
  'service_candidate',
  'work_order',
  'task',
  'loop_step',
  'payment_reference',
  'recovery',
  'commerce_proof',
  'pilot',
  'listing',
  'clearing',
  'workflow',
] as const
export type SubjectKind = (typeof subjectKinds)[number]

/** On the result of a run: the same input gives the same result, so a revision changes the input or a parameter of it. */
export const loopStepDecisions = ['approve', 'reject', 'revise'] as const

export const decisions = ['approve', 'reject', 'revise', 'hold'] as const
export type Decision = (typeof decisions)[number]

/** What a person has to do about an item of the inbox. */
export const inboxActions = ['decide', 'recover', 'close_difference'] as const
export type InboxAction = (typeof inboxActions)[number]
