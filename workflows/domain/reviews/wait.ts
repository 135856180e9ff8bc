import type { SubjectKind } from './review.ts'

/** The things that a task or payout can wait for. */
export const waitKinds = ['credit', 'input', 'review', 'evidence', 'callback', 'recovery'] as const
type WaitKind = (typeof waitKinds)[number]

/**
 * What the input lacks: why, what would fill it, and RFC 6901 pointers into it, first where it is filled. Only what is needed stops
 * a run.
 */
export type MissingEvidence = {
  code: string
  kind: 'needed' | 'advisory'
  detail: string
  filled_by: string
  pointers: string[]
}

/** A decision that an operator has not made yet. */
export type PendingReview = { kind: SubjectKind; id: string; since: string }

/**
 * What ends a wait: an HTTP call with its arguments, `<…>` for what the caller fills in, and for an operator the command that does
 * the same. `choices` are the values that the deciding argument may have; the first stands in the arguments.
 */
export type RequiredAction = {
  by: 'agent' | 'operator'
  call: string | null
  arguments: Record<string, unknown>
  choices: string[]
  command: string | null
}

/** What a task or payout waits for. Every view shows exactly this. */
export type Wait = {
  what: string
  waiting_for: WaitKind[]
  since: string | null
  gaps: MissingEvidence[]
  /** Null where no one has to do anything. */
  action: RequiredAction | null
}

/** The wait for an operator's decision. */
export function reviewWait(
  what: string,
  { kind, id, since }: PendingReview,
  choices: readonly string[],
): Wait {
  const [decision = 'approve'] = choices
  const subject = { subject_kind: kind, subject_id: id }
  return {
    what,
    waiting_for: ['review'],
    since,
    gaps: [],
    action: {
      by: 'operator',
      call: 'POST /api/loop-review-console',
      arguments: {
        ...subject,
        decision,
        note: '<why>',
        evidence_seen_sha256: ['<root of the evidence>'],
        idempotency_key: '<new key>',
      },
      choices: [...choices],
      command: `agent-rails review show ${id} --operator CREDENTIAL`,
    },
  }
}

/** One sentence for callers: what is awaited, and their call where they have one. */
export function nextAction({ what, action }: Wait): string {
  if (action === null || action.by === 'operator')
    return `Waiting for ${what}. No action is needed from the agent.`
  const names = Object.keys(action.arguments).join(', ')
  return `Waiting for ${what}. Call ${action.call}${names === '' ? '' : ` with ${names}`}.`
}

/** The action as lines that can be copied: the call, its arguments as JSON, and the command. */
export function actionLines({ call, arguments: given, command }: RequiredAction): string[] {
  return [
    ...(command === null ? [] : [command]),
    ...(call === null ? [] : [call]),
    ...(Object.keys(given).length === 0 ? [] : [JSON.stringify(given)]),
  ]
}
