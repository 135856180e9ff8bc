import type { StateTable } from '../core/state-table.ts'
import type { RailKey, Tier } from '../rails/rail.ts'

/** Decision: the document names the last three; the others are where a pilot stands before them. */
export const pilotStates = [
  'requested',
  'invited',
  'accepted',
  'declined',
  'expired',
  'activated',
  'rejected',
  'running',
  'delivered',
  'paid_next_step_ready',
  'converted_to_paid',
  'closed',
] as const
export type PilotState = (typeof pilotStates)[number]

/** The state table of a pilot, by what happens to it. `converted_to_paid` follows from payments and is stored by no one. */
export const pilotTransitions: StateTable<
  Exclude<PilotState, 'converted_to_paid'>,
  'accept' | 'decline' | 'lapse' | 'activate' | 'reject' | 'begin' | 'deliver' | 'offer' | 'close'
> = {
  requested: { activate: 'activated', reject: 'rejected', close: 'closed' },
  invited: { accept: 'accepted', decline: 'declined', lapse: 'expired', close: 'closed' },
  accepted: { activate: 'activated', close: 'closed' },
  declined: {},
  expired: {},
  activated: { begin: 'running', close: 'closed' },
  rejected: {},
  running: { deliver: 'delivered', close: 'closed' },
  delivered: { offer: 'paid_next_step_ready', close: 'closed' },
  paid_next_step_ready: { close: 'closed' },
  closed: {},
}

export const pilotSources = ['intake', 'invitation', 'offer', 'controlled'] as const

/** Who a pilot is for. An invitation names the person to ask; the one who accepts says how to be reached. */
export type PilotClient = {
  name: string
  contact: string | null
  /** Of the agent that proved it. */
  account_id: string | null
  /** As the agent of an offer or of a controlled pilot names its client. */
  customer_account?: string | null
}
/** The customer account that the run of a pilot is for. */
export const accountOf = ({ customer_account, account_id, name }: PilotClient): string =>
  customer_account ?? account_id ?? name

/** The rails whose pilots a client's agent launches by itself; each rail declares it too, and a test compares. */
export const offeredPilots = [
  'tokenops',
  'financeops',
  'energyops',
] as const satisfies readonly RailKey[]
/** What the launch of an offer asks of its agent, and what follows. */
export const offerRequirements = [
  'A trusted agent with the scope runs:write for the rail.',
  'An objective of up to 2000 characters without secrets or regulated records.',
  'An operator approves the pilot before its run.',
] as const

export const entryKinds = ['message', 'question', 'answer', 'decision', 'next_step'] as const
/** What clients may say; decisions and next steps are the operator's. */
export const clientEntryKinds = ['message', 'question', 'answer'] as const
export type EntryKind = (typeof entryKinds)[number]
export const authorRoles = ['client', 'operator', 'service'] as const
export type AuthorRole = (typeof authorRoles)[number]

const day = 24 * 3600

/** Decision: how much anonymous callers may leave. The entries that clients cannot use up are the operator's. */
export const pilotLimits = {
  waitingMax: 1_000,
  offersOfAgentMax: 20,
  /** From then on an undecided intake gives way to a new one where so many wait. */
  givesWayHours: 24,
  requestedDays: 30,
  trialsMax: 20,
  entriesMax: 200,
  entriesOfClientMax: 150,
  entriesOfClientPerDay: 30,
  invitationSecondsMax: 14 * day,
} as const

const ended: readonly PilotState[] = ['declined', 'expired', 'rejected', 'closed']
export const hasEnded = (state: PilotState): boolean => ended.includes(state)

/** What happens next where no operator has said it. */
export function nextStepOf(state: PilotState): string {
  return nextSteps[state]
}

const nextSteps: Readonly<Record<PilotState, string>> = {
  requested: 'An operator reviews the pilot.',
  invited: 'The client answers the invitation by POST /api/pilot-invitation-response-workflow.',
  accepted:
    'With an agent’s access key: quote the rail by POST /api/agents/quote, and open the checkout by POST /api/agent-rail-checkout with invitation_token.',
  declined: 'Nothing: the invitation was declined.',
  expired: 'Ask the operator for another invitation.',
  activated:
    'With an agent’s access key, start the first run by POST /api/first-pilot-run-execution with pilot_token.',
  rejected: 'Nothing: an operator rejected the pilot.',
  running: 'The run waits for its payment, its review or its result.',
  delivered: 'The operator prepares the paid next step.',
  paid_next_step_ready: 'Pay the quote of the next step.',
  converted_to_paid: 'Nothing: the client has paid for the next step.',
  closed: 'Nothing: the pilot is closed.',
}

/** What an intake has to say, and may not hold. */
export const pilotRequirements = [
  'The name of the client and a contact.',
  'The rail, and what the pilot is to show, in up to 2000 characters.',
  'No private keys, seed phrases, passwords, credentials, API credentials, regulated records or confidential production client data.',
  'The declaration that it holds no such records and data.',
  'An operator decides about the pilot before anything runs.',
] as const

export const invitationResponses = ['accept', 'decline', 'request_changes', 'ask_question'] as const
export type InvitationResponse = (typeof invitationResponses)[number]

type Offered = {
  pilot_id: string
  rail: RailKey
  tier: Tier
  total_usd: number
  objective: string
  expires_at: Date
}

/** What the one who accepts an invitation agrees to, as JSON whose digest is accepted. */
export const invitationTerms = ({
  pilot_id,
  rail,
  tier,
  total_usd,
  objective,
  expires_at,
}: Offered) => ({
  pilot_id,
  rail,
  tier,
  total_usd,
  currency: 'usd' as const,
  objective,
  expires_at: expires_at.toISOString(),
  runs: 1 as const,
  rules: [
    'The run is paid before its work begins.',
    'Its work order waits for the review of an operator.',
  ],
})

/** What the run of a pilot is done for: money, a grant of an operator, or as a trial that is neither paid nor operational. */
export const pilotFundings = ['settled_payment', 'granted_entitlement', 'synthetic'] as const
export type PilotFunding = (typeof pilotFundings)[number]

/** What became of the money for the run of a pilot; `credit`: it is left to the agent for other runs of its quote. */
export const pilotPayments = [
  'none',
  'under_way',
  'reserved',
  'applied',
  'returned',
  'credit',
] as const
export type PilotPayment = (typeof pilotPayments)[number]

export const pilotRunConditions = ['activated', 'paid', 'approved', 'delivered', 'charged'] as const
export type PilotRunCondition = (typeof pilotRunConditions)[number]

type RunFacts = {
  isActivated: boolean
  /** The decision about the work order of the run. */
  orderDecision: string | null
  payment_reference_id?: string | null
  settlement_receipt_id?: string | null
  return_package_id?: string | null
  usage_receipt_id?: string | null
}

/** What the first run of a pilot has reached, as its records say. */
export function judgePilotRun(run: RunFacts): { condition: PilotRunCondition; met: boolean }[] {
  const met: Readonly<Record<PilotRunCondition, boolean>> = {
    activated: run.isActivated,
    // The receipt of a grant is that of no payment.
    paid: run.settlement_receipt_id != null && run.payment_reference_id != null,
    approved: run.orderDecision === 'approve',
    delivered: run.return_package_id != null,
    charged: run.usage_receipt_id != null,
  }
  return pilotRunConditions.map((condition) => ({ condition, met: met[condition] }))
}
