import {
  type CommerceProofRow,
  findCommerceProof,
  listOthersOf,
  lockCommerceProof,
  reviewCommerceProof,
  waitingProofs,
} from '../../../activities/store/commerce/proofs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { CommerceRequest } from '../commerce/request.ts'
import { decisionNow } from '../commerce/views.ts'
import { reviewOf } from './record-subject.ts'
import { agentEvidence } from './task-evidence.ts'

/** Commerce proofs whose checks need a person; approved, their mission may continue. */
export const commerceProofSubject = reviewOf<CommerceProofRow>({
  kind: 'commerce_proof',
  name: 'proof',
  rows: { find: findCommerceProof, lock: lockCommerceProof, waiting: waitingProofs },
  since: ({ evaluated_at }) => evaluated_at,
  state: ({ review_state, decision }) => review_state ?? decision,
  allowed: ({ review_state }) => (review_state === 'waiting' ? ['approve', 'reject'] : []),
  line: ({ proof_id, receipt_id, packet, mission_kind, request }) => {
    const { mission } = request as unknown as CommerceRequest
    const open = packet.checks.flatMap(({ reason }) => reason ?? [])
    return {
      subject_id: proof_id,
      summary: `${mission_kind} ${mission.mission_id}: ${open.join(', ')}`,
      amount_usd: packet.payment?.amount_usd ?? null,
      evidence_links: [{ host: 'base', path: `/api/verify-receipt?receipt_id=${receipt_id}` }],
    }
  },
  content: contentOf,
  decide: async (tx, { proof_id }, { decision, decisionId }) => {
    const state = decision === 'approve' ? 'approved' : 'rejected'
    const reviewed = await reviewCommerceProof(tx, proof_id, { state, decisionId })
    const view = {
      proof_id,
      decision: decisionNow(reviewed),
      review_state: reviewed.review_state,
      receipt_id: reviewed.receipt_id,
    }
    const facts = { commerce_decision: view.decision, commerce_receipt_id: view.receipt_id }
    return { state, view, facts }
  },
})

async function contentOf(tx: Tx, proof: CommerceProofRow) {
  const { request, packet, agent_id } = proof
  const { mission, agent, return_package, evidence, payment, authority, protocol_binding } =
    request as unknown as CommerceRequest
  return {
    request: { mission, agent, protocol_binding, authority },
    agent: agent_id === null ? undefined : await agentEvidence(tx, agent_id),
    payment: { named: payment ?? null, on_record: packet.payment },
    input: { return_package, evidence },
    findings: packet.claims,
    checks: packet.checks,
    history: {
      state: proof.review_state,
      receipt_id: proof.receipt_id,
      other_proofs: await listOthersOf(tx, proof),
    },
  }
}
