import { judgeHardening } from '#domain/production/hardening.ts'
import { digests, ids } from './ids.ts'
import { actReceiptOf, receiptOf } from './receipts.ts'

const operator = {
  operator_id: ids.operator,
  name: 'Lena Brandt',
  created_at: '2026-10-01T08:00:00.000Z',
  revoked_at: null,
} as const

export const serviceKey = {
  ring: 'receipt',
  kid: 'receipt-2026-11',
  alg: 'EdDSA',
  state: 'active',
  published_at: '2026-10-31T23:50:00.000Z',
  activated_at: '2026-11-01T00:00:00.000Z',
  retired_at: null,
  revoked_at: null,
} as const

export const keyRotation = {
  rotation_id: `kr_${'8'.repeat(64)}`,
  ring: 'receipt',
  state: 'active',
  next_kid: 'receipt-2026-11',
  previous_kid: 'receipt-2026-10',
  revoke_old: false,
  overlap_seconds: 86_400,
  reason: 'the rotation of November',
  requested_at: '2026-10-31T23:50:00.000Z',
  activate_at: '2026-11-01T00:00:00.000Z',
  retire_at: '2026-11-02T00:00:00.000Z',
  done_at: null,
} as const

const keyReceipt = actReceiptOf('signing_keys_list', 'signing keys', 'listed')

const difference = {
  exception_id: ids.exception,
  code: 'unmatched_transfer',
  subject: '0xce922519a3c3ecaf9b0986c2449c7680895c15f4b0e9818e994e14a4d28b6aaf',
  state: 'open',
  evidence: { stored: null, found: { amount_atomic: '12500000' } },
  seen: true,
  first_seen_at: '2026-11-24T06:00:00.000Z',
  last_seen_at: '2026-11-24T09:00:00.000Z',
  closed_at: null,
  closed_by: null,
  reason: null,
} as const

const judgements = [
  {
    criterion: 'Each required section is covered or listed as a gap.',
    verdict: 'met',
    note: 'compared with the list of sections',
  },
] as const

const waiting = {
  subject_kind: 'loop_step',
  subject_id: ids.run,
  state: 'result_ready',
  waiting_since: '2026-11-24T09:41:02.000Z',
} as const

