import { scorecardFormula } from '#domain/trust/scorecard.ts'
import { addresses, BASE_URL, digests } from './ids.ts'
import { receiptOf, verificationPacket } from './receipts.ts'

const issuer = `${BASE_URL}/api/trust-contract`
const issuedAt = 1_795_512_720
const accounts = {
  caller: `eip155:8453:${addresses.creator}`,
  recipient: `eip155:8453:${addresses.holder}`,
} as const
const key = {
  kid: 'receipt-2026-11',
  standing_at_issue: 'active',
  standing_now: 'active',
} as const
const signedChecks = [
  { check: 'signature', ok: true, detail: 'EdDSA of receipt-2026-11' },
  { check: 'issuer', ok: true, detail: issuer },
  { check: 'key_standing', ok: true, detail: 'the key was good' },
] as const

/** A receipt of a call that names no usage. */
const unspecified = (kind: string, subject: string, facts: Record<string, unknown>) => ({
  ...receiptOf(kind, subject, { usage: 'unspecified', ...facts }),
  usage: 'unspecified' as const,
})

const freeCall = { kind: 'wallet_free_call', nonce: 'f83f63c2213b4d4c3c256f2fa21a961e' } as const
const passportId = 'pp_236218132ed7379a072394bac3e2a890e0b39bb3a006905ac246a55bc2763787'
const passport =
  'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InBhc3Nwb3J0K2p3dCJ9.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoicmVjZWlwdF9wYXNzcG9ydCIsInN1YiI6InBhc3Nwb3J0In0.XBy5eL2UdaKCB4FM4hhIBK8b4XVkyshnst_Gu0yqvHy_dvdq2IefXOzzFxzMqHQotObvrRwzk1an6q7Upi8QsQ'
const passportClaims = {
  iss: issuer,
  iat: issuedAt,
  jti: passportId,
  sub: accounts.caller,
  kind: 'receipt_passport',
  usage: 'operational',
  environment: 'live',
  work: freeCall,
  proven: {
    outcome: 'succeeded',
    operation: 'payout-create',
    path: '/api/payout-create',
    body_sha256: digests.input,
    status: 201,
    at: 1_795_512_600,
    payment: null,
  },
} as const

const evidence = {
  kind: 'evidence',
  content:
    'Delivered the hosting report of November 2026; the customer accepted it on 24 November.',
  label: 'Acceptance of the hosting report',
} as const
const evidenceId = '88f371174adc4ceda191cb5fe23b12ba2563c88596b036636918aaddd755c37e'
const storedAt = '2026-11-24T09:32:00.000Z'
const used = { records: 2, bytes: 390 } as const
/** What the inbox signs when it takes a proof in. */
const inclusion = unspecified('intake', `proof_${evidenceId}`, {
  proof_id: evidenceId,
  wallet: accounts.caller,
  proof_kind: evidence.kind,
  bytes: 87,
  position: 2,
  inbox_head: digests.ledger,
})

const transaction = '0x0ebd03e41dd4bd29fed20891a1c5f07e7cf4d6091b0390909d4860b11c03a031'
const authorization = '0x0c2577c2985a0887aa3b6231cc5f117a4e542334bc27568f53a9de68b7e75f4c'
const scored = {
  work: `wallet_free_call:${freeCall.nonce}`,
  payment: 'payment:3345bb1aa1910b08eff2d7c6f7d47fc45e469e544db9bb044f7684ee93c978be',
} as const
/** One free call and one payment of 2.50 USDC, both of this week. */
const scorecard = {
  score: { value: 29, band: 'low' },
  confidence: 'low',
  components: [
    { component: 'work_completed', weight: 30, value: 10, evidence: [scored.work] },
    { component: 'payments_settled', weight: 25, value: 20, evidence: [scored.payment] },
    { component: 'distinct_counterparties', weight: 20, value: 20, evidence: [scored.payment] },
    { component: 'refund_rate', weight: 10, value: 20, evidence: [scored.payment] },
    { component: 'recency', weight: 15, value: 100, evidence: [scored.work] },
  ],
  rejected: [],
  refunds: [],
  formula: scorecardFormula,
  as_of: issuedAt,
  inputs_sha256: 'c08d9921733b92bde57089807b780a526021dcc6ac5c92e0ad653586c7292166',
  completed_work_sha256: '607e44177ea6123bd26aee9fed635be4af792560c7d582baee8798fcd2d8681b',
  payments_sha256: '038f33d793755722a7206c372a211b8cb268cda7451744fd9f0b370470ead399',
} as const

const packId = 'hp_e64583d58b506e1dc1f9c65a2c4069b55e3214b3756cd15be7f2c6086429943e'
const packDigest = 'df3bcf26aa006d7344958db48b395ac10608cea308faf67cd232966e77717288'
const packExpiry = 1_795_530_600
const pack =
  'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6ImhhbmRvZmYrand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoiaGFuZG9mZl9wYWNrIiwic3ViIjoiaGFuZG9mZiJ9.Y-KnVPwiCxkF1VB1lDo-I87tpfo6BjF7c8WHPxULhI9QIPrFTLUGIIFMB2uC-kt-F6WpurukaBlBtiU8PClurw'
