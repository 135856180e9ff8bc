import { refuse } from '#domain/core/errors.ts'
import type { Decision } from '#domain/reviews/review.ts'
import {
  type CommerceProofRow,
  countWaitingProofs,
  findCommerceProof,
  listOthersOf,
  listWaitingProofs,
  lockCommerceProof,
  reviewCommerceProof,
} from '../../../activities/store/commerce/proofs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { CommerceRequest } from '../commerce/request.ts'
import { decisionNow } from '../commerce/views.ts'
import { unknownSubject } from './evidence.ts'
import type { ReviewSubject, WaitingSubject } from './subject.ts'
import { agentEvidence } from './task-evidence.ts'

const allowed: Decision[] = ['approve', 'reject']

/** Commerce proofs whose checks need a person; approved, their mission may continue. */
export const commerceProofSubject: ReviewSubject = {
  kind: 'commerce_proof',
  list: async (tx, filter, most) =>
    (await listWaitingProofs(tx, filter, most)).map((proof) => ({
      since: proof.evaluated_at,
      describe: async () => listed(proof),
    })),
  count: countWaitingProofs,
  evidence: async (tx, proofId) => {
    const proof = await findCommerceProof(tx, proofId)
    if (proof === undefined) return undefined
    return { since: proof.evaluated_at, content: await contentOf(tx, proof) }
  },
  decide: async (tx, { subjectId: proofId, decision, decisionId }, assert) => {
    const proof = await lockCommerceProof(tx, proofId)
    if (proof === undefined) throw unknownSubject('no such proof')
    await assert.waitsSince(proof.evaluated_at)
    if (proof.review_state !== 'waiting' || (decision !== 'approve' && decision !== 'reject'))
      throw refuse('wrong_state', {
        detail: `the proof is ${proof.review_state ?? proof.decision}`,
        next_action: `Allowed: ${allowed.join(', ')}.`,
        extra: { allowed_decisions: proof.review_state === 'waiting' ? allowed : [] },
      })
    await assert.evidenceSeen()
    const state = decision === 'approve' ? 'approved' : 'rejected'
    const reviewed = await reviewCommerceProof(tx, proofId, { state, decisionId })
    const view = {
      proof_id: proofId,
      decision: decisionNow(reviewed),
      review_state: reviewed.review_state,
      receipt_id: reviewed.receipt_id,
    }
    const facts = { commerce_decision: view.decision, commerce_receipt_id: view.receipt_id }
    return { state, view, facts }
  },
}

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

function listed({
  proof_id,
  receipt_id,
  packet,
  mission_kind,
  request,
  evaluated_at,
}: CommerceProofRow): WaitingSubject {
  const { mission } = request as unknown as CommerceRequest
  const open = packet.checks.flatMap(({ reason }) => reason ?? [])
  return {
    subject_kind: 'commerce_proof',
    subject_id: proof_id,
    state: 'waiting',
    waiting_since: evaluated_at.toISOString(),
    rail: null,
    summary: `${mission_kind} ${mission.mission_id}: ${open.join(', ')}`,
    amount_usd: packet.payment?.amount_usd ?? null,
    evidence_links: [{ host: 'base', path: `/api/verify-receipt?receipt_id=${receipt_id}` }],
    allowed_decisions: allowed,
  }
}
