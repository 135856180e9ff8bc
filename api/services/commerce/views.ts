import type { CommerceDecision } from '#domain/commerce/missions.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findConsent } from '../../../activities/store/commerce/activity.ts'
import type { CommerceProofRow } from '../../../activities/store/commerce/proofs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import { standingInLog } from '../receipts/log-state.ts'
import { activityIdOf, isPublished } from './consent.ts'
import type { CommerceDeps } from './deps.ts'
import type { CommerceRequest } from './request.ts'

type Urls = Pick<CommerceDeps, 'baseUrl'>

/** The decision as it stands: an approved review lets the mission continue. */
export const decisionNow = ({
  decision,
  review_state,
}: Pick<CommerceProofRow, 'decision' | 'review_state'>): CommerceDecision =>
  review_state === 'approved' ? 'eligible_to_continue' : decision

/** A proof as its caller and its agent see it. */
export async function proofView(urls: Urls, tx: Tx, row: CommerceProofRow) {
  const { packet, request } = row
  const { mission, agent, protocol_binding } = request as unknown as CommerceRequest
  const open = packet.checks.filter(
    ({ outcome }) => outcome === 'failed' || outcome === 'unverified',
  )
  return {
    proof_id: row.proof_id,
    decision: decisionNow(row),
    reasons: open.map(({ check, reason, detail }) => ({ check, reason, detail })),
    mission: { mission_id: mission.mission_id, kind: mission.kind, objective: mission.objective },
    agent: {
      agent_id: row.agent_id,
      name: agent.name ?? null,
      wallet: agent.wallet ?? null,
      credential_bound: row.credential_id !== null,
    },
    protocol_binding: protocol_binding ?? null,
    usage: row.usage,
    ...(await signedParts(urls, tx, row)),
    verification_packet: packet,
    persistence: await persistenceOf(urls, tx, row),
    money_movement: false as const,
  }
}

/** A proof as everyone may see it: codes and digests, and no text of its agent. */
export async function publicProofView(urls: Urls, tx: Tx, row: CommerceProofRow) {
  return {
    proof_id: row.proof_id,
    decision: decisionNow(row),
    checks: row.packet.checks.map(({ check, outcome, reason }) => ({ check, outcome, reason })),
    mission_kind: row.mission_kind,
    agent_id: row.agent_id,
    protocol_binding: row.protocol_binding,
    usage: row.usage,
    package_sha256: row.package_sha256,
    packet_sha256: row.packet_sha256,
    ...(await signedParts(urls, tx, row)),
    persistence: await persistenceOf(urls, tx, row),
    money_movement: false as const,
  }
}

async function signedParts({ baseUrl }: Urls, tx: Tx, row: CommerceProofRow) {
  const receipt = await requireReceipt(tx, row.receipt_id)
  const passport = await requireReceipt(tx, row.passport_receipt_id)
  const { iss: _iss, iat: _iat, sub: _sub, kind: _kind, ...facts } = passport.payload
  const { usage: _usage, environment: _environment, prev: _prev, ...claims } = facts
  const verify_url = `${baseUrl}/api/verify-receipt?receipt_id=${passport.receipt_id}`
  const { log_state } = await standingInLog(tx, receipt.jws)
  return { receipt, passport: { ...passport, claims, verify_url }, log_state }
}

async function requireReceipt(tx: Tx, receipt_id: string) {
  const row = await findReceipt(tx, { receipt_id })
  if (row === undefined) throw new Error(`the receipt ${receipt_id} is missing`)
  return receiptView(row.jws)
}

async function persistenceOf({ baseUrl }: Urls, tx: Tx, row: CommerceProofRow) {
  const consented = (await findConsent(tx, row.proof_id))?.consents === true
  return {
    state: 'persisted' as const,
    published: await isPublished(tx, row.proof_id),
    publication_consent: consented,
    activity_id: consented ? activityIdOf(row.proof_id) : null,
    review_state: row.review_state,
    review_decision_id: row.review_decision_id,
    evaluated_at: row.evaluated_at.toISOString(),
    record_url: `${baseUrl}/api/agent-commerce-proof?proof_id=${row.proof_id}`,
  }
}
