import { analysisOf } from '#domain/analysis/analysis.ts'
import { analysisFixture } from '#domain/analysis/fixture.ts'
import {
  type AnalysisInput,
  itemsOf,
  judgedClaims,
  packetInputOf,
  questionsOf,
} from '#domain/analysis/input.ts'
import { Analysis } from '#domain/commerce/analysis-schema.ts'
import { ANALYSIS_ITEM } from '#domain/commerce/reserved-names.ts'
import { canonicalJson, digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import type { Prompt } from '#domain/drafts/prompt.ts'
import type { DiligenceResult } from '#domain/rails/diligenceops/index.ts'
import type { Drafts } from '#domain/rails/drafts/draft.ts'
import type { PacketResult } from '#domain/rails/packetops/index.ts'
import type { Work } from '#domain/rails/rail.ts'
import type { RailPool } from '../../../activities/runs/isolation/rail-pool.ts'
import type { ComputeNetwork } from '../../../activities/store/calls/compute.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  countModelCalls,
  findAnalysis,
  insertAnalysis,
  type ModelCaller,
} from '../../../activities/store/commerce/analyses.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import type { ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import { type ProofAgent, usageBy } from '../commerce/gather.ts'
import type { CommerceProofService, Prepared } from '../commerce/proofs.ts'
import type { CommerceRequest } from '../commerce/request.ts'
import { type PublicWork, publicWork } from '../inputs/public-work.ts'
import type { Samples } from '../receipts/sample.ts'
import { type ModelDeps, modelAnswers } from './model-answers.ts'

export type EvidenceDeps = ModelDeps &
  ReceiptIssuer & {
    readonly pool: Pick<RailPool, 'queue'>
    readonly proofs: Pick<CommerceProofService, 'prepare' | 'record' | 'preview'>
    readonly baseUrl: string
    readonly samples: Samples
  }
/** Who asks for an analysis: the agent of a presented access key, or an address. */
export type Asking = {
  agent: ProofAgent | undefined
  address: string
  network: ComputeNetwork
  callId: string
}
export type AnalysisAsked = Asking & {
  input: AnalysisInput
  force_fallback: boolean
  usage?: 'synthetic' | undefined
  mission?: { mission_id?: string | undefined; publication_consent: boolean }
}
export type PreparedAnalysis = {
  analysis: Analysis
  /** Its canonical JSON. */
  text: string
  prepared: Prepared
}

/** The fixed packet, as a caller without an access key would send it for a trial. */
const sampleAsked: AnalysisAsked = {
  agent: undefined,
  address: '',
  network: null,
  callId: 'sample',
  input: analysisFixture,
  force_fallback: true,
  usage: 'synthetic',
}

/** Analyses of evidence: by the rules of two rails, with a model where one is configured, each wrapped in a commerce proof. */
export class EvidenceAnalyses {
  private readonly deps: EvidenceDeps
  readonly #free: PublicWork
  readonly #agents: PublicWork
  #samples: Promise<PreparedAnalysis> | undefined

  constructor(deps: EvidenceDeps) {
    this.deps = deps
    this.#free = publicWork(deps, 'analysis', { queue: 'free analyses' })
    this.#agents = publicWork(deps, 'analysis', { queue: 'analyses of agents' })
  }

  /** The analysis of a fixed packet by the rules alone, of which nothing is stored. */
  sample() {
    return this.deps.samples.once('model-evidence-analysis', async ({ sign }) => {
      const { analysis } = await this.#sampled()
      const shown = { analysis, force_fallback: true as const }
      return sign({ shown, claims: { analysis_sha256: digestOf(analysis) } })
    })
  }

  /** An analysis of this agent, as it was stored. Throws 404 for any other. */
  async read(analysisId: string, agentId: string) {
    const { db, baseUrl } = this.deps
    const row = await findAnalysis(db, analysisId)
    if (row === undefined || row.agent_id !== agentId)
      throw refuse('not_found', {
        detail: 'no analysis of yours has this id',
        next_action: 'Take analysis_id from the answer of the analysis, with the same access key.',
      })
    const { analysis, analysis_sha256, proof_id, made_at } = row
    return {
      analysis: Analysis.parse(analysis),
      analysis_sha256,
      proof_id,
      proof_url: `${baseUrl}/api/agent-commerce-proof?proof_id=${proof_id}`,
      made_at: made_at.toISOString(),
    }
  }

  /** The same as a free proof: decided as any other, and not stored. */
  sampleProof() {
    return this.deps.samples.once('free-proof-run', async ({ sign }) => {
      const { analysis, decision, packet } = await this.decidedSample()
      const claims = {
        decision,
        analysis_sha256: digestOf(analysis),
        packet_sha256: digestOf(packet),
      }
      const shown = { proof: { analysis, decision }, verification_packet: packet }
      const sample = await sign({ shown, claims })
      const { receipt } = sample
      const verify_url = `${this.deps.baseUrl}/api/verify-receipt?receipt=${receipt.jws}`
      return { ...sample, passport: { ...receipt, claims, verify_url } }
    })
  }

  /** The analysis of the fixed packet with the decision about it. */
  async decidedSample() {
    const { analysis, prepared } = await this.#sampled()
    return { analysis, ...(await this.deps.proofs.preview(prepared)) }
  }

