import { mayAct } from '../agents/trust.ts'
import { Analysis } from './analysis-schema.ts'
import { type JudgedClaim, judgeClaims } from './claims.ts'
import type { CommerceFacts } from './facts.ts'
import {
  type CommerceDecision,
  EVIDENCE_AHEAD_SECONDS_MAX,
  EVIDENCE_DAYS_MAX,
  missionOf,
  provenBy,
} from './missions.ts'
import { ANALYSIS_ITEM } from './reserved-names.ts'
import {
  type CommerceCheck,
  type CommerceCheckName,
  failed,
  notNeeded,
  passed,
  type Result,
  unverified,
} from './result.ts'

/** A decision with the checks that led to it, in their order, and the judgement of each claim. */
export type Evaluation = {
  readonly decision: CommerceDecision
  readonly checks: readonly CommerceCheck[]
  readonly claims: readonly JudgedClaim[]
}

/**
 * Decides about a package. A payment that is missing or unproven holds it; any other check that fails or cannot be verified is for a
 * person; otherwise the mission may continue.
 */
export function evaluate(facts: CommerceFacts): Evaluation {
  const claims = judgeClaims(facts.claims, facts.items)
  const results: Record<CommerceCheckName, Result> = {
    hashes: checkHashes(facts),
    required_items: checkRequired(facts),
    claims: checkClaims(claims),
    policy: checkPolicy(claims),
    evidence_age: checkAge(facts),
    evidence_owner: checkOwner(facts),
    payment: checkPayment(facts),
    authority: checkAuthority(facts),
    protocol: checkProtocol(facts),
    duplicates: checkDuplicates(facts),
  }
  const checks = Object.entries(results).map(
    ([check, result]): CommerceCheck => ({ check: check as CommerceCheckName, ...result }),
  )
  return { decision: decisionOf(results), checks, claims }
}

const isOpen = ({ outcome }: Result): boolean => outcome === 'failed' || outcome === 'unverified'

/** The protocol that a record proves; null where it is only the word of the caller. */
export const provenBinding = (
  { binding }: Pick<CommerceFacts, 'binding'>,
  { checks }: Pick<Evaluation, 'checks'>,
): CommerceFacts['binding'] =>
  checks.some(({ check, outcome }) => check === 'protocol' && outcome === 'passed') ? binding : null

function decisionOf(results: Record<CommerceCheckName, Result>): CommerceDecision {
  if (isOpen(results.payment)) return 'payment_hold'
  return Object.values(results).some(isOpen) ? 'human_review_required' : 'eligible_to_continue'
}

function checkHashes({ recorded, items, evidence }: CommerceFacts): Result {
  if (recorded === null)
    return unverified('package_unknown', 'no such package of this agent is on record')
  if (recorded !== undefined && recorded.faults.length > 0)
    return failed('package_changed', `not as it was signed: ${recorded.faults.join(', ')}`)
  const missing = [
    ...items.filter(({ text }) => recorded === undefined && text === null).map(({ name }) => name),
    ...evidence.filter(({ given }) => !given).map(({ id }) => id),
  ]
  if (missing.length > 0)
    return unverified('content_not_given', `only a digest was given of ${missing.join(', ')}`)
  return passed('every digest was computed again')
}

function checkRequired({ kind, ...facts }: CommerceFacts): Result {
  const { items, claims, evidence, recorded, ownsFinishedOrder, record } = facts
  const isThere = {
    own_run: recorded !== undefined && recorded !== null,
    finished_order: ownsFinishedOrder,
    handoff_pack: record !== null,
    delivered_pilot: record !== null,
    artifact: items.length > 0,
    claim: claims.length > 0,
    evidence: evidence.length > 0,
  }
  const missing = missionOf(kind).needs.filter((need) => !isThere[need])
  const named = missing.find((need) => need === 'handoff_pack' || need === 'delivered_pilot')
  if (missing.length > (named === undefined ? 0 : 1))
    return failed('items_missing', `a mission of kind ${kind} also needs ${missing.join(', ')}`)
  if (named !== undefined)
    return unverified(`${named}_unknown`, `the mission id names no ${named} of this agent`)
  const { failing, unusable, needed } = openIn(items)
  if (failing.length > 0)
    return failed('evidence_failing', `by its analysis the evidence speaks against ${failing}`)
  if (unusable.length > 0)
    return unverified('evidence_unusable', `by its analysis nothing stands for ${unusable}`)
  if (needed.length > 0)
    return unverified('evidence_gaps', `by its analysis it still needs: ${needed}`)
  return passed(`a ${kind} has what it needs`)
}

