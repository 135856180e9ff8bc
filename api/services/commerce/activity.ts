import { type ActivityCondition, activityConditions } from '#domain/commerce/missions.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  type ActivityFilter,
  type ActivityRow,
  countActivity,
  listActivity,
  type ReliabilityRow,
  readReliability,
} from '../../../activities/store/commerce/activity.ts'
import {
  type CommerceProofRow,
  findCommerceProof,
  lockCommerceProof,
} from '../../../activities/store/commerce/proofs.ts'
import { activityIdOf, consent } from './consent.ts'
import type { CommerceDeps } from './deps.ts'

type Consented = { proofId: string; agentId: string; consents: boolean; callId: string }

/** The public feed of proofs whose agents consent. */
export class ActivityService {
  private readonly deps: CommerceDeps

  constructor(deps: CommerceDeps) {
    this.deps = deps
  }

  async read(filter: ActivityFilter, page: { offset: number; limit: number }) {
    const { db, baseUrl } = this.deps
    const [rows, total] = await Promise.all([
      listActivity(db, filter, page),
      countActivity(db, filter),
    ])
    const agents = [...new Set(rows.flatMap(({ agent_id }) => agent_id ?? []))]
    return {
      items: rows.map((row) => itemView(baseUrl, row)),
      reliability_profiles: (await readReliability(db, agents)).map(profileView),
      publication_policy: publicationPolicy,
      empty_state: rows.length > 0 ? null : emptyState(filter, total),
      ...page,
      total,
    }
  }

  /** Publishes a proof of this agent, or takes it out. 404, 403 `not_owner`, 409 `not_publishable`. */
  async publish({ proofId, agentId, consents, callId }: Consented) {
    const { receipt_id } = await this.#own(proofId, agentId)
    const call = { callId, subject: activityIdOf(proofId), status: 200 }
    const { verified } = await this.deps.receipts.verify({ receipt_id })
    return answerOnce(this.deps, call, async (tx) => {
      const row = await lockCommerceProof(tx, proofId)
      if (row === undefined) throw unknown()
      const conditions = conditionsOf(row, { consents, verified })
      const unmet = conditions.find(({ ok }) => !ok)
      if (consents && unmet !== undefined) throw notPublishable(unmet.condition, conditions)
      const jws = await consent(this.deps, tx, { row, consents })
      return {
        published: consents,
        activity_id: activityIdOf(proofId),
        conditions,
        receipt: jws === undefined ? null : receiptView(jws),
      }
    })
  }

  async #own(proofId: string, agentId: string): Promise<CommerceProofRow> {
    const row = await findCommerceProof(this.deps.db, proofId)
    if (row === undefined) throw unknown()
    if (row.agent_id !== agentId)
      throw refuse('not_owner', { detail: 'the proof belongs to another agent' })
    return row
  }
}

function conditionsOf(
  row: CommerceProofRow,
  { consents, verified }: { consents: boolean; verified: boolean },
) {
  const ok: Record<ActivityCondition, boolean> = {
    bound_to_credential: row.credential_id !== null,
    publication_consent: consents,
    verified_signed_receipt: verified,
    persisted_proof_record: digestOf(row.packet) === row.packet_sha256,
  }
  return activityConditions.map((condition) => ({ condition, ok: ok[condition] }))
}

function itemView(baseUrl: string, row: ActivityRow) {
  return {
    activity_id: activityIdOf(row.proof_id),
    proof_id: row.proof_id,
    agent_id: row.agent_id,
    mission_kind: row.mission_kind,
    protocol_binding: row.protocol_binding,
    usage: row.usage,
    decision: row.decision,
    reviewed: row.review_state === 'approved' || row.review_state === 'rejected',
    receipt_id: row.receipt_id,
    passport_receipt_id: row.passport_receipt_id,
    evaluated_at: row.evaluated_at.toISOString(),
    published_at: row.published_at.toISOString(),
    verify_url: `${baseUrl}/api/verify-receipt?receipt_id=${row.receipt_id}`,
  }
}

const profileView = ({ first_published_at, last_published_at, ...counts }: ReliabilityRow) => ({
  ...counts,
  eligible_percent: Math.floor((100 * counts.eligible_to_continue) / counts.published),
  first_published_at: first_published_at.toISOString(),
  last_published_at: last_published_at.toISOString(),
})

const publicationPolicy = {
  conditions: [...activityConditions],
  consent:
    'Only the agent of a proof publishes it, with a credential that has proofs:publish. It withdraws by publication_consent false, which takes the proof out of the feed at once.',
  shown:
    'Ids, kinds, decisions, receipts and times. No text, package, payment or mission id of an agent is shown.',
  profiles:
    'Counts of what the agent has published of work on record here, and of nothing else. A free proof is shown, and is no work.',
}

const emptyDetails = {
  past_the_end: 'the page is behind the last item',
  nothing_matches: 'no published proof fits the filter',
  nothing_qualifies: 'no proof meets all four conditions',
} as const

function emptyState(filter: ActivityFilter, total: number) {
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const unlisted = isFiltered ? 'nothing_matches' : 'nothing_qualifies'
  const reason: keyof typeof emptyDetails = total > 0 ? 'past_the_end' : unlisted
  return { reason, detail: emptyDetails[reason] }
}

const unknown = () => refuse('not_found', { detail: 'no such proof' })

const notPublishable = (
  condition: ActivityCondition,
  conditions: { condition: ActivityCondition; ok: boolean }[],
) =>
  refuse('not_publishable', {
    detail: `${condition} is not met`,
    next_action:
      condition === 'verified_signed_receipt'
        ? 'Repeat the call in some seconds, when the receipt has its place in the log.'
        : 'Have the package proven once more with the access key of the agent.',
    extra: { condition, conditions },
  })
