import { wordsOf } from '../text/words.ts'
import { auditOf, differs, firstWrong } from '../work/audit.ts'
import { isClear, type Reason, type ScoutInput, type ScoutResult } from './schema.ts'

const checks = {
  scores_recomputed: 'the score of each service, against the mean of its reasons over the needs',
  services_once: 'ranked and excluded services, against the size of the registry',
  order_kept: 'the order of services, against their scores',
  matches_recomputed: 'each match, against the score and the words that are shared',
  constraints_kept: 'each ranked service, against the price that is allowed and the limit',
  needs_named: 'needs without a service, against the clear reasons of all available services',
}

/** Scores each service again from its reasons, and counts services and needs. */
export const scoutAudit = auditOf<ScoutInput, ScoutResult>(checks, (input, { result }) => ({
  scores_recomputed: firstWrong(result.ranked, ({ service_id, score, reasons }) => {
    const sum = reasons.reduce((all, reason) => all + reason.score, 0)
    const mean = sum / Math.max(1, result.needs.length)
    return Math.abs(mean - score) <= 0.0001 ? null : `the score of ${service_id} is not ${score}`
  }),
  services_once: differs(
    'the number of services',
    result.ranked.length + result.excluded.length,
    result.registry_size,
  ),
  order_kept: firstWrong(result.ranked.entries(), ([at, { service_id, score }]) =>
    score <= (result.ranked[at - 1]?.score ?? 1) ? null : `${service_id} is ranked too low`,
  ),
  matches_recomputed: firstWrong(result.ranked, ({ service_id, match, reasons }) =>
    reasons.every((reason) => isClear(reason) === isClearAgain(reason)) &&
    (match === 'clear') === reasons.some(isClearAgain)
      ? null
      : `the match of ${service_id} is wrong`,
  ),
  constraints_kept: constraintFault(input, result),
  needs_named: needsFault(result),
}))

function isClearAgain({ need, stems, score }: Reason): boolean {
  const asked = new Set(wordsOf(need.quote).map(({ stem }) => stem))
  return score >= 0.3 && (stems.length > 1 || asked.size === 1)
}

function constraintFault({ constraints, limit = 10 }: ScoutInput, { ranked }: ScoutResult) {
  const { price_max_usd: most = Number.POSITIVE_INFINITY } = constraints ?? {}
  if (ranked.length > limit) return `${ranked.length} services are ranked`
  return firstWrong(ranked, ({ service_id, price_usd }) =>
    (price_usd ?? 0) <= most ? null : `${service_id} costs ${price_usd} usd`,
  )
}

function needsFault({ needs, ranked, missing }: ScoutResult): string | null {
  const met = new Set(
    ranked
      .filter(({ available }) => available)
      .flatMap(({ reasons }) => reasons.filter(isClear).map(({ need }) => need.from)),
  )
  const open = needs.filter(({ from }) => !met.has(from)).map(({ from }) => from)
  return differs('the list of open needs', missing.map(({ from }) => from).join(), open.join())
}
