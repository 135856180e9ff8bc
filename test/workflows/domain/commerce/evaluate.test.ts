import { describe, expect } from 'vitest'
import { evaluate, provenBinding } from '#domain/commerce/evaluate.ts'
import type { CommerceFacts } from '#domain/commerce/facts.ts'
import { commerceDecisions, missionKinds } from '#domain/commerce/missions.ts'
import { commerceChecks } from '#domain/commerce/result.ts'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { verifies } from '../../../verifies.ts'

const now = 1_795_512_720
const DAY = 86_400
const text = 'The invoice of November comes to 412.80 USD in all.'
const agent = { agentId: 'agt_1', trust: 'trusted', rails: ['packetops'] } as const
const item = { name: 'report.md', sha256: sha256Hex(text), bytes: text.length, text }
const receiptOf = (agentId: string | null, verified = true) =>
  ({ found: true, verified, agentId }) as const
const paid = {
  kind: 'recorded',
  method: 'invoice_reference',
  state: 'verified',
  amountUsd: 107,
  namedUsd: null,
  postedUsd: 107,
  order: 'this',
  chainFault: null,
} as const
const seen = { id: 'note', dated: now - DAY, given: true, receipt: null }
const recorded = {
  rail: 'packetops',
  usage: 'operational',
  madeAt: now - 60,
  faults: [],
  isReviewed: true,
} as const
const mandate = { kind: 'recorded', inForce: true, revoked: false, rails: ['packetops'] } as const

/** A delivery that lacks nothing. */
const sound: CommerceFacts = {
  kind: 'pilot_delivery',
  binding: null,
  agent,
  items: [item],
  claims: [{ claim: 'comes to 412.80 usd', artifact: 'report.md' }],
  evidence: [seen],
  recorded: undefined,
  ownsFinishedOrder: false,
  record: { usage: 'operational', at: now - 60 },
  startedBy: null,
  walletIsBound: null,
  payment: paid,
  mandate: { kind: 'none' },
  duplicate: null,
  usage: 'operational',
  now,
}
const run: CommerceFacts = {
  ...sound,
  kind: 'rail_run',
  claims: [],
  evidence: [],
  record: null,
  recorded,
}
const claimOf = (claim: string, artifact = 'report.md') => ({ claims: [{ claim, artifact }] })
const denial = 'It is false that the invoice comes to 412.80 USD.'
const deniedClaim = {
  ...claimOf('the invoice comes to 412.80 usd'),
  items: [{ ...item, text: denial }],
}
/** Texts that begin as JSON does, and are none. */
const almostJson = [`[Draft] ${denial}`, `{note} ${denial}`, `{"note": "${denial}", "left`]
const evidenceOf = (more: object) => ({ evidence: [{ ...seen, ...more }] })

function analysisWith(state: string, kind: 'needed' | 'advisory' = 'advisory') {
  const sections = [{ section: 'backups', required: true, state }]
  const coverage = { sections, readiness_score: 50, questions: 0, answered: 0 }
  const text = JSON.stringify({ coverage, gaps: [{ gap: 'undated', kind, detail: 'No date.' }] })
  return { ...item, name: 'service:analysis.json', text }
}

