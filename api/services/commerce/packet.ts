import type { Evaluation } from '#domain/commerce/evaluate.ts'
import type { CommerceFacts } from '#domain/commerce/facts.ts'
import { type CommercePacket, offlineSteps } from '#domain/commerce/packet.ts'
import { keysUrlOf } from '#domain/verification/key-document.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import type { CommerceDeps } from './deps.ts'
import type { Gathered } from './gather.ts'
import type { Digests } from './request.ts'

type Judged = {
  proofId: string
  evaluation: Evaluation
  facts: CommerceFacts
  reference: ReferenceRow | undefined
  gathered: Gathered
  digests: Digests
}

/** The packet of a proof that is about to be stored. */
export function makePacket(
  { baseUrl }: Pick<CommerceDeps, 'baseUrl'>,
  { proofId, evaluation, facts, reference, gathered, digests }: Judged,
): CommercePacket {
  const isRecorded = facts.recorded !== undefined
  const isWhole = isRecorded && facts.recorded?.faults.length === 0
  return {
    proof_id: proofId,
    request_sha256: digests.request_sha256,
    package_sha256: digests.package_sha256,
    inputs: [
      ...facts.items.map(({ name, sha256, text }) => ({
        kind: isRecorded ? ('file' as const) : ('artifact' as const),
        name,
        sha256,
        recomputed: isRecorded ? isWhole : text !== null,
      })),
      ...gathered.given.evidence.map(({ name, sha256, text }, at) => ({
        kind: 'evidence' as const,
        name,
        sha256,
        recomputed: text !== null || gathered.evidence[at]?.receipt?.found === true,
      })),
    ],
    claims: [...evaluation.claims],
    checks: [...evaluation.checks],
    payment: reference
      ? {
          payment_reference_id: reference.payment_reference_id,
          method: reference.method,
          state: reference.state,
          amount_usd: reference.amount_usd,
          settlement_receipt_id: reference.settlement_receipt_id,
        }
      : null,
    keys_url: keysUrlOf(baseUrl),
    offline_verification: offlineSteps(baseUrl),
  }
}