  /** The work on the fixed packet, done once by this process. */
  #sampled(): Promise<PreparedAnalysis> {
    const sampled = this.#samples ?? this.prepare(sampleAsked)
    this.#samples = sampled
    sampled.catch(() => {
      this.#samples = undefined
    })
    return sampled
  }

  /** A signed trial of a proof over what the caller gives, without a model. */
  async prove(asked: Omit<AnalysisAsked, 'force_fallback' | 'usage'>) {
    const prepared = await this.prepare({ ...asked, usage: 'synthetic', force_fallback: true })
    const call = { callId: asked.callId, subject: prepared.analysis.analysis_id, status: 200 }
    return answerOnce(this.deps, call, async (tx) => {
      const { analysis, decision, ...signed } = await this.record(tx, prepared)
      return { ...signed, proof: { analysis, decision }, usage: 'synthetic' as const }
    })
  }

  async run(asked: AnalysisAsked) {
    const prepared = await this.prepare(asked)
    const { callId } = asked
    return answerOnce(
      this.deps,
      { callId, subject: prepared.analysis.analysis_id, status: 200 },
      async (tx) => ({
        ...(await this.record(tx, prepared)),
        guardrails: await this.#guardrails(tx, callerOf(asked)),
      }),
    )
  }

  /** Analyses a packet, outside of any transaction. */
  async prepare(asked: AnalysisAsked): Promise<PreparedAnalysis> {
    const { agent, callId, input, usage } = asked
    const analysisId = `an_${digestOf({ type: 'service.evidence-analysis.v1', call: callId })}`
    const analysis = await this.#analyse(
      { analysisId, input, usage: usage ?? usageBy(agent) },
      asked,
    )
    const text = canonicalJson(analysis)
    const request = requestOf(asked, analysisId, text)
    const prepared = await this.deps.proofs.prepare({ request, agent, callId, usage })
    return { analysis, text, prepared }
  }

  /** Stores an analysis with its proof in the caller's transaction. */
  async record(tx: Tx, { analysis, text, prepared }: PreparedAnalysis) {
    const proof = await this.deps.proofs.record(tx, prepared)
    const { proof_id, decision, receipt, passport, verification_packet } = proof
    await insertAnalysis(tx, {
      analysis_id: analysis.analysis_id,
      agent_id: prepared.agent?.agentId ?? null,
      analysis: text,
      analysis_sha256: sha256Hex(text),
      proof_id,
    })
    return { analysis, proof_id, decision, receipt, passport, verification_packet }
  }

  async #analyse(
    about: { analysisId: string; input: AnalysisInput; usage: Analysis['usage'] },
    asked: AnalysisAsked,
  ): Promise<Analysis> {
    const { input } = about
    const work = (rail: 'packetops' | 'diligenceops', value: unknown) =>
      this.#workOf(asked)({ kind: 'work', rail, tier: 'pro', value, lists: {} }, asked.network)
    const packet = (await work('packetops', packetInputOf(input))) as Work<PacketResult>
    const questions = questionsOf(input)
    const answers = questions && ((await work('diligenceops', questions)) as Work<DiligenceResult>)
    const drafts = answers ? await this.#drafts(about.analysisId, asked, answers) : null
    return analysisOf({ ...about, packet, answers, drafts })
  }

  /** What the model writes about questions that the rules leave open; null where it is not asked. */
  async #drafts(
    analysisId: string,
    asked: AnalysisAsked,
    work: Work<DiligenceResult>,
  ): Promise<Drafts | null> {
    if (this.deps.model === null || asked.force_fallback) return null
    const input = questionsOf(asked.input)
    const draft = (outputs: Awaited<ReturnType<typeof modelAnswers>> | null) =>
      this.#workOf(asked)(
        { kind: 'draft', rail: 'diligenceops', input, work, outputs },
        asked.network,
      )
    const prompts = (await draft(null)) as Prompt[]
    if (prompts.length === 0) return null
    const caller = callerOf(asked)
    return (await draft(
      await modelAnswers(this.deps, { analysisId, caller, prompts }),
    )) as Drafts | null
  }

  /** Callers without a key and sandbox agents, which are free, wait apart from other agents. */
  #workOf({ agent }: Asking): PublicWork {
    return agent === undefined || agent.sandbox ? this.#free : this.#agents
  }

  async #guardrails(tx: Tx, caller: ModelCaller) {
    const { model, callsPerCaller } = this.deps
    const used = await countModelCalls(tx, caller)
    const calls_left = model === null ? null : Math.max(0, callsPerCaller - used)
    return { calls_left, bytes: limits.analysisBodyBytesMax }
  }
}

/** Calls of the model are counted against the caller: an agent, or the address of a caller without an access key. */
const callerOf = ({ agent, address }: Asking): ModelCaller =>
  agent === undefined
    ? { name: `address:${address}`, group: 'anonymous' }
    : { name: `agent:${agent.agentId}`, group: 'agents' }

/** The proof of an analysis: the analysis and what it was made of. */
function requestOf(
  { input, agent, mission }: AnalysisAsked,
  analysisId: string,
  text: string,
): CommerceRequest {
  const { title, purpose = title } = input.packet
  const { mission_id = analysisId, publication_consent = false } = mission ?? {}
  return {
    schema_version: 'v1',
    mission: { mission_id, kind: 'free_proof', objective: purpose, publication_consent },
    agent: agent === undefined ? { name: 'anonymous' } : { agent_id: agent.agentId },
    return_package: {
      artifacts: [
        { name: ANALYSIS_ITEM, sha256: sha256Hex(text), content: text },
        ...itemsOf(input).map(({ name, sha256, text: content }) => ({ name, sha256, content })),
      ],
      claims: judgedClaims(input).map(({ claim, artifact }) => ({ claim, artifact })),
    },
    evidence: [],
  }
}
