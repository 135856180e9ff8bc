import { expect } from 'vitest'
import {
  type HardeningControl,
  type HardeningFacts,
  hardeningControls,
  judgeHardening,
} from '#domain/production/hardening.ts'
import { verifies } from '../../../verifies.ts'

const well: HardeningFacts = {
  webhooks: { keys: 1, events: 0 },
  releases: { begun: 2, unapproved: 0 },
  limitsPerMinute: { LIMIT_ADDRESS_PER_MINUTE: 6_000 },
  callersCounted: 0,
  failuresPerMinute: 60,
  subjectsFailing: 0,
  terms: { gated: 3, without: [], accepted: 2 },
  pauses: { operators: 1, scopes: ['payouts'] },
  keyAges: { receipt: 90 * 86_400, log: 0 },
  log: { checkpointAge: 9_000, queuedFor: 60 },
  enforcement: { operations: 5, without: [] },
}
const stateWith = (control: HardeningControl, other: Partial<HardeningFacts>) =>
  judgeHardening({ ...well, ...other }).find((judged) => judged.control === control)

verifies('production.hardening', 'each control turns red by its own facts alone', () => {
  const controls = judgeHardening(well)
  expect(controls.map(({ control }) => control)).toEqual([...hardeningControls])
  expect(new Set(controls.map(({ state }) => state))).toEqual(new Set(['on']))
  expect(controls.every(({ read }) => read.length > 0)).toBe(true)
  const bad: [HardeningControl, 'off' | 'stale', Partial<HardeningFacts>][] = [
    ['webhook_verification', 'off', { webhooks: { keys: 0, events: 3 } }],
    ['release_controls', 'off', { releases: { begun: 2, unapproved: 1 } }],
    ['rate_limits', 'off', { limitsPerMinute: { LIMIT_AGENT_PER_MINUTE: 100_001 } }],
    ['abuse_controls', 'off', { failuresPerMinute: 1_001 }],
    ['legal_terms', 'off', { terms: { gated: 3, without: ['x'], accepted: 2 } }],
    ['pauses', 'off', { pauses: { operators: 0, scopes: [] } }],
    ['key_age', 'stale', { keyAges: { receipt: 90 * 86_400 + 1 } }],
    ['key_age', 'off', { keyAges: { receipt: 1, log: null } }],
    ['key_age', 'off', { keyAges: {} }],
    ['log_checkpoint_age', 'stale', { log: { checkpointAge: 1, queuedFor: 61 } }],
    ['log_checkpoint_age', 'off', { log: { checkpointAge: null, queuedFor: null } }],
    ['credential_enforcement', 'off', { enforcement: { operations: 5, without: ['x'] } }],
  ]
  for (const [control, state, facts] of bad) {
    const judged = judgeHardening({ ...well, ...facts })
    expect(judged.filter((one) => one.state !== 'on')).toMatchObject([{ control, state }])
  }
  expect(stateWith('pauses', {})?.detail).toBe('paused: payouts')
  expect(
    stateWith('legal_terms', { terms: { gated: 3, without: ['x'], accepted: 2 } })?.detail,
  ).toBe('without accepted terms: x')
})
