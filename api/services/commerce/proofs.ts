import { evaluate } from '#domain/commerce/evaluate.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { returnPackageId } from '#domain/runs/return-package.ts'
import { findCredential } from '../../../activities/store/agents/agent-credentials.ts'
import { lockAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  lockUnproven,
  type ProofLoopRow,
  proveLoop,
} from '../../../activities/store/commerce/proof-loops.ts'
import { countDecisions, findCommerceProof } from '../../../activities/store/commerce/proofs.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { lockSubject } from '../../../activities/store/trust/subject-lock.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { isPublished } from './consent.ts'
import type { CommerceDeps } from './deps.ts'
import { type Asked, factsOf, gather, holdAgent } from './gather.ts'
import { makePacket } from './packet.ts'
import { recordProof } from './record.ts'
import { type CommerceRequest, digestsOf } from './request.ts'
import { proofView, publicProofView } from './views.ts'

/** A proof that may be stored. */
export type Prepared = Awaited<ReturnType<CommerceProofService['prepare']>>

const proofIdOf = (callId: string): string =>
  `cp_${digestOf({ type: 'service.commerce-proof.v1', call: callId })}`

/** Commerce proofs: decisions about return packages, computed from records and signed. */
export class CommerceProofService {
  private readonly deps: CommerceDeps

  constructor(deps: CommerceDeps) {
    this.deps = deps
  }

  /** The number of proofs by decision. */
  decided(): Promise<Record<string, number>> {
    return countDecisions(this.deps.db)
  }

  /**
   * Decides about a package in one transaction that also stores record, receipt and passport. Throws 401 and 403 for an agent that the
   * call does not prove or whose key is no longer good, 422 `evidence_mismatch`, and 429 where too many proofs of the agent wait for a person.
   */
  async evaluate(asked: Asked) {
    const prepared = await this.prepare(asked)
    const call = { callId: asked.callId, subject: prepared.proofId, status: 201 }
    return answerOnce(this.deps, call, (tx) => this.record(tx, prepared))
  }

  /** Everything that is read before the transaction of a proof. */
  async prepare(asked: Asked) {
    assertAgent(asked)
    const digests = digestsOf(asked.request)
    const gathered = await gather(this.deps, asked)
    return { ...asked, digests, gathered, proofId: proofIdOf(asked.callId) }
  }

  /** Decides about a prepared proof, and stores and signs the decision, in the caller's transaction. */
  async record(tx: Tx, prepared: Prepared) {
    if (prepared.agent !== undefined) await holdAgent(tx, prepared.agent)
    return proofView(this.deps, tx, await this.#judge(tx, prepared))
  }

  /** The decision about a prepared proof, and its packet, of which nothing is stored. */
  async preview(prepared: Prepared) {
    const { digests, gathered, proofId } = prepared
    const read = await factsOf(this.deps.db, prepared, { gathered, digests })
    const evaluation = evaluate(read.facts)
    const packet = makePacket(this.deps, { ...read, proofId, digests, gathered, evaluation })
    return { decision: evaluation.decision, packet }
  }

  /** Decides once about the package of a closed run, for the agent and the access key that began it. */
  async proveLoop({ task_id, agent_id, credential_id }: ProofLoopRow): Promise<void> {
    const { db } = this.deps
    const credential = await findCredential(db, credential_id)
    if (credential === undefined) throw new Error(`the credential ${credential_id} is missing`)
    const { trust_state: trust, rails, sandbox } = credential
    const agent = { agentId: agent_id, credentialId: credential_id, trust, rails, sandbox }
    const request = loopRequest(agent_id, runIdOf(task_id))
    const asked = { request, agent: { ...agent, mayPublish: false }, callId: `loop:${task_id}` }
    const prepared = await this.prepare(asked)
    await transaction(db, async (tx) => {
      await lockAgent(tx, agent_id)
      if (!(await lockUnproven(tx, task_id))) return
      const proof = await this.#judge(tx, prepared)
      await proveLoop(tx, task_id, proof.proof_id)
    })
  }

  async #judge(tx: Tx, prepared: Prepared) {
    const { digests, gathered } = prepared
    await lockSubject(`package:${digests.package_sha256}`).run(tx)
    const read = await factsOf(tx, prepared, { gathered, digests })
    const evaluation = evaluate(read.facts)
    return recordProof(this.deps, tx, { ...prepared, ...read, evaluation })
  }

  /** An own proof in full; a published one, or one without an agent, without what is private. 404 for any other. */
  async read(proofId: string, agentId: string | undefined) {
    const { db } = this.deps
    const row = await findCommerceProof(db, proofId)
    const isOwn = row !== undefined && row.agent_id !== null && row.agent_id === agentId
    if (row === undefined || !(isOwn || row.agent_id === null || (await isPublished(db, proofId))))
      throw refuse('not_found', {
        detail: 'no published proof and no proof of yours has this id',
        next_action: 'Take the id from the activity feed, or present the access key of its agent.',
      })
    return isOwn ? proofView(this.deps, db, row) : publicProofView(this.deps, db, row)
  }
}

/** What is asked about the package of a run: it claims nothing beyond itself. */
const loopRequest = (agent_id: string, run_id: string): CommerceRequest => ({
  schema_version: 'v1',
  mission: {
    mission_id: run_id,
    kind: 'rail_run',
    objective: 'The result of a run, from its product to its proof.',
    publication_consent: false,
  },
  agent: { agent_id },
  return_package: { return_package_id: returnPackageId(run_id), claims: [] },
  evidence: [],
})

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