const Analysed = Analysis.pick({ coverage: true, gaps: true }).strip()

/** The sections of which an analysis of this service says that their evidence fails or is unusable, and the gaps to be filled. */
function openIn(items: CommerceFacts['items']) {
  const analysis = items.find(({ name }) => name === ANALYSIS_ITEM)?.text
  if (analysis == null) return { failing: '', unusable: '', needed: '' }
  const { coverage, gaps } = Analysed.parse(JSON.parse(analysis))
  const sectionsIn = (wanted: string) =>
    coverage.sections.flatMap(({ section, state }) => (state === wanted ? [section] : []))
  const needed = gaps.filter(({ kind }) => kind === 'needed').map(({ gap }) => gap)
  return {
    failing: sectionsIn('failing').join(', '),
    unusable: sectionsIn('unusable').join(', '),
    needed: [...new Set(needed)].join(', '),
  }
}

function checkClaims(claims: readonly JudgedClaim[]): Result {
  if (claims.length === 0) return notNeeded('the package claims nothing')
  const namesOf = (state: JudgedClaim['state']) =>
    claims.flatMap((one, at) => (one.state === state ? [`claim ${at + 1}`] : [])).join(', ')
  const unknown = namesOf('unknown_item')
  if (unknown !== '') return failed('claim_unbound', `names nothing in the package: ${unknown}`)
  const denied = namesOf('contradicted')
  if (denied !== '') return failed('claim_contradicted', `denied by the item it names: ${denied}`)
  const open = [namesOf('not_stated'), namesOf('not_given')].filter((names) => names !== '')
  return open.length === 0
    ? passed('each claim stands in the item that it names')
    : unverified('claim_unverified', `not in a text that was given: ${open.join(', ')}`)
}

function checkPolicy(claims: readonly JudgedClaim[]): Result {
  const codes = [...new Set(claims.flatMap(({ forbidden }) => forbidden ?? []))]
  return codes.length === 0
    ? passed('no claim goes beyond what a proof shows')
    : failed('claim_forbidden', `no proof shows ${codes.join(', ')}`)
}

const DAY_SECONDS = 86_400

function checkAge({ evidence, recorded, record, now }: CommerceFacts): Result {
  const dated = [
    ...evidence.map(({ id, dated: at }) => ({ id, at })),
    ...(recorded ? [{ id: 'package', at: recorded.madeAt }] : []),
    ...(record ? [{ id: 'mission', at: record.at }] : []),
  ]
  if (dated.length === 0) return notNeeded('there is no evidence')
  const idsOf = (isOne: (at: number | null) => boolean) =>
    dated.filter(({ at }) => isOne(at)).map(({ id }) => id)
  const stale = idsOf((at) => at !== null && at < now - EVIDENCE_DAYS_MAX * DAY_SECONDS)
  if (stale.length > 0)
    return failed('evidence_stale', `over ${EVIDENCE_DAYS_MAX} days old: ${stale.join(', ')}`)
  const early = idsOf((at) => at !== null && at > now + EVIDENCE_AHEAD_SECONDS_MAX)
  if (early.length > 0)
    return failed('evidence_from_future', `from the future: ${early.join(', ')}`)
  const undated = idsOf((at) => at === null)
  if (undated.length > 0)
    return unverified('evidence_undated', `without a date: ${undated.join(', ')}`)
  // Only a receipt and a package of this service have a signed date.
  const stated = evidence.filter(({ receipt }) => receipt === null).map(({ id }) => id)
  const asStated = stated.length === 0 ? '' : `; as stated by the caller: ${stated.join(', ')}`
  return passed(`at most ${EVIDENCE_DAYS_MAX} days old${asStated}`)
}

function checkOwner({ evidence, agent }: CommerceFacts): Result {
  const named = evidence.flatMap(({ id, receipt }) => (receipt === null ? [] : [{ id, receipt }]))
  if (named.length === 0) return notNeeded('no evidence names a receipt')
  const idsOf = (isOne: (receipt: (typeof named)[number]['receipt']) => boolean) =>
    named.filter(({ receipt }) => isOne(receipt)).map(({ id }) => id)
  const unknown = idsOf((receipt) => !receipt.found)
  if (unknown.length > 0)
    return failed('receipt_unknown', `no receipt of this service: ${unknown.join(', ')}`)
  const foreign = idsOf(
    (receipt) => receipt.found && (agent === null || receipt.agentId !== agent.agentId),
  )
  if (foreign.length > 0)
    return failed('evidence_of_another', `not a receipt of this agent: ${foreign.join(', ')}`)
  const unproven = idsOf((receipt) => receipt.found && !receipt.verified)
  return unproven.length === 0
    ? passed('each receipt is verified and belongs to this agent')
    : unverified('receipt_unverified', `not verified now: ${unproven.join(', ')}`)
}

