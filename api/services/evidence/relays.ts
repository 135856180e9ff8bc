import type { Analysis } from '#domain/commerce/analysis-schema.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { SERVICE_CHAIN, type UsageEvent, usageEventHash } from '#domain/credit/usage-event.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import { type ReceiptView, receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  type AnalysisRow,
  findAnalysis,
  insertRelay,
} from '../../../activities/store/commerce/analyses.ts'
import { findCommerceProof } from '../../../activities/store/commerce/proofs.ts'
import { appendUsageEvent, lockUsageChain } from '../../../activities/store/credit/usage-events.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { issueReceipt, type ReceiptIssuer } from '../../../activities/store/receipts/receipts.ts'
import { isPublished } from '../commerce/consent.ts'
import { decisionNow, proofView } from '../commerce/views.ts'
import { eventView } from '../credit/usage-ledger.ts'
import type { ReceiptService } from '../receipts/verification.ts'
import type { AnalysisAsked, Asking, EvidenceAnalyses, EvidenceDeps } from './analyses.ts'

type RelayDeps = EvidenceDeps & {
  readonly analyses: EvidenceAnalyses
  readonly receipts: Pick<ReceiptService, 'verify'>
}
/** An analysis on record, or one that is made first. */
export type RelayAsked = Asking &
  ({ stored: { analysis_id: string; [member: string]: unknown } } | { fresh: AnalysisAsked })

/** Relays of analyses: each is bound to its proof and to a use of its caller. */
export class ProofRelays {
  private readonly deps: RelayDeps

  constructor(deps: RelayDeps) {
    this.deps = deps
  }

  relay(asked: RelayAsked) {
    return this.relayAs(asked, { shown: async (_tx, relayed) => relayed })
  }

  /** The same with another answer; `facts` stand in the receipt as well. */
  async relayAs<Shown extends Record<string, unknown>>(
    asked: RelayAsked,
    { shown, facts }: Showing<Shown>,
  ): Promise<Shown> {
    const fresh = 'fresh' in asked ? await this.deps.analyses.prepare(asked.fresh) : undefined
    const stored = 'stored' in asked ? await this.#own(asked.stored, asked) : undefined
    const isVerified = stored !== undefined && (await this.#isVerified(stored.proof_id))
    const relayId = relayIdOf(asked.callId)
    const call = { callId: asked.callId, subject: relayId, status: 200 }
    return answerOnce(this.deps, call, async (tx) => {
      if (fresh !== undefined) await this.deps.analyses.record(tx, fresh)
      const analysisId = fresh?.analysis.analysis_id ?? stored?.analysis_id ?? ''
      const row = await findAnalysis(tx, analysisId)
      if (row === undefined) throw new Error(`the analysis ${analysisId} is missing`)
      return shown(tx, await this.#record(tx, { ...asked, relayId, row, isVerified, facts }))
    })
  }

  /** The relay of the published analysis, of which nothing is stored. */
  sample() {
    return this.deps.samples.once('model-proof-relay', async ({ sign }) => {
      const { analysis: analysis_result, decision } = await this.deps.analyses.decidedSample()
      const relay_id = relayIdOf('sample')
      const { at, entry } = sampleUse(relay_id)
      const unverified = { isVerified: false, isWaiting: false, isOfAgent: false, published: false }
      const said = { relay_id, entry_hash: entry.hash }
      const sample = await sign({
        at,
        shown: { analysis_result, ledger_entry: entry },
        claims: { ...said, analysis_sha256: digestOf(analysis_result) },
      })
      const { receipt_id } = sample.receipt
      const standing = standingOf({ ...unverified, decision })
      return { ...sample, proof_relay: { ...said, receipt_id, ...standing } }
    })
  }

  /** An analysis of the caller, or one without an agent that is sent whole: its id is in receipts, which others read. 404 for any other, 422 where it is not the one that is named. */
  async #own(named: { analysis_id: string }, { agent }: Asking): Promise<AnalysisRow> {
    const row = await findAnalysis(this.deps.db, named.analysis_id)
    if (row === undefined || (row.agent_id !== null && row.agent_id !== agent?.agentId))
      throw refuse('not_found', { detail: 'no analysis of yours has this id' })
    const isWhole = Object.keys(named).length > 1
    if (row.agent_id === null && !isWhole)
      throw refuse('evidence_mismatch', {
        detail: 'an analysis without an agent is relayed only for who sends it whole',
        next_action: 'Send all members of analysis_result as they were answered.',
      })
    if (isWhole && digestOf(named) !== row.analysis_sha256)
      throw refuse('evidence_mismatch', { detail: 'this is not the analysis on record' })
    return row
  }

  async #isVerified(proofId: string): Promise<boolean> {
    const proof = await findCommerceProof(this.deps.db, proofId)
    if (proof === undefined) return false
    return (await this.deps.receipts.verify({ receipt_id: proof.receipt_id })).verified
  }

