import type { StateTable } from '../core/state-table.ts'

export const channels = ['email', 'agent', 'marketplace', 'referral', 'other'] as const

/** States that records lead to: messages, replies, qualified conversations, and invitations to a pilot. */
export const recordedStates = [
  'identified',
  'messaged',
  'replied',
  'qualified',
  'pilot_offered',
  'declined',
] as const
export type RecordedState = (typeof recordedStates)[number]

/** Paid next step states: computed from offers, payments and runs, and recorded by no one. */
export const paidStates = ['paid_next_step_ready', 'converted_to_paid'] as const
export const prospectStates = [...recordedStates, ...paidStates] as const
export type ProspectState = (typeof prospectStates)[number]

export const isPaid = (state: ProspectState): boolean => paidStates.some((paid) => paid === state)

export type ProspectMove = 'message' | 'replied' | 'qualified' | 'pilot_offered' | 'declined'

/** The state table of a prospect; SQL has the same moves. */
export const prospectTransitions: StateTable<RecordedState, ProspectMove> = {
  identified: { message: 'messaged', declined: 'declined' },
  messaged: { message: 'messaged', replied: 'replied', declined: 'declined' },
  replied: { message: 'replied', qualified: 'qualified', declined: 'declined' },
  qualified: { message: 'qualified', pilot_offered: 'pilot_offered', declined: 'declined' },
  pilot_offered: {
    message: 'pilot_offered',
    pilot_offered: 'pilot_offered',
    declined: 'declined',
  },
  declined: {},
}

/** The target of a sprint, as the documents have it. */
export const sprintTarget = { messages_sent: 5, qualified_conversations: 2, paid_runs: 1 } as const
export type SprintCounts = { [Goal in keyof typeof sprintTarget]: number }

/** Whether each count has reached its target. */
export const isMet = (actual: SprintCounts): boolean =>
  actual.messages_sent >= sprintTarget.messages_sent &&
  actual.qualified_conversations >= sprintTarget.qualified_conversations &&
  actual.paid_runs >= sprintTarget.paid_runs