function checkAuthority(facts: CommerceFacts): Result {
  const result = checkAgent(facts)
  return facts.walletIsBound === false && !isOpen(result)
    ? unverified('wallet_unverified', 'the account of the agent did not bind the wallet')
    : result
}

function checkAgent({ kind, agent, recorded, mandate }: CommerceFacts): Result {
  if (agent === null)
    return missionOf(kind).needsAgent
      ? unverified('no_credential', 'no access key was presented')
      : notNeeded(`a ${kind} needs no agent`)
  if (!mayAct(agent.trust)) return failed('trust_required', `the agent is ${agent.trust}`)
  if (recorded && !agent.rails.includes(recorded.rail))
    return failed('rail_not_allowed', `the access key is not for ${recorded.rail}`)
  if (recorded && !recorded.isReviewed)
    return failed('not_reviewed', 'the run has no review decision')
  if (mandate.kind === 'unknown')
    return failed('mandate_unknown', 'no such mandate of this agent is on record')
  if (mandate.kind === 'recorded') {
    if (mandate.revoked) return failed('mandate_revoked', 'the mandate is revoked')
    if (!mandate.inForce) return failed('mandate_expired', 'the mandate is not in force')
    if (recorded && !mandate.rails.includes(recorded.rail))
      return failed('mandate_rail', `the mandate is not for ${recorded.rail}`)
  }
  return passed(`the agent is ${agent.trust}`)
}

function checkProtocol({ binding, payment, startedBy }: CommerceFacts): Result {
  if (binding === null) return notNeeded('no protocol is named')
  if (binding !== 'x402' && binding !== 'ap2') {
    if (startedBy === null) return notNeeded(`no record says whether it was ${binding}`)
    return startedBy === binding
      ? passed(`its run was started over ${binding}`)
      : failed('protocol_mismatch', `its run was started over ${startedBy}`)
  }
  const method = provenBy[binding]
  return payment.kind === 'recorded' && payment.method === method
    ? passed(`it was paid by ${method}`)
    : failed('protocol_mismatch', `it was not paid by ${method}`)
}

function checkDuplicates({ duplicate }: CommerceFacts): Result {
  if (duplicate === null) return passed('no earlier proof is of this package')
  if (duplicate === 'anonymous')
    return failed('duplicate_package', 'a caller without an access key had it proven before')
  return duplicate === 'foreign'
    ? failed('duplicate_package', 'another agent had this package proven before')
    : failed(`duplicate_${duplicate.of}`, `${duplicate.proofId} is of the same ${duplicate.of}`)
}

/** The payment of a mission by what ledger and chain say of it; what the caller says counts for nothing. */
function checkPayment({ kind, payment, usage }: CommerceFacts): Result {
  if (payment.kind === 'unknown')
    return failed('payment_unknown', 'no such payment of this agent is on record')
  if (payment.kind === 'free') return notNeeded('the work has no price')
  if (payment.kind === 'none') {
    if (missionOf(kind).payment === 'if_named') return notNeeded(`a ${kind} needs no payment`)
    if (usage === 'synthetic') return notNeeded('synthetic work needs no payment')
    return failed('payment_absent', 'no payment on record covers all of it')
  }
  const { state, order, amountUsd, namedUsd, postedUsd, chainFault } = payment
  if (order === 'other') return failed('payment_of_another_order', 'it paid for something else')
  if (namedUsd !== null && namedUsd !== amountUsd)
    return failed('amount_mismatch', 'the recorded amount is another one')
  if (state === 'presented' || state === 'pending')
    return unverified('payment_pending', `the payment is ${state}`)
  if (state !== 'verified') return failed(`payment_${state}`, `the payment is ${state}`)
  if (postedUsd !== amountUsd)
    return failed('payment_not_posted', 'the ledger did not post the amount of the payment')
  return chainFault === null
    ? passed('the payment is verified and posted')
    : unverified('payment_unconfirmed', chainFault)
}