/** A change of one fact, the check that it opens, and its reason. */
type Change = readonly [Partial<CommerceFacts>, (typeof commerceChecks)[number], string]
const held: readonly Change[] = [
  [{ payment: { kind: 'none' } }, 'payment', 'payment_absent'],
  [{ payment: { kind: 'unknown' } }, 'payment', 'payment_unknown'],
  [{ payment: { ...paid, state: 'pending' } }, 'payment', 'payment_pending'],
  [{ payment: { ...paid, state: 'presented' } }, 'payment', 'payment_pending'],
  [{ payment: { ...paid, state: 'disputed' } }, 'payment', 'payment_disputed'],
  [{ payment: { ...paid, state: 'refunded' } }, 'payment', 'payment_refunded'],
  [{ payment: { ...paid, order: 'other' } }, 'payment', 'payment_of_another_order'],
  [{ payment: { ...paid, namedUsd: 106 } }, 'payment', 'amount_mismatch'],
  [{ payment: { ...paid, postedUsd: 106 } }, 'payment', 'payment_not_posted'],
  [{ payment: { ...paid, chainFault: 'reorganised' } }, 'payment', 'payment_unconfirmed'],
]
const reviewed: readonly Change[] = [
  [{ items: [{ ...item, text: null }] }, 'hashes', 'content_not_given'],
  [evidenceOf({ given: false }), 'hashes', 'content_not_given'],
  [{ items: [] }, 'required_items', 'items_missing'],
  [{ record: null }, 'required_items', 'delivered_pilot_unknown'],
  [{ kind: 'agent_handoff', record: null }, 'required_items', 'handoff_pack_unknown'],
  [{ record: { usage: 'operational', at: now - 91 * DAY } }, 'evidence_age', 'evidence_stale'],
  [{ items: [item, analysisWith('failing')] }, 'required_items', 'evidence_failing'],
  [{ items: [item, analysisWith('unusable')] }, 'required_items', 'evidence_unusable'],
  [{ items: [item, analysisWith('partial', 'needed')] }, 'required_items', 'evidence_gaps'],
  [{ claims: [] }, 'required_items', 'items_missing'],
  [{ evidence: [] }, 'required_items', 'items_missing'],
  [claimOf('comes to 412.80 usd', 'other.md'), 'claims', 'claim_unbound'],
  [deniedClaim, 'claims', 'claim_contradicted'],
  ...almostJson.map(
    (text): Change => [
      { ...deniedClaim, items: [{ ...item, text }] },
      'claims',
      'claim_contradicted',
    ],
  ),
  [claimOf('comes to 412.8 usd'), 'claims', 'claim_unverified'],
  [claimOf('comes to 12.80 usd'), 'claims', 'claim_unverified'],
  [claimOf('…'), 'claims', 'claim_unverified'],
  [claimOf('guaranteed'), 'policy', 'claim_forbidden'],
  [claimOf('This proof moved 412.80 USD'), 'policy', 'claim_forbidden'],
  [evidenceOf({ dated: now - 90 * DAY - 1 }), 'evidence_age', 'evidence_stale'],
  [evidenceOf({ dated: now + 301 }), 'evidence_age', 'evidence_from_future'],
  [evidenceOf({ dated: null }), 'evidence_age', 'evidence_undated'],
  [evidenceOf({ receipt: { found: false } }), 'evidence_owner', 'receipt_unknown'],
  [evidenceOf({ receipt: receiptOf('agt_2') }), 'evidence_owner', 'evidence_of_another'],
  [evidenceOf({ receipt: receiptOf(null) }), 'evidence_owner', 'evidence_of_another'],
  [evidenceOf({ receipt: receiptOf('agt_1', false) }), 'evidence_owner', 'receipt_unverified'],
  [{ agent: null }, 'authority', 'no_credential'],
  [{ agent: { ...agent, trust: 'suspended' } }, 'authority', 'trust_required'],
  [{ mandate: { kind: 'unknown' } }, 'authority', 'mandate_unknown'],
  [{ mandate: { ...mandate, revoked: true } }, 'authority', 'mandate_revoked'],
  [{ mandate: { ...mandate, inForce: false } }, 'authority', 'mandate_expired'],
  [{ binding: 'x402' }, 'protocol', 'protocol_mismatch'],
  [{ binding: 'http', startedBy: 'mcp' }, 'protocol', 'protocol_mismatch'],
  [{ binding: 'mcp', startedBy: 'http' }, 'protocol', 'protocol_mismatch'],
  [{ binding: 'a2a', startedBy: 'http' }, 'protocol', 'protocol_mismatch'],
  [{ duplicate: { of: 'package', proofId: 'cp_1' } }, 'duplicates', 'duplicate_package'],
  [{ duplicate: { of: 'mission', proofId: 'cp_1' } }, 'duplicates', 'duplicate_mission'],
  [{ duplicate: 'foreign' }, 'duplicates', 'duplicate_package'],
  [{ duplicate: 'anonymous' }, 'duplicates', 'duplicate_package'],
  [{ walletIsBound: false }, 'authority', 'wallet_unverified'],
]
const ofRuns: readonly Change[] = [
  [{ recorded: null }, 'hashes', 'package_unknown'],
  [{ recorded: { ...recorded, faults: ['result'] } }, 'hashes', 'package_changed'],
  [{ recorded: { ...recorded, madeAt: now - 91 * DAY } }, 'evidence_age', 'evidence_stale'],
  [{ recorded: { ...recorded, rail: 'energyops' } }, 'authority', 'rail_not_allowed'],
  [{ recorded: { ...recorded, isReviewed: false } }, 'authority', 'not_reviewed'],
  [{ mandate: { ...mandate, rails: [] } }, 'authority', 'mandate_rail'],
]

