import { canonicalJson } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { badgesOf } from '../../../activities/store/agents/trust-listings.ts'
import {
  countActivity,
  findActivity,
  type ReliabilityRow,
  readReliability,
} from '../../../activities/store/commerce/activity.ts'
import { countStanding, findStanding } from '../../../activities/store/commerce/standing.ts'
import { clockSeconds } from '../../../activities/store/postgres/db.ts'
import type { CommerceDeps } from './deps.ts'

/** The kind of a passport: a statement of the moment, which is signed for its reader and stands in no log. */
const KIND = 'agent_passport'
type Named = { agent_id: string } | { proof_id: string }

/** Passports of agents: what the records say about one now, as far as it consents. */
export class AgentPassports {
  readonly #deps: CommerceDeps

  constructor(deps: CommerceDeps) {
    this.#deps = deps
  }

  /** 404 for an agent that publishes neither a profile nor a proof, and for a proof that is not published. */
  async read(named: Named) {
    const { db, signReceipt, issuer, environment, baseUrl } = this.#deps
    const agentId =
      'agent_id' in named ? named.agent_id : (await findActivity(db, named.proof_id))?.agent_id
    const claims = agentId == null ? undefined : await this.#claims(agentId)
    if (claims === undefined)
      throw refuse('not_found', { detail: 'no agent that publishes its work has this id' })
    const iat = Math.floor(await clockSeconds(db))
    const as_of = new Date(iat * 1000).toISOString()
    const said = { kind: KIND, usage: 'operational' as const, environment, prev: null }
    const sign = await signReceipt(db)
    const { jws } = await sign({
      iss: issuer,
      iat,
      sub: claims.agent_id,
      ...said,
      ...claims,
      as_of,
    })
    const verify_url = `${baseUrl}/api/agent-passport`
    return { ...receiptView(jws), claims: { ...claims, as_of }, verify_url }
  }

  /** Whether this service signed a passport with a good key, and which of its claims are others now. */
  async verify(passport: string) {
    const judged = await this.#deps.receipts.verify({ receipt: passport })
    const { payload, kind, checks, signature, payload_sha256, receipt_id, verified_at } = judged
    const own = checks.filter(({ check }) => check !== 'log')
    const all = [
      ...own,
      { check: 'kind', ok: kind === KIND, detail: `the kind is ${kind ?? 'unknown'}` },
    ]
    const verified = all.every(({ ok }) => ok)
    const subject = payload?.['sub']
    const now = verified && typeof subject === 'string' ? await this.#claims(subject) : undefined
    const differing = Object.entries(now ?? {}).filter(
      ([name, value]) => canonicalJson(value) !== canonicalJson(payload?.[name] ?? null),
    )
    const current_claims_differ =
      verified && now === undefined ? ['consent'] : differing.map(([name]) => name)
    const about = { receipt_id, kind, payload_sha256, signature, verified_at }
    return { verified, ...about, checks: all, current_claims_differ }
  }

  /** Counts of work with a published profile, and reliability of what is published; undefined without either consent. */
  async #claims(agentId: string) {
    const { db } = this.#deps
    const standing = await findStanding(db, agentId)
    if (standing === undefined) return undefined
    const [published] = await readReliability(db, [agentId])
    const { listed, ...about } = standing
    if (!listed && (await countActivity(db, { agentId })) === 0) return undefined
    const badge_state = (await badgesOf(db, [agentId])).get(agentId) ?? 'none'
    const counts = listed ? await countStanding(db, agentId) : unshown
    return {
      ...about,
      badge_state,
      ...counts,
      reliability: published === undefined ? null : numbersOf(published),
    }
  }
}

const unshown = { completed_runs: null, verified_receipts: null, open_exceptions: null }

const numbersOf = ({
  agent_id: _agent,
  first_published_at: _first,
  last_published_at: _last,
  ...numbers
}: ReliabilityRow) => numbers
