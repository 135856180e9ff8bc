/** What a commerce proof decides. */
export const commerceDecisions = [
  'eligible_to_continue',
  'human_review_required',
  'payment_hold',
] as const
export type CommerceDecision = (typeof commerceDecisions)[number]

export const missionKinds = [
  'rail_run',
  'work_order_delivery',
  'agent_handoff',
  'pilot_delivery',
  'free_proof',
] as const
export type MissionKind = (typeof missionKinds)[number]

/** How the mission was carried out: x402 and ap2 are held against its payment, the others against how its run was started. */
export const protocolBindings = ['mcp', 'http', 'a2a', 'x402', 'ap2'] as const
export type ProtocolBinding = (typeof protocolBindings)[number]
/** The method of payment that proves a protocol. */
export const provenBy = { x402: 'x402_reference', ap2: 'ap2_mandate_reference' } as const

/** What a mission rests on: a record of this service, or at least one of each named part of the package. */
export type Mission = {
  readonly kind: MissionKind
  readonly needs: readonly (
    | 'own_run'
    | 'finished_order'
    | 'handoff_pack'
    | 'delivered_pilot'
    | 'artifact'
    | 'claim'
    | 'evidence'
  )[]
  /** A `required` payment holds the mission while it is not named; synthetic work needs none. */
  readonly payment: 'required' | 'if_named'
  /** Whether an agent with a credential has to stand behind it. */
  readonly needsAgent: boolean
}

export const missions: readonly Mission[] = [
  { kind: 'rail_run', needs: ['own_run'], payment: 'required', needsAgent: true },
  {
    kind: 'work_order_delivery',
    needs: ['finished_order', 'artifact', 'claim'],
    payment: 'required',
    needsAgent: true,
  },
  {
    kind: 'agent_handoff',
    needs: ['handoff_pack', 'artifact', 'evidence'],
    payment: 'if_named',
    needsAgent: true,
  },
  {
    kind: 'pilot_delivery',
    needs: ['delivered_pilot', 'artifact', 'claim', 'evidence'],
    payment: 'required',
    needsAgent: true,
  },
  { kind: 'free_proof', needs: ['artifact'], payment: 'if_named', needsAgent: false },
]

export function missionOf(kind: MissionKind): Mission {
  const mission = missions.find((one) => one.kind === kind)
  if (mission === undefined) throw new TypeError(`no mission ${kind}`)
  return mission
}

/** Decision: evidence and packages that are older say nothing of the mission any more. */
export const EVIDENCE_DAYS_MAX = 90
/** Decision: how far the date of evidence may be ahead of our clock. */
export const EVIDENCE_AHEAD_SECONDS_MAX = 300

/** What no proof of this service can show; a claim with one of these words is for a person. */
export const forbiddenClaims: readonly { readonly code: string; readonly pattern: RegExp }[] = [
  { code: 'guarantee', pattern: /\b(guarantee[sd]?|risk[- ]free|cannot fail)\b/i },
  { code: 'certification', pattern: /\b(certified|accredited|fully compliant|legally binding)\b/i },
  { code: 'advice', pattern: /\b(legal|tax|investment|medical) advice\b/i },
  { code: 'os_access', pattern: /\b(os|operating system|root|admin(istrator)?) access\b/i },
  {
    code: 'money_movement',
    pattern: /\b(this|the) proof (moved|moves|paid|pays|settles|settled)\b/i,
  },
]

/** The conditions of the activity feed, in the words of its answers. */
export const activityConditions = [
  'bound_to_credential',
  'publication_consent',
  'verified_signed_receipt',
  'persisted_proof_record',
] as const
export type ActivityCondition = (typeof activityConditions)[number]
