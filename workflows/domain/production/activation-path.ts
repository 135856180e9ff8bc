/** The steps from the registration of an agent to the receipt of its first run for a customer account, in their order. */
export const pathSteps = [
  'registered',
  'trusted',
  'quoted',
  'paid',
  'work_order_approved',
  'first_run_completed',
  'receipt_issued',
] as const
export type PathStep = (typeof pathSteps)[number]
/** The record that shows each step; null where there is none now. */
export type PathRecords = Readonly<Record<PathStep, string | null>>

const nextActions: Readonly<Record<PathStep, string>> = {
  registered: 'Register the agent.',
  trusted: 'Wait for the trust decision of an operator.',
  quoted: 'Ask for a quote of this rail and tier.',
  paid: 'Start a production run for the account, and pay its quote.',
  work_order_approved: 'Wait for the review of the work order.',
  first_run_completed: 'Wait until the run closes with a result.',
  receipt_issued: 'Read the run; its usage receipt is issued when the work is charged.',
}

/** The steps as the records show them now: one that lost its record is open again. */
export function pathOf(records: PathRecords) {
  const steps = pathSteps.map((step) => ({
    step,
    state: records[step] === null ? ('open' as const) : ('done' as const),
    evidence_id: records[step],
  }))
  const open = steps.find(({ state }) => state === 'open')
  const next_action = open === undefined ? 'The account is active.' : nextActions[open.step]
  return { steps, next_action }
}