const handedOver = {
  task: {
    task_id: 'hosting-report-2026-11',
    objective: 'Finish the hosting report of November 2026.',
    context: 'The invoices of three providers are summed up; the fourth is missing.',
  },
  permissions: {
    allowed_actions: ['read_invoices', 'write_report'],
    resources: ['https://files.northwind.example/hosting/2026-11'],
    expires_at: packExpiry,
    may_redelegate: false,
  },
  state: {
    status: 'in_progress',
    checkpoint: 'Three of four invoices are in the report.',
    evidence_sha256: [digests.evidence],
  },
} as const
const packClaims = {
  iss: issuer,
  iat: issuedAt,
  exp: packExpiry,
  jti: packId,
  sub: accounts.caller,
  aud: accounts.recipient,
  kind: 'handoff_pack',
  usage: 'operational',
  environment: 'live',
  ...handedOver,
} as const

/** What one agent proves of its work, keeps as proof, is scored by and hands over to another agent. */
export const trustExamples = {
  'passport-issue': {
    input: {
      mode: 'issue',
      idempotency_key: 'passport-2026-0117',
      work: freeCall,
      usage: 'operational',
    },
    output: {
      passport,
      passport_id: passportId,
      claims: passportClaims,
      receipt: receiptOf('passport', passportId, {
        passport_id: passportId,
        passport_sha256: '445db1c26a7829e9a4cac818504f82612da11bfd81e774ddfb9fc3f7a4e3b504',
        wallet: addresses.creator,
        work: freeCall,
        proven: passportClaims.proven,
      }),
    },
  },
  'passport-verify': {
    input: { mode: 'verify', passport },
    output: {
      valid: true,
      reasons: [],
      checks: signedChecks,
      claims: passportClaims,
      key,
      verification_packet: { ...verificationPacket, kind: 'passport' },
    },
  },
  'proof-store': {
    input: { mode: 'store', idempotency_key: 'proof-2026-0117', proof: evidence },
    output: {
      proof_id: evidenceId,
      bytes: 87,
      stored_at: storedAt,
      verified: false,
      used,
      inclusion_receipt: inclusion,
    },
  },
  'proof-list': {
    input: { mode: 'list', offset: 0, limit: 10 },
    output: {
      proofs: [
        {
          proof_id: evidenceId,
          kind: evidence.kind,
          label: evidence.label,
          bytes: 87,
          stored_at: storedAt,
        },
        {
          proof_id: 'a881cf50b4b26be0a0442fd5868b57ee82a3e3c7ad1f88d844680dc43cabf732',
          kind: 'receipt_passport',
          label: 'Passport of the first free call',
          bytes: 303,
          stored_at: '2026-11-24T09:31:30.000Z',
        },
      ],
      offset: 0,
      limit: 10,
      total: 2,
      used,
    },
  },
  'proof-retrieve': {
    input: { mode: 'retrieve', proof_id: evidenceId },
    output: {
      proof: evidence,
      proof_id: evidenceId,
      stored_at: storedAt,
      inclusion_receipt: inclusion,
    },
  },
  'scorecard-compute': {
    input: {
      mode: 'compute',
      completed_work: [freeCall],
      payments: [
        {
          transaction_hash: transaction,
          payee: addresses.recipient,
          amount_atomic: '2500000',
          authorization_nonce: authorization,
        },
      ],
    },
    output: {
      ...scorecard,
      receipt: unspecified('scorecard', `score_${scorecard.inputs_sha256}`, {
        wallet: accounts.caller,
        ...scorecard,
      }),
    },
  },
  'handoff-build': {
    input: {
      mode: 'build',
      idempotency_key: 'handoff-2026-0117',
      recipient_wallet: addresses.holder,
      task: handedOver.task,
      permissions: handedOver.permissions,
      state: handedOver.state,
      usage: 'operational',
    },
    output: {
      handoff_pack: pack,
      pack_id: packId,
      pack_sha256: packDigest,
      expires_at: packExpiry,
      receipt: receiptOf('handoff', packId, {
        pack_id: packId,
        pack_sha256: packDigest,
        builder: accounts.caller,
        recipient: accounts.recipient,
        expires_at: packExpiry,
      }),
    },
  },
  'handoff-verify': {
    input: { mode: 'verify', handoff_pack: pack },
    output: {
      valid: true,
      reasons: [],
      expired: false,
      recipient_matches: true,
      permitted: {
        allowed_actions: handedOver.permissions.allowed_actions,
        resources: handedOver.permissions.resources,
      },
      checks: [
        ...signedChecks,
        { check: 'expiry', ok: true, detail: `expires at ${packExpiry}` },
        { check: 'recipient', ok: true, detail: `for ${accounts.recipient}` },
        { check: 'not_redelegated', ok: true, detail: 'may not be redelegated' },
      ],
      pack: packClaims,
      key,
      verification_packet: { ...verificationPacket, kind: 'handoff' },
    },
  },
} as const
