import { type Evaluation, evaluate } from '#domain/commerce/evaluate.ts'
import type { CommerceFacts, ProvenAgent } from '#domain/commerce/facts.ts'
import { canonicalJson, digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  type CommerceProofRow,
  countDecisions,
  findCommerceProof,
  insertCommerceProof,
  listProofsOf,
} from '../../../activities/store/commerce/proofs.ts'
import { listOwnOrderTasks } from '../../../activities/store/commerce/records.ts'
import { appendReceipt } from '../../../activities/store/payouts/receipts.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'
import { consent, isPublished } from './consent.ts'
import type { CommerceDeps } from './deps.ts'
import { readEvidence, readMandate, readPackage } from './evidence.ts'
import { makePacket } from './packet.ts'
import { chainFault, readPayment } from './payment.ts'
import { type CommerceRequest, digestsOf, itemsOf } from './request.ts'
import { proofView, publicProofView } from './views.ts'

/** The agent whose access key a call presents. */
export type ProofAgent = ProvenAgent & {
  readonly credentialId: string
  readonly sandbox: boolean
  readonly mayPublish: boolean
}
type Asked = { request: CommerceRequest; agent: ProofAgent | undefined; callId: string }
type Gathered = Awaited<ReturnType<CommerceProofService['gather']>>

/** Commerce proofs: decisions about return packages, computed from records and signed. */
export class CommerceProofService {
  readonly #deps: CommerceDeps

  constructor(deps: CommerceDeps) {
    this.#deps = deps
  }

  /** The number of proofs by decision. */
  decided(): Promise<Record<string, number>> {
    return countDecisions(this.#deps.db)
  }

  /**
   * Decides about a package in one transaction that also stores record, receipt and passport. Throws 401 and 403 for an agent that the
   * call does not prove, 422 `evidence_mismatch`.
   */
  async evaluate(asked: Asked) {
    assertAgent(asked)
    const digests = digestsOf(asked.request)
    const gathered = await this.gather(asked)
    const proofId = `cp_${digestOf({ type: 'service.commerce-proof.v1', call: asked.callId })}`
    const call = { callId: asked.callId, subject: proofId, status: 201 }
    return answerOnce(this.#deps, call, async (tx) => {
      await lockSubject(`package:${digests.package_sha256}`).run(tx)
      const { facts, reference } = await this.#facts(tx, asked, { ...gathered, ...digests })
      const evaluation = evaluate(facts)
      const made = { ...asked, ...digests, proofId, facts, evaluation, reference, gathered }
      return this.#store(tx, made)
    })
  }

