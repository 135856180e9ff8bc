import { type Evaluation, provenBinding } from '#domain/commerce/evaluate.ts'
import type { CommerceFacts } from '#domain/commerce/facts.ts'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import {
  type CommerceProofRow,
  countWaitingOf,
  insertCommerceProof,
} from '../../../activities/store/commerce/proofs.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import { consent } from './consent.ts'
import type { CommerceDeps } from './deps.ts'
import type { Asked, Gathered } from './gather.ts'
import { makePacket } from './packet.ts'
import type { Digests } from './request.ts'

/** A decision that is about to be stored. */
export type Made = Asked & {
  proofId: string
  digests: Digests
  gathered: Gathered
  facts: CommerceFacts
  reference: ReferenceRow | undefined
  evaluation: Evaluation
}

/** Signs and stores a decision with its receipt, passport and packet, and the consent that its request gives. */
export async function recordProof(
  deps: CommerceDeps,
  tx: Tx,
  made: Made,
): Promise<CommerceProofRow> {
  const { request, agent, facts, digests, evaluation, proofId: proof_id } = made
  const { decision } = evaluation
  const isTrial = agent === undefined || agent.sandbox || made.usage === 'synthetic'
  const waits = decision === 'human_review_required' && !isTrial
  if (waits && agent !== undefined) await assertMayWait(tx, agent.agentId)
  const packet = canonicalJson(makePacket(deps, made))
  const packet_sha256 = sha256Hex(packet)
  const signed = await signProof(deps, tx, { ...made, packet_sha256 })
  const row = await insertCommerceProof(tx, {
    proof_id,
    call_id: made.callId,
    agent_id: agent?.agentId ?? null,
    credential_id: agent?.credentialId ?? null,
    mission_kind: facts.kind,
    mission_sha256: digests.mission_sha256,
    protocol_binding: provenBinding(facts, evaluation),
    usage: facts.usage,
    request: digests.text,
    request_sha256: digests.request_sha256,
    package_sha256: digests.package_sha256,
    payment_reference_id: made.reference?.payment_reference_id ?? null,
    decision,
    packet,
    packet_sha256,
    ...signed,
    review_state: waits ? 'waiting' : null,
    evaluated_at: new Date(Math.floor(facts.now) * 1000),
  })
  if (request.mission.publication_consent && agent?.mayPublish === true)
    await consent(deps, tx, { row, consents: true })
  return row
}

/** The receipt of a decision, and the passport that names it. They hold no text of the caller. */
async function signProof(
  deps: ReceiptIssuer,
  tx: Tx,
  { agent, facts, digests, evaluation, packet_sha256, proofId }: Made & { packet_sha256: string },
): Promise<{ receipt_id: string; passport_receipt_id: string }> {
  const { kind: mission_kind, usage, now } = facts
  const { decision, checks } = evaluation
  const { mission_sha256, package_sha256, request_sha256 } = digests
  const shared = {
    proof_id: proofId,
    agent_id: agent?.agentId ?? null,
    credential_bound: agent !== undefined,
    mission_kind,
    mission_sha256,
    package_sha256,
    decision,
  }
  const sign = async (kind: string, own: Record<string, unknown>) => {
    const about = { subject: proofId, kind, usage, facts: { ...shared, ...own } }
    return receiptId(await issueReceipt(deps, tx, { ...about, nowSeconds: now }))
  }
  const receipt_id = await sign('commerce', {
    protocol_binding: provenBinding(facts, evaluation),
    request_sha256,
    packet_sha256,
    checks: checks.map(({ check, outcome, reason }) => ({ check, outcome, reason })),
    money_movement: false,
  })
  const passport_receipt_id = await sign('passport', {
    passport_type: 'agent_commerce',
    commerce_receipt_id: receipt_id,
    trust_state: agent?.trust ?? null,
  })
  return { receipt_id, passport_receipt_id }
}

/** Decision: so many proofs of one agent wait for a person at once. */
const WAITING_MAX = 25

async function assertMayWait(tx: Tx, agentId: string): Promise<void> {
  if ((await countWaitingOf(tx, agentId)) < WAITING_MAX) return
  throw refuse('rate_limited', {
    detail: `${WAITING_MAX} proofs of this agent wait for a person`,
    next_action: 'Repeat the call when an operator has decided about some of them.',
    retry_after_ms: 600_000,
  })
}
