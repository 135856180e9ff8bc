import { digestOf } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import type { PayoutUsage } from '#domain/core/usage.ts'
import { decodeCompact } from './compact.ts'

/** A receipt of ours as objects carry it: its claims, and the JWS that proves them. */
export type ReceiptView = {
  receipt_id: string
  kind: string
  issuer: string
  key_id: string
  issued_at: string
  subject: string
  usage: PayoutUsage
  payload: Record<string, unknown>
  payload_sha256: string
  prev_receipt_id: string | null
  jws: string
}

export function receiptView(jws: string): ReceiptView {
  const { header, payload } = decodeCompact(jws)
  return {
    receipt_id: receiptId(jws),
    kind: String(payload['kind']),
    issuer: String(payload['iss']),
    key_id: String(header['kid']),
    issued_at: new Date(Number(payload['iat']) * 1000).toISOString(),
    subject: String(payload['sub']),
    usage: payload['usage'] as PayoutUsage,
    payload,
    payload_sha256: digestOf(payload),
    prev_receipt_id: typeof payload['prev'] === 'string' ? `rc_${payload['prev']}` : null,
    jws,
  }
}