  async #record(tx: Tx, { relayId, row, isVerified, ...asked }: Relayed): Promise<RelayedAnalysis> {
    const proof = await findCommerceProof(tx, row.proof_id)
    if (proof === undefined) throw new Error(`the proof ${row.proof_id} is missing`)
    const { passport, decision } = await proofView(this.deps, tx, proof)
    const analysis = row.analysis as Analysis
    const about = { relayId, usage: analysis.usage, rail: null, agentId: asked.agent?.agentId }
    const { event, receipt } = await recordRelay(this.deps, tx, {
      ...about,
      kind: 'relay',
      analysis_id: row.analysis_id,
      facts: {
        analysis_id: row.analysis_id,
        analysis_sha256: row.analysis_sha256,
        proof_id: row.proof_id,
        commerce_receipt_id: proof.receipt_id,
        passport_receipt_id: proof.passport_receipt_id,
        decision,
        ...asked.facts?.(),
      },
    })
    const standing = standingOf({
      isVerified,
      isWaiting: proof.review_state === 'waiting',
      isOfAgent: proof.agent_id !== null,
      decision: decisionNow(proof),
      published: await isPublished(tx, proof.proof_id),
    })
    const relay = { relay_id: relayId, receipt_id: receipt.receipt_id, entry_hash: event.hash }
    return {
      analysis_result: analysis,
      proof_id: row.proof_id,
      receipt_passport: passport,
      run_ledger: eventView(event),
      proof_relay: { ...relay, ...standing },
      retry_handoff_state: standing.state,
      receipt,
    }
  }
}

type Relayed = Asking & {
  relayId: string
  row: AnalysisRow
  isVerified: boolean
  facts?: (() => Record<string, unknown>) | undefined
}
type Showing<Shown> = {
  shown(tx: Tx, relayed: RelayedAnalysis): Promise<Shown>
  facts?: () => Record<string, unknown>
}
type RelayedAnalysis = {
  analysis_result: Analysis
  proof_id: string
  receipt_passport: Awaited<ReturnType<typeof proofView>>['passport']
  run_ledger: ReturnType<typeof eventView>
  proof_relay: { relay_id: string; receipt_id: string; entry_hash: string } & Standing
  retry_handoff_state: Standing['state']
  receipt: ReceiptView
}
type Standing = ReturnType<typeof standingOf>

/** When the sample is dated. */
const SAMPLED = '2026-11-01T00:00:00.000Z'

export const relayIdOf = (callId: string): string =>
  `rly_${digestOf({ type: 'service.proof-relay.v1', call: callId })}`

/** The use of a relay: of its caller, in the chain of the service, where no credit is. */
const used = ({ relayId, agentId, usage, rail }: Use) => ({
  event_id: `ue_${digestOf({ relay: relayId })}`,
  chain: SERVICE_CHAIN,
  kind: 'tool_call' as const,
  rail,
  units: 1,
  unit: usage === 'synthetic' ? 'synthetic_relay' : 'relay',
  credit_units: 0,
  agent_id: agentId ?? null,
  run_id: null,
  subject: relayId,
  usage_receipt_id: null,
})
/** The use of a relay that never was, as the ledger would have it. */
export function sampleUse(relayId: string) {
  const event: UsageEvent = {
    ...used({ relayId, agentId: undefined, usage: 'synthetic', rail: null }),
    sequence: 0,
    occurred_at: SAMPLED,
    recorded_at: SAMPLED,
    prev_hash: null,
  }
  const entry = eventView({ ...event, hash: usageEventHash(event) })
  return { at: Date.parse(SAMPLED) / 1000, entry }
}
type Use = {
  relayId: string
  /** The caller. */
  agentId: string | undefined
  usage: Analysis['usage']
  rail: RailKey | null
}
type NewRelay = Use & {
  kind: 'relay' | 'passport'
  facts: Record<string, unknown>
  analysis_id?: string
  payment_reference_id?: string | null
}

/** Records a relay with its use and its receipt, in the caller's transaction. */
export async function recordRelay(
  deps: ReceiptIssuer,
  tx: Tx,
  { kind, facts, analysis_id, payment_reference_id, ...use }: NewRelay,
) {
  const { relayId: subject, usage, agentId } = use
  await lockUsageChain(tx, SERVICE_CHAIN)
  const now = new Date((await clockSeconds(tx)) * 1000)
  const event = await appendUsageEvent(tx, { ...used(use), occurred_at: now.toISOString() }, now)
  const agent_id = agentId ?? null
  const said = { ...facts, agent_id, event_id: event.event_id, entry_hash: event.hash }
  const receipt = receiptView(await issueReceipt(deps, tx, { subject, kind, usage, facts: said }))
  await insertRelay(tx, {
    relay_id: subject,
    agent_id,
    analysis_id: analysis_id ?? null,
    payment_reference_id: payment_reference_id ?? null,
    event_id: event.event_id,
    receipt_id: receipt.receipt_id,
  })
  return { event, receipt }
}

/**
 * What may follow a relay, from the records as they are now: a proof of an agent that is verified and eligible can be handed on,
 * because only its agent may publish it; one whose receipt is not in the log yet, or that waits for a person, can be relayed again.
 */
function standingOf(proof: {
  isVerified: boolean
  isWaiting: boolean
  isOfAgent: boolean
  decision: string
  published: boolean
}) {
  const isEligible = proof.decision === 'eligible_to_continue'
  const isProven = proof.isVerified && isEligible
  const handoff_ready = isProven && proof.isOfAgent
  const retry_available = !isProven && (isEligible || proof.isWaiting)
  const open = retry_available ? ('retry_available' as const) : ('recorded' as const)
  const other = isProven ? '/api/agents/register' : '/api/agent-commerce-proof'
  const again = retry_available ? '/api/model-proof-relay' : other
  return {
    state: handoff_ready && proof.published ? ('handed_off' as const) : open,
    retry_available,
    handoff_ready,
    next_endpoint: handoff_ready ? '/api/commerce-activity-feed' : again,
  }
}