describe('evaluate', () => {
  verifies('commerce.decisions', 'what lacks nothing may continue', () => {
    for (const facts of [sound, run, { ...run, mandate }]) {
      const { decision, checks } = evaluate(facts)
      expect(decision).toBe('eligible_to_continue')
      expect(checks.map(({ check }) => check)).toEqual([...commerceChecks])
      expect(checks.flatMap(({ reason }) => reason ?? [])).toEqual([])
    }
  })

  verifies('commerce.decisions', 'a missing or unproven payment holds the mission', () => {
    for (const base of [sound, run])
      for (const [change, check, reason] of held) {
        const { decision, checks } = evaluate({ ...base, ...change })
        expect(decision, reason).toBe('payment_hold')
        expect(checks.find((one) => one.check === check)?.reason).toBe(reason)
      }
  })

  verifies('commerce.decisions', 'any other open check is for a person', () => {
    const cases = [
      ...reviewed.map((change) => [sound, ...change] as const),
      ...ofRuns.map((change) => [run, ...change] as const),
    ]
    for (const [base, change, check, reason] of cases) {
      const { decision, checks } = evaluate({ ...base, ...change })
      expect(decision, reason).toBe('human_review_required')
      expect(checks.find((one) => one.check === check)?.reason, reason).toBe(reason)
    }
  })

  verifies('commerce.decisions', 'the payment decides before every other check', () => {
    for (const [{ kind: _kind, ...change }] of reviewed) {
      const facts = { ...sound, ...change, payment: { kind: 'none' } } as const
      expect(evaluate(facts).decision).toBe('payment_hold')
    }
  })

  verifies('commerce.decisions', 'each mission and usage has a payment rule', () => {
    const unpaid = (more: Partial<CommerceFacts>) =>
      evaluate({ ...run, payment: { kind: 'none' }, ...more }).decision
    expect(unpaid({ usage: 'synthetic' })).toBe('eligible_to_continue')
    expect(unpaid({ payment: { kind: 'free' } })).toBe('eligible_to_continue')
    for (const kind of missionKinds) expect(commerceDecisions, kind).toContain(unpaid({ kind }))
    const { record } = sound
    expect(unpaid({ kind: 'agent_handoff', evidence: [seen], record })).toBe('eligible_to_continue')
    expect(unpaid({ kind: 'free_proof', agent: null })).toBe('eligible_to_continue')
  })

  verifies('commerce.protocol', 'only a record proves a protocol', () => {
    const proven = (more: Partial<CommerceFacts>) => {
      const facts = { ...sound, ...more }
      return provenBinding(facts, evaluate(facts))
    }
    for (const binding of ['mcp', 'http'] as const) {
      expect(proven({ binding, startedBy: binding })).toBe(binding)
      expect(proven({ binding })).toBeNull()
    }
    expect(evaluate({ ...sound, binding: 'a2a' }).decision).toBe('eligible_to_continue')
    expect(proven({ binding: 'a2a' })).toBeNull()
    expect(proven({ binding: 'x402', payment: { ...paid, method: 'x402_reference' } })).toBe('x402')
    expect(proven({ binding: 'x402' })).toBeNull()
  })

  verifies('commerce.evidence', 'a date that only the caller gives is said to be stated', () => {
    const ageOf = (facts: CommerceFacts) =>
      evaluate(facts).checks.find(({ check }) => check === 'evidence_age')
    expect(ageOf(sound)).toMatchObject({
      outcome: 'passed',
      detail: 'at most 90 days old; as stated by the caller: note',
    })
    const signed = { ...sound, ...evidenceOf({ receipt: receiptOf('agt_1') }) }
    expect(ageOf(signed)?.detail).toBe('at most 90 days old')
    expect(ageOf(run)?.detail).toBe('at most 90 days old')
  })

  verifies('commerce.claims', 'the claims that are not bound are named', () => {
    const detailOf = (claim: string, artifact?: string) =>
      evaluate({ ...sound, ...claimOf(claim, artifact) }).checks.find(
        ({ check }) => check === 'claims',
      )?.detail
    expect(detailOf('usd', 'other.md')).toBe('names nothing in the package: claim 1')
    expect(detailOf('eur')).toBe('not in a text that was given: claim 1')
  })

  verifies('commerce.claims', 'a claim that its item denies is contradicted by it', () => {
    const claim = 'backups are tested'
    const stateIn = (text: string) =>
      evaluate({ ...sound, ...claimOf(claim), items: [{ ...item, text }] }).claims[0]?.state
    for (const held of [
      'Backups are tested.',
      'Keys are never shared, and backups are tested.',
      'No one denies that\nbackups are tested.',
      '{"note": "backups are tested", "exceptions": "none", "state": "not set"}',
      'id,says,open\n1,keys are not rotated,no\n2,backups are tested,yes\n',
    ])
      expect(stateIn(held), held).toBe('bound')
    for (const denied of [
      'It is false that backups are tested.',
      'We no longer say that\nbackups are tested.',
      'Backups are tested. This is not true.',
      'Backups are tested. In an annex: none of the backups are tested.',
      '{"note": "the vendor denies that backups are tested"}',
    ])
      expect(stateIn(denied), denied).toBe('contradicted')
  })

  verifies('commerce.claims', 'a claim is bound by its words, not by parts of them', () => {
    const stateOf = (claim: string) => evaluate({ ...sound, ...claimOf(claim) }).claims[0]?.state
    for (const claim of ['comes to 412.80 USD', 'THE INVOICE,\nof  november', 'usd', '412.80'])
      expect(stateOf(claim), claim).toBe('bound')
    for (const claim of ['412', '412.8', 'invoices', 'us', 'november of', '\u200b', '!?'])
      expect(stateOf(claim), claim).toBe('not_stated')
  })
})