  /** An own proof in full; a published one, or one without an agent, without what is private. 404 for any other. */
  async read(proofId: string, agentId: string | undefined) {
    const { db } = this.#deps
    const row = await findCommerceProof(db, proofId)
    const isOwn = row !== undefined && row.agent_id !== null && row.agent_id === agentId
    if (row === undefined || !(isOwn || row.agent_id === null || (await isPublished(db, proofId))))
      throw refuse('not_found', {
        detail: 'no published proof and no proof of yours has this id',
        next_action: 'Take the id from the activity feed, or present the access key of its agent.',
      })
    return isOwn ? proofView(this.#deps, db, row) : publicProofView(this.#deps, db, row)
  }

  /** Everything that is read outside the transaction: files, receipts and the chain. */
  async gather({ request, agent }: Pick<Asked, 'request' | 'agent'>) {
    const given = itemsOf(request)
    const { return_package: of, mission, payment: named } = request
    const isRecorded = 'return_package_id' in of
    const agentId = agent?.agentId
    const stored = isRecorded
      ? await readPackage(this.#deps, of.return_package_id, agentId)
      : undefined
    const isOrder = mission.kind === 'work_order_delivery' && agentId !== undefined
    const tasks = isOrder ? await listOwnOrderTasks(this.#deps.db, mission.mission_id, agentId) : []
    const ownsOrder = tasks.length > 0
    const credits = stored ? [stored.entitlementId] : tasks.map((task) => task.entitlement_id)
    const entitlements = isRecorded || ownsOrder ? credits.flatMap((id) => id ?? []) : undefined
    const [evidence, fault] = await Promise.all([
      readEvidence(this.#deps, request),
      chainFault(this.#deps, { agentId, named, entitlements }),
    ])
    return {
      given,
      items: stored ? stored.items : given.artifacts,
      recorded: isRecorded ? (stored?.recorded ?? null) : undefined,
      ownsOrder,
      entitlements,
      evidence,
      fault,
    }
  }

  async #facts(
    tx: Tx,
    { request, agent }: Asked,
    found: Gathered & { mission_sha256: string; package_sha256: string },
  ) {
    const { entitlements, fault, mission_sha256, recorded, items } = found
    const paying = {
      agentId: agent?.agentId,
      missionSha256: mission_sha256,
      named: request.payment,
      entitlements,
    }
    const paid = await readPayment(tx, paying, fault)
    const facts: CommerceFacts = {
      kind: request.mission.kind,
      binding: request.protocol_binding ?? null,
      agent: agent ?? null,
      items,
      claims: request.return_package.claims,
      evidence: found.evidence,
      recorded,
      ownsOrder: found.ownsOrder,
      payment: paid.facts,
      mandate: await readMandate(tx, request.authority?.mandate_id, agent?.agentId),
      duplicate: await this.#earlier(tx, agent, found),
      usage: usageOf(agent, recorded),
      now: await clockSeconds(tx),
    }
    return { facts, reference: paid.reference }
  }

  /** The same mission may be decided again until it may continue; strangers without a credential are no competitors of an agent. */
  async #earlier(
    tx: Tx,
    agent: ProofAgent | undefined,
    {
      mission_sha256,
      package_sha256,
      recorded,
    }: Gathered & Record<'mission_sha256' | 'package_sha256', string>,
  ): Promise<CommerceFacts['duplicate']> {
    const proofs = await listProofsOf(tx, package_sha256, agent === undefined ? 'anyone' : 'agents')
    const isOwn = (proof: { agent_id: string | null }) =>
      agent !== undefined && proof.agent_id === agent.agentId
    const again = proofs.find(
      (proof) =>
        (recorded === undefined || isOwn(proof)) &&
        !(isOwn(proof) && proof.mission_sha256 === mission_sha256 && isUndecided(proof)),
    )
    if (again === undefined) return null
    return isOwn(again) ? { proofId: again.proof_id } : 'foreign'
  }

  async #store(tx: Tx, made: Made) {
    const { request, agent, evaluation, facts, proofId, callId, reference } = made
    const packet = await makePacket(this.#deps, tx, made)
    const packetText = canonicalJson(packet)
    const { decision, checks } = evaluation
    const shared = {
      proof_id: proofId,
      agent_id: agent?.agentId ?? null,
      credential_bound: agent !== undefined,
      mission_kind: facts.kind,
      mission_sha256: made.mission_sha256,
      package_sha256: made.package_sha256,
      decision,
    }
    const iat = Math.floor(facts.now)
    const commerce = await this.#sign(
      tx,
      { kind: 'commerce', proofId, iat, usage: facts.usage },
      {
        ...shared,
        protocol_binding: facts.binding,
        request_sha256: made.request_sha256,
        packet_sha256: sha256Hex(packetText),
        checks: checks.map(({ check, outcome, reason }) => ({ check, outcome, reason })),
        money_movement: false,
      },
    )
    const passport = await this.#sign(
      tx,
      { kind: 'passport', proofId, iat, usage: facts.usage },
      {
        ...shared,
        passport_type: 'agent_commerce',
        commerce_receipt_id: commerce,
        trust_state: agent?.trust ?? null,
      },
    )
    const waits = decision === 'human_review_required' && agent !== undefined && !agent.sandbox
    const row = await insertCommerceProof(tx, {
      proof_id: proofId,
      call_id: callId,
      agent_id: shared.agent_id,
      credential_id: agent?.credentialId ?? null,
      mission_kind: facts.kind,
      mission_sha256: made.mission_sha256,
      protocol_binding: facts.binding,
      usage: facts.usage,
      request: made.text,
      request_sha256: made.request_sha256,
      package_sha256: made.package_sha256,
      payment_reference_id: reference?.payment_reference_id ?? null,
      decision,
      packet: packetText,
      packet_sha256: sha256Hex(packetText),
      receipt_id: commerce,
      passport_receipt_id: passport,
      review_state: waits ? 'waiting' : null,
      evaluated_at: new Date(iat * 1000),
    })
    if (request.mission.publication_consent && agent?.mayPublish === true)
      await consent(this.#deps, tx, { row, consents: true })
    return proofView(this.#deps, tx, row)
  }

  async #sign(
    tx: Tx,
    { kind, proofId, iat, usage }: { kind: string; proofId: string; iat: number; usage: string },
    facts: Record<string, unknown>,
  ): Promise<string> {
    const { signReceipt, issuer, environment } = this.#deps
    const receipt = { subject: proofId, kind, usage, environment, issuer, facts }
    return receiptId(await appendReceipt(tx, signReceipt, receipt, iat))
  }
}

/** A proof that is about to be stored. */
export type Made = Asked &
  ReturnType<typeof digestsOf> & {
    proofId: string
    facts: CommerceFacts
    evaluation: Evaluation
    reference: Awaited<ReturnType<typeof readPayment>>['reference']
    gathered: Gathered
  }

const isUndecided = ({
  decision,
  review_state,
}: Pick<CommerceProofRow, 'decision' | 'review_state'>): boolean =>
  decision !== 'eligible_to_continue' && review_state !== 'approved'

function usageOf(
  agent: ProofAgent | undefined,
  recorded: CommerceFacts['recorded'],
): CommerceFacts['usage'] {
  if (recorded) return recorded.usage
  if (agent === undefined) return 'unspecified'
  return agent.sandbox ? 'synthetic' : 'operational'
}

function assertAgent({ request, agent }: Asked): void {
  const named = request.agent.agent_id
  if (named === undefined || named === agent?.agentId) return
  if (agent === undefined)
    throw refuse('credential_required', {
      detail: 'an agent is named by its own access key',
      next_action: 'Present the access key of the agent, or give agent.name instead of agent_id.',
    })
  throw refuse('not_owner', { detail: 'the access key belongs to another agent' })
}
