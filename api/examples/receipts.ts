import { BASE_URL, digests, ids } from './ids.ts'

/** A signed receipt of this kind, the first of its chain. */
export const receiptOf = (kind: string, subject: string, payload: Record<string, unknown>) => ({
  receipt_id: ids.settlementReceipt,
  kind,
  issuer: `${BASE_URL}/api/trust-contract`,
  key_id: 'receipt-2026-11',
  issued_at: '2026-11-24T09:32:00.000Z',
  subject,
  usage: 'operational' as const,
  payload: {
    iss: `${BASE_URL}/api/trust-contract`,
    iat: 1_795_512_720,
    sub: subject,
    kind,
    usage: 'operational',
    environment: 'live',
    prev: null,
    ...payload,
  },
  payload_sha256: digests.payload,
  prev_receipt_id: null,
  jws: 'eyJhbGciOiJFZERTQSIsImtpZCI6InJlY2VpcHQtMjAyNi0xMSIsInR5cCI6InJlY2VpcHQrand0In0.eyJpc3MiOiJodHRwczovL2FwaS5hZ2VudC1yYWlscy5leGFtcGxlIiwiaWF0IjoxNzk1NTI3MTIwLCJraW5kIjoicmVjZWlwdCIsInN1YiI6ImV4YW1wbGUifQ.0Je19Jpv6LFBucPJcCqAqyTm-wo7QtqziwohQUwkaGoZiBazkux7uUsModXy0MGTKT1SIGVdgkaqUtMDxONMGw',
})

/** The receipt of an operator's act: its name and what it was done to. */
export const actReceiptOf = (act: string, act_on: string, reason: string) =>
  receiptOf('control_change', ids.act, {
    act,
    act_on,
    reason,
    operator_id: ids.operator,
    operator_name: 'Lena Brandt',
    at: '2026-11-24T09:32:00.000Z',
  })

/** What the service finds when it judges a receipt that holds. */
export const verificationPacket = {
  verified: true,
  receipt_id: ids.settlementReceipt,
  kind: 'attestation',
  usage: 'operational',
  log_state: 'included',
  leaf_index: 4711,
  tree_size: 4720,
  checks: [
    { check: 'key', ok: true, detail: 'key receipt-2026-11' },
    { check: 'signature', ok: true, detail: 'EdDSA over the compact form' },
    { check: 'issuer', ok: true, detail: `issuer ${BASE_URL}/api/trust-contract` },
    { check: 'key_standing', ok: true, detail: 'the key was active' },
    { check: 'log', ok: true, detail: 'it is in the log' },
  ],
  signature: {
    alg: 'EdDSA',
    key_id: 'receipt-2026-11',
    key_state_at_issue: 'active',
    key_state_at: 'active',
    valid: true,
  },
  payload_sha256: digests.payload,
  verified_at: '2026-11-24T10:00:00.000Z',
} as const

export const receiptExamples = {
  'verify-receipt': {
    input: { receipt_id: ids.settlementReceipt },
    output: verificationPacket,
  },
} as const
