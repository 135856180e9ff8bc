import type { Kysely } from 'kysely'
import { oneLine } from '#domain/core/plain-text.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { InboxAction, SubjectKind } from '#domain/reviews/review.ts'
import {
  type Attention,
  type AttentionKind,
  countAttention,
  listAttention,
} from '../../../activities/store/console/attention.ts'
import type { TargetAges } from '../../../activities/store/recovery/late-rows.ts'
import type { WaitingFilter } from '../../../activities/store/reviews/waiting-filter.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import type { ReviewService } from './reviews.ts'

export type InboxQuery = WaitingFilter & {
  action?: InboxAction | undefined
  /** Of decisions. */
  kind?: SubjectKind | undefined
  /** Of stopped work and of differences. */
  code?: string | undefined
  rail?: RailKey | undefined
  /** Lists the root of the evidence of each decision, for a batch. */
  evidenceRoots: boolean
  offset: number
  limit: number
}

const SUMMARY_MAX = 400

type InboxDeps = { db: Kysely<Database>; reviews: ReviewService; ages: TargetAges }

/** Everything that waits for a person: decisions, stopped and late work, and differences. */
export class InboxService {
  readonly #db: Kysely<Database>
  readonly #reviews: ReviewService
  readonly #ages: TargetAges

  constructor({ db, reviews, ages }: InboxDeps) {
    this.#db = db
    this.#reviews = reviews
    this.#ages = ages
  }

  /** One page, longest waiting first, and the number of all by action and kind. */
  async list(query: InboxQuery) {
    const { offset, limit } = query
    const most = offset + limit
    const [decisions, others] = await Promise.all([
      this.#decisions(query, most),
      this.#attention(query, most),
    ])
    const page = [...decisions.listed, ...others.listed]
      .sort((one, other) => one.since.getTime() - other.since.getTime())
      .slice(offset, most)
    const items = await Promise.all(page.map(({ item }) => item()))
    const counts = [...decisions.counts, ...others.counts].filter(({ count }) => count > 0)
    const total = counts.reduce((sum, { count }) => sum + count, 0)
    return { items, counts, total, offset, limit }
  }

  async #decisions(query: InboxQuery, most: number) {
    const { action, kind, code, rail, evidenceRoots, olderThanSeconds, minUsd } = query
    if ((action !== undefined && action !== 'decide') || code !== undefined)
      return { listed: [], counts: [] }
    const { waiting, counts } = await this.#reviews.listWaiting(
      { kind, rail, untouched: false, olderThanSeconds, minUsd },
      most,
    )
    return {
      listed: waiting.map(({ since, describe }) => ({
        since,
        item: async () => {
          const item = decisionItem(await describe())
          return evidenceRoots ? { ...item, ...(await this.#reviews.roots(item.id)) } : item
        },
      })),
      counts: Object.entries(counts).map(([of, count]) => ({
        action: 'decide' as const,
        kind: of,
        count,
      })),
    }
  }

  async #attention(query: InboxQuery, most: number) {
    const { action, kind, code, rail, olderThanSeconds, minUsd } = query
    const all: AttentionKind[] = ['task', 'payout', 'difference', 'late']
    const kinds = all.filter((one) => action === undefined || actionOf(one) === action)
    if (kind !== undefined || kinds.length === 0) return { listed: [], counts: [] }
    const filter = { ages: this.#ages, kinds, code, rail, olderThanSeconds, minUsd }
    const [listed, counts] = await Promise.all([
      listAttention(this.#db, filter, most),
      countAttention(this.#db, filter),
    ])
    return {
      listed: listed.map((one) => ({ since: one.since, item: async () => attentionItem(one) })),
      counts: kinds.map((of) => ({ action: actionOf(of), kind: of, count: counts[of] ?? 0 })),
    }
  }
}

const actionOf = (kind: AttentionKind): InboxAction =>
  kind === 'difference' ? 'close_difference' : 'recover'

const noRoots: { evidence_root_sha256: string | null; criteria_sha256: string | null } = {
  evidence_root_sha256: null,
  criteria_sha256: null,
}

type Described = Awaited<
  ReturnType<Awaited<ReturnType<ReviewService['listWaiting']>>['waiting'][number]['describe']>
>

const decisionItem = (item: Described) => ({
  action: 'decide' as const,
  kind: item.subject_kind as string,
  id: item.subject_id,
  state: item.state,
  code: null,
  rail: item.rail,
  amount_usd: item.amount_usd === null ? null : String(item.amount_usd),
  summary: oneLine(item.summary, SUMMARY_MAX),
  waiting_since: item.waiting_since,
  allowed_decisions: item.allowed_decisions,
  ...noRoots,
})

const attentionItem = ({ since, detail, ...one }: Attention) => ({
  action: actionOf(one.kind),
  kind: one.kind as string,
  id: one.id,
  state: one.state,
  code: one.code,
  rail: one.rail,
  amount_usd: one.amount_usd,
  summary: oneLine(`${one.code}: ${detail}`, SUMMARY_MAX),
  waiting_since: since.toISOString(),
  allowed_decisions: [],
  ...noRoots,
})
