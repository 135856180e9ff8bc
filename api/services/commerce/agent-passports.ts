import { canonicalJson, digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { signCompact } from '../../../activities/keys/compact.ts'
import type { KeyRings } from '../../../activities/keys/key-ring.ts'
import { readKeyStatus } from '../../../activities/keys/key-status.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import {
  countActivity,
  findActivity,
  type ReliabilityRow,
  readReliability,
} from '../../../activities/store/commerce/activity.ts'
import {
  countStanding,
  findAgentPassport,
  findStanding,
  keepAgentPassport,
} from '../../../activities/store/commerce/agent-passports.ts'
import { badgesOf } from '../../../activities/store/listings/listings.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { CommerceDeps } from './deps.ts'

/** The kind of a passport: a statement about now, which is signed once for its readers and stands in no log. */
const KIND = 'agent_passport'
type Deps = CommerceDeps & { readonly keys: Pick<KeyRings, 'receipt'> }
type Named = { agent_id: string } | { proof_id: string }

/** Passports of agents: what the records say about one now, as far as it consents. */
export class AgentPassports {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /**
   * The same passport as long as the records state the same and the same key signs. 404 for an agent that publishes neither a
   * profile nor a proof, and for a proof that is not published.
   */
  async read(named: Named) {
    const { db, baseUrl } = this.deps
    const agentId =
      'agent_id' in named ? named.agent_id : (await findActivity(db, named.proof_id))?.agent_id
    const claims = agentId == null ? undefined : await claimsOf(db, agentId)
    if (claims === undefined)
      throw refuse('not_found', { detail: 'no agent that publishes its work has this id' })
    const view = receiptView(await transaction(db, (tx) => this.#signed(tx, claims)))
    const as_of = String(view.payload['as_of'])
    return { ...view, claims: { ...claims, as_of }, verify_url: `${baseUrl}/api/agent-passport` }
  }

  /** The passport that states these claims, signed where the last one of the agent states others or has another key. */
  async #signed(tx: Tx, claims: Claims): Promise<string> {
    const { keys, issuer, environment } = this.deps
    const { agent_id } = claims
    const status = await readKeyStatus(tx, keys, ['receipt'])
    const key = status.signer('receipt')
    const said = { iss: issuer, sub: agent_id, kind: KIND, usage: 'operational', environment }
    const stated_sha256 = digestOf({ kid: key.kid, ...said, ...claims })
    const known = await findAgentPassport(tx, agent_id)
    if (known?.stated_sha256 === stated_sha256) return known.jws
    const iat = Math.floor(status.nowSeconds)
    const as_of = new Date(iat * 1000).toISOString()
    const payload = { ...said, iat, prev: null, ...claims, as_of }
    const jws = await signCompact(key, { typ: RECEIPT_TYP, payload })
    return keepAgentPassport(tx, { agent_id, stated_sha256, jws })
  }

  /** Whether this service signed a passport with a good key, and which of its claims are others now. */
  async verify(passport: string) {
    const judged = await this.deps.receipts.verify({ receipt: passport })
    const { payload, kind, checks, signature, payload_sha256, receipt_id, verified_at } = judged
    const own = checks.filter(({ check }) => check !== 'log')
    const all = [
      ...own,
      { check: 'kind', ok: kind === KIND, detail: `the kind is ${kind ?? 'unknown'}` },
    ]
    const verified = all.every(({ ok }) => ok)
    const subject = payload?.['sub']
    const now =
      verified && typeof subject === 'string' ? await claimsOf(this.deps.db, subject) : undefined
    const differing = Object.entries(now ?? {}).filter(
      ([name, value]) => canonicalJson(value) !== canonicalJson(payload?.[name] ?? null),
    )
    const current_claims_differ =
      verified && now === undefined ? ['consent'] : differing.map(([name]) => name)
    const about = { receipt_id, kind, payload_sha256, signature, verified_at }
    return { verified, ...about, checks: all, current_claims_differ }
  }
}

/** Counts of work with a published profile, and reliability of what is published; undefined without either consent. */
async function claimsOf(db: Tx, agentId: string) {
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
type Claims = NonNullable<Awaited<ReturnType<typeof claimsOf>>>

const unshown = { completed_runs: null, verified_receipts: null, open_exceptions: null }

const numbersOf = ({
  agent_id: _agent,
  first_published_at: _first,
  last_published_at: _last,
  ...numbers
}: ReliabilityRow) => numbers