/** What operators do: decide with the evidence in view, pause, close differences, and look after keys and credentials. */
export const operatorExamples = {
  'loop-review-console': {
    input: { subject_id: ids.run },
    output: {
      items: [
        {
          ...waiting,
          rail: 'packetops',
          summary: 'The result of a packetops run, 107 usd',
          evidence_links: [],
          amount_usd: 107,
          evidence_root_sha256: null,
          criteria_sha256: null,
          allowed_decisions: ['approve', 'reject', 'revise'],
          waiting_for: ['review'],
          gaps: [],
          required_action: null,
        },
      ],
      offset: 0,
      limit: 25,
      total: 1,
      counts: { loop_step: 1 },
      evidence: {
        subject_kind: 'loop_step',
        subject_id: ids.run,
        waiting_since: waiting.waiting_since,
        parts: [
          {
            name: 'criteria',
            sha256: digests.criteria,
            bytes: 58,
            media_type: 'application/json',
            content: ['Each required section is covered or listed as a gap.'],
          },
        ],
        root_sha256: digests.evidence,
      },
      evidence_part: null,
    },
  },
  'loop-review-record': {
    input: {
      subject_kind: 'loop_step',
      subject_id: ids.run,
      decision: 'approve',
      note: 'The packet is complete but for the sections that it lists.',
      waiting_since: '2026-11-24T09:41:02.000Z',
      evidence_seen_sha256: [digests.evidence, digests.criteria],
      judgements,
      idempotency_key: 'review-packet-q4',
    },
    output: {
      review_decision: {
        decision_id: ids.decision,
        subject_kind: 'loop_step',
        subject_id: ids.run,
        decision: 'approve',
        note: 'The packet is complete but for the sections that it lists.',
        judgements,
        decided_by: { operator_id: ids.operator, operator_name: 'Lena Brandt' },
        at: '2026-11-24T09:44:00.000Z',
      },
      subject: { subject_kind: 'loop_step', subject_id: ids.run, state: 'attested', view: {} },
      receipt: receiptOf('review_decision', ids.run, { decision: 'approve' }),
    },
  },
  'loop-review-record-batch': {
    input: {
      subject_kind: 'payment_reference',
      decision: 'approve',
      note: 'Both invoices are on the account statement of 24 November.',
      items: [
        { subject_id: ids.reference, evidence_root_sha256: digests.evidence },
        {
          subject_id: 'pr_56482a4b67e5d0b503e856b2752a78bd7c646aca15fb7c3dde13b2a037b86bf9',
          evidence_root_sha256: digests.criteria,
        },
      ],
      dry_run: true,
      idempotency_key: 'invoices-2026-11-24',
    },
    output: {
      outcomes: [
        { id: ids.reference, state: 'verified', receipt_id: null, refused: null },
        {
          id: 'pr_56482a4b67e5d0b503e856b2752a78bd7c646aca15fb7c3dde13b2a037b86bf9',
          state: null,
          receipt_id: null,
          refused: { code: 'evidence_changed', detail: 'its evidence changed since it was listed' },
        },
      ],
    },
  },
  'hardening-read': {
    input: {},
    output: {
      controls: judgeHardening({
        webhooks: { keys: 1, events: 12 },
        releases: { begun: 40, unapproved: 0 },
        limitsPerMinute: { LIMIT_ADDRESS_PER_MINUTE: 6_000 },
        callersCounted: 9,
        failuresPerMinute: 60,
        subjectsFailing: 0,
        terms: { gated: 3, without: [], accepted: 44 },
        pauses: { operators: 2, scopes: [] },
        keyAges: { receipt: 2_160_000, log: 2_160_000 },
        log: { checkpointAge: 4, queuedFor: null },
        enforcement: { operations: 70, without: [] },
      }).map((judged) => ({ ...judged, measured_at: '2026-11-24T07:00:00.000Z' })),
    },
  },
  'pause-set': {
    input: {
      scope: 'payouts',
      paused: true,
      reason: 'the token issuer reports an incident',
      idempotency_key: 'pause-2026-11-24',
    },
    output: {
      control: {
        scope: 'payouts',
        target: null,
        paused: true,
        reason: 'the token issuer reports an incident',
        operator: { operator_id: ids.operator, name: 'Lena Brandt' },
        changed_at: '2026-11-24T07:00:00.000Z',
      },
      affected: { tasks: 0, payouts: 3 },
      receipt: receiptOf('control_change', ids.change, {
        scope: 'payouts',
        target: null,
        paused: true,
        reason: 'the token issuer reports an incident',
        operator_id: ids.operator,
        operator_name: 'Lena Brandt',
        at: '2026-11-24T07:00:00.000Z',
      }),
    },
  },
  reconciliation: {
    input: { day: '2026-11-23' },
    output: {
      day: '2026-11-23',
      statement: { day: '2026-11-23', paid_out_atomic: '48250000', transfers: 7 },
      jws: 'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InN0YXRlbWVudCtqd3QifQ.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoic3RhdGVtZW50Iiwic3ViIjoiMjAyNi0xMS0yMyJ9.9OTOfSeGb4LmuBkuWHPkvioUdkD_skk98Ls_7SAtCsyZe5DqKNZROgFAYQ0dp-_pXgS1qgkmFkopQ09jsk52YA',
      last_run: {
        reconciliation_id: 'rcn_2f2f99cd103de02e159db82823371626586bf7055ac98a089d3f653ea1595d63',
        scope: 'changed',
        from_block: 38_400_112,
        through_block: 38_412_890,
        compared: 7,
        differences: 1,
        started_at: '2026-11-24T09:00:00.000Z',
        completed_at: '2026-11-24T09:00:04.000Z',
      },
      exceptions: [difference],
    },
  },
  'close-exception': {
    input: {
      mode: 'close_exception',
      exception_id: ids.exception,
      reason: 'A refund that the treasury sent by hand on 23 November.',
      idempotency_key: 'close-refund-1123',
    },
    output: {
      exception: {
        ...difference,
        state: 'closed',
        closed_at: '2026-11-24T09:20:00.000Z',
        closed_by: 'Lena Brandt',
        reason: 'A refund that the treasury sent by hand on 23 November.',
      },
      receipt: receiptOf('exception_closed', ids.exception, { code: 'unmatched_transfer' }),
    },
  },
  'operators-list': {
    input: {},
    output: {
      operators: [operator],
      receipt: actReceiptOf('operators_list', 'operators', 'listed'),
    },
  },
  'operators-revoke': {
    input: {
      mode: 'revoke_operator',
      operator_id: ids.operator,
      reason: 'left the company',
      idempotency_key: 'revoke-lena-brandt',
    },
    output: {
      operator: { ...operator, revoked_at: '2026-11-24T17:00:00.000Z' },
      receipt: actReceiptOf('operator_revoke', ids.operator, 'left the company'),
    },
  },
  'keys-list': {
    input: {},
    output: { keys: [serviceKey], rotations: [keyRotation], receipt: keyReceipt },
  },
  'keys-publish': {
    input: {
      mode: 'publish_keys',
      reason: 'the key of December was added to the file',
      idempotency_key: 'publish-2026-12',
    },
    output: {
      published: [{ ...serviceKey, kid: 'receipt-2026-12' }],
      receipt: actReceiptOf(
        'signing_keys_publish',
        'signing keys',
        'the key of December was added to the file',
      ),
    },
  },
  'keys-retire': {
    input: {
      mode: 'retire_key',
      kid: 'receipt-2026-11',
      reason: 'the key of December signs now',
      idempotency_key: 'retire-2026-11',
    },
    output: {
      key: { ...serviceKey, state: 'retired', retired_at: '2026-12-01T00:00:00.000Z' },
      receipt: actReceiptOf(
        'signing_key_retire',
        'receipt-2026-11',
        'the key of December signs now',
      ),
    },
  },
  'keys-revoke': {
    input: {
      mode: 'revoke_key',
      kid: 'receipt-2026-11',
      reason: 'its file was copied from a stolen disk',
      idempotency_key: 'revoke-2026-11',
    },
    output: {
      key: { ...serviceKey, state: 'revoked', revoked_at: '2026-11-24T18:00:00.000Z' },
      receipt: actReceiptOf(
        'signing_key_revoke',
        'receipt-2026-11',
        'its file was copied from a stolen disk',
      ),
    },
  },
} as const
