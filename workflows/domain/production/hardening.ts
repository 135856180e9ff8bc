/** The controls that stay visible in the operating loop, in the order in which they are shown. */
export const hardeningControls = [
  'webhook_verification',
  'release_controls',
  'rate_limits',
  'abuse_controls',
  'legal_terms',
  'pauses',
  'key_age',
  'log_checkpoint_age',
  'credential_enforcement',
] as const
export type HardeningControl = (typeof hardeningControls)[number]
type ControlState = 'on' | 'off' | 'stale'

/** What was read of the registry, the settings and the records. Times are in seconds. */
export type HardeningFacts = {
  readonly webhooks: { readonly keys: number; readonly events: number }
  /** Operational runs that are begun, and those of them whose review decision is no stored approval. */
  readonly releases: { readonly begun: number; readonly unapproved: number }
  readonly limitsPerMinute: Readonly<Record<string, number>>
  readonly callersCounted: number
  readonly failuresPerMinute: number
  readonly subjectsFailing: number
  /** Gated operations, those of them that take no acceptance of terms, and contracts whose terms were accepted. */
  readonly terms: {
    readonly gated: number
    readonly without: readonly string[]
    readonly accepted: number
  }
  readonly pauses: { readonly operators: number; readonly scopes: readonly string[] }
  /** By ring, how long its key signs; null where no key does. */
  readonly keyAges: Readonly<Record<string, number | null>>
  readonly log: { readonly checkpointAge: number | null; readonly queuedFor: number | null }
  readonly enforcement: { readonly operations: number; readonly without: readonly string[] }
}
type Judged = { readonly state: ControlState; readonly detail: string; readonly read: string[] }

/** Decisions: a larger limit limits nothing; a signing key is rotated within 90 days; a receipt is in the log within a minute. */
const PER_MINUTE_MAX = 100_000
const FAILURES_PER_MINUTE_MAX = 1_000
const KEY_AGE_SECONDS_MAX = 90 * 24 * 3600
const QUEUED_SECONDS_MAX = 60

const judges: Readonly<Record<HardeningControl, (facts: HardeningFacts) => Judged>> = {
  webhook_verification: ({ webhooks: { keys, events } }) => ({
    state: onIf(keys > 0),
    detail:
      keys > 0
        ? `${keys} keys of providers; ${events} signed events were verified`
        : 'no key of a provider is configured, so no event is believed',
    read: ['PROVIDER_WEBHOOK_KEYS_FILE', 'provider_events'],
  }),
  release_controls: ({ releases: { begun, unapproved } }) => ({
    state: onIf(unapproved === 0),
    detail: `${begun} operational runs are begun, ${unapproved} of them without a stored approval`,
    read: ['tasks', 'review_decisions'],
  }),
  rate_limits: ({ limitsPerMinute, callersCounted }) => {
    const loose = Object.entries(limitsPerMinute)
      .filter(([, limit]) => limit > PER_MINUTE_MAX)
      .map(([name]) => name)
    return {
      state: onIf(loose.length === 0),
      detail:
        loose.length === 0
          ? `${callersCounted} counters run now`
          : `these limit nothing: ${loose.join(', ')}`,
      read: [...Object.keys(limitsPerMinute), 'window_counts'],
    }
  },
  abuse_controls: ({ failuresPerMinute, subjectsFailing }) => ({
    state: onIf(failuresPerMinute <= FAILURES_PER_MINUTE_MAX),
    detail: `wrong credentials are refused after ${failuresPerMinute} a minute; ${subjectsFailing} addresses or keys failed within this one`,
    read: ['LIMIT_FAILED_CREDENTIALS_PER_MINUTE', 'window_counts'],
  }),
  legal_terms: ({ terms: { gated, without, accepted } }) => ({
    state: onIf(without.length === 0),
    detail:
      without.length === 0
        ? `${gated} operations start paid work, each with accepted terms; ${accepted} contracts are accepted`
        : `without accepted terms: ${without.join(', ')}`,
    read: ['registry', 'contracts'],
  }),
  pauses: ({ pauses: { operators, scopes } }) => {
    const paused = scopes.length === 0 ? 'nothing is paused' : `paused: ${scopes.join(', ')}`
    return {
      state: onIf(operators > 0),
      detail: operators > 0 ? paused : 'no operator has a credential to pause with',
      read: ['operators', 'controls'],
    }
  },
  key_age: ({ keyAges }) => {
    const missing = Object.keys(keyAges).filter((ring) => keyAges[ring] === null)
    const old = Object.keys(keyAges).filter((ring) => (keyAges[ring] ?? 0) > KEY_AGE_SECONDS_MAX)
    const oldest = Math.max(0, ...Object.values(keyAges).map((age) => age ?? 0))
    const age = `the oldest signs for ${Math.floor(oldest / 86_400)} days`
    const read = ['signing_keys']
    if (missing.length > 0 || Object.keys(keyAges).length === 0)
      return { state: 'off', detail: `no key signs in: ${missing.join(', ') || 'any ring'}`, read }
    if (old.length > 0)
      return { state: 'stale', detail: `to rotate: ${old.join(', ')}; ${age}`, read }
    return { state: 'on', detail: `each ring has a key; ${age}`, read }
  },
  log_checkpoint_age: ({ log: { checkpointAge, queuedFor } }) => {
    const read = ['log_checkpoints', 'log_outbox']
    if (checkpointAge === null) return { state: 'off', detail: 'no checkpoint is signed', read }
    const waits = queuedFor ?? 0
    const detail = `signed ${Math.floor(checkpointAge)} s ago; the oldest waiting receipt waits for ${Math.floor(waits)} s`
    return { state: waits > QUEUED_SECONDS_MAX ? 'stale' : 'on', detail, read }
  },
  credential_enforcement: ({ enforcement: { operations, without } }) => ({
    state: onIf(without.length === 0),
    detail:
      without.length === 0
        ? `${operations} operations take an access key, each with the scopes that it needs`
        : `without scopes: ${without.join(', ')}`,
    read: ['registry'],
  }),
}

const onIf = (holds: boolean): ControlState => (holds ? 'on' : 'off')

export type JudgedControl = Judged & { readonly control: HardeningControl }

/** Each control with its state and what shows it; `read` names the records, settings and tables. */
export const judgeHardening = (facts: HardeningFacts): JudgedControl[] =>
  hardeningControls.map((control) => ({ control, ...judges[control](facts) }))
