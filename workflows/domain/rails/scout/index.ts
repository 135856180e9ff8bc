import { digestOf } from '../../core/canonical-json.ts'
import type { Span } from '../input/fields.ts'
import { type Finding, type GapRules, isCurrent, type Rail, type Work } from '../rail.ts'
import { type Part, stemsOf, wordsOf } from '../text/words.ts'
import { tiersOf } from '../work/tiers.ts'
import { finishedWork, inOrder, judgedGaps } from '../work/work.ts'
import { scoutAudit } from './audit.ts'
import { rankingOf } from './ranking.ts'
import { scoutInput, wordlessScoutInput } from './sample.ts'
import {
  type Exclusion,
  isClear,
  type Match,
  type Reason,
  ScoutInput,
  ScoutResult,
  type Service,
} from './schema.ts'

export { scoutInput } from './sample.ts'
export { CAPABILITIES_MAX, ScoutInput, ScoutResult, Service } from './schema.ts'

/** The rail that finds who can do a task, over the services of the house and those that an input brings. */
export function scoutOver(services: readonly Service[]): Rail<ScoutInput, ScoutResult> {
  return {
    key: 'scout',
    about: {
      summary: 'Finds the services that fit a task, says why, and names what none of them can do.',
      capabilities: [
        'find services for a task',
        'compare services by capability, price and protocol',
      ],
      asks: ['who can do this for us', 'which service fits my task'],
    },
    takes: {
      paidAgentUse: false,
      quickstart: false,
      pricingModelV2: false,
      controlledLoop: 'current',
      offer: false,
      requestedTool: false,
    },
    prices: { entry: 0, standard: 0, pro: 0 },
    tiers: tiersOf({
      entry: {
        depth: 'the ranked services with their reasons',
        leaves_out: ['excluded'],
        leaves_out_codes: [],
      },
      whole: 'all of it, with why others are not ranked',
      rows: { entry: 100, standard: 1_000, pro: 1_000 },
    }),
    counted: ['registry'],
    input: ScoutInput,
    result: ScoutResult,
    sandboxInput: scoutInput,
    gapRules,
    audit: scoutAudit,
    inputWithGaps: wordlessScoutInput,
    parameters: ['limit'],
    work: (input) => scout(input, services),
  }
}

/** A rail as scout sees it. */
export function serviceOf({ key, about, takes, prices }: Rail): Service {
  return {
    service_id: `svc_${key}`,
    name: key,
    ...about,
    rail: key,
    // An agent starts by MCP what it can buy by itself.
    protocols: [
      'http',
      ...(takes.paidAgentUse ? ['mcp'] : []),
      ...(prices === null ? [] : ['x402']),
    ],
    price_usd: prices?.entry ?? null,
    origin: 'first_party',
    state: isCurrent({ takes }) ? 'available' : 'future',
  }
}

/** Decision: what has less of a need than this says nothing about it. */
const SCORE_MIN = 0.1
const CLEAR_MIN = 0.3
const LIMIT = 10
/** The most places that are searched. Without a bound, many needs that every capability meets would take unlimited time. */
const PLACES_MAX = 3_000_000

const gapRules = {
  task_without_words: { kind: 'needed', pointer: '/task', filled_by: 'the task in words' },
  capability_missing: {
    kind: 'advisory',
    pointer: '/registry',
    filled_by: 'a service that can do it, or wider constraints',
  },
  need_not_searched: { kind: 'advisory', filled_by: 'a task with fewer parts' },
} as const satisfies GapRules

type Candidate = {
  service: Service
  reasons: Reason[]
  score: number
  refusal: [Exclusion, string] | undefined
}

function scout(input: ScoutInput, own: readonly Service[]): Work<ScoutResult> {
  const byId = inOrder<Service>(({ service_id, origin }) => `${service_id} ${origin}`)
  const services = [...own, ...(input.registry ?? [])].toSorted(byId)
  const taken = new Set(own.map(({ service_id }) => service_id))
  const needs = needsOf(input.task)
  const { reasons, unsearched } = reasonsOf(services, needs)
  const candidates = services.map((service, at): Candidate => {
    const met = reasons.get(at) ?? []
    const score = met.reduce((sum, reason) => sum + reason.score, 0) / Math.max(1, needs.length)
    const refusal = refusalOf(service, input, met, taken)
    return { service, reasons: met, score: Math.round(score * 10_000) / 10_000, refusal }
  })
  const fitting = candidates
    .filter(({ refusal }) => refusal === undefined)
    .toSorted(
      inOrder(
        ({ score }) => -score,
        ({ service }) => service.price_usd ?? Number.POSITIVE_INFINITY,
        ({ service }) => service.service_id,
      ),
    )
  const limit = input.limit ?? LIMIT
  const ranked = fitting.slice(0, limit)
  const result: ScoutResult = {
    needs,
    ranked: ranked.map(({ service, reasons, score }) => ({
      service_id: service.service_id,
      name: service.name,
      origin: service.origin,
      price_usd: service.price_usd,
      available: isAvailable(service),
      match: reasons.some(isClear) ? 'clear' : 'weak',
      score,
      reasons,
      missing: unmet(needs, reasons),
    })),
    excluded: [
      ...candidates.flatMap(({ service, refusal }) =>
        refusal === undefined
          ? []
          : [{ service_id: service.service_id, code: refusal[0], reason: refusal[1] }],
      ),
      ...fitting.slice(limit).map(({ service, score }) => ({
        service_id: service.service_id,
        code: 'beyond_limit' as const,
        reason: `${limit} services are asked for and others fit better than ${score}`,
      })),
    ],
    missing: unmet(
      needs,
      ranked.flatMap(({ service, reasons }) => (isAvailable(service) ? reasons : [])),
    ),
    registry_size: services.length,
    registry_sha256: digestOf(services),
  }
  const gaps: Finding[] = result.missing.map(({ pointer, quote, from }) => ({
    ...(unsearched.has(from)
      ? { code: 'need_not_searched', detail: 'the task has too many needs to search all' }
      : {
          code: 'capability_missing',
          detail: 'no available service clearly says that it can do this',
        }),
    citations: [{ pointer, quote }],
  }))
  if (needs.length === 0)
    gaps.push({ code: 'task_without_words', detail: 'the task names nothing', citations: [] })
  return finishedWork(result, [], judgedGaps(gapRules, gaps))
}

/** The parts of a task, at sentences, commas and “then”; what has only one word that carries meaning joins its neighbour. */
function needsOf(task: string): Span[] {
  const parts: Part[] = []
  let from = 0
  for (const { 0: end, index } of task.matchAll(/[.;:!?]\s+|,?\s+(?:and\s+)?then\s+|[,\n]\s*|$/g)) {
    const last = parts.at(-1)
    const [words, before] = [
      wordsIn(task, { from, to: index }),
      last === undefined ? 2 : wordsIn(task, last),
    ]
    if (last !== undefined && (words < 2 || before < 2)) last.to = words === 0 ? last.to : index
    else if (words > 0) parts.push({ from, to: index })
    from = index + end.length
  }
  return parts.map(({ from, to }) => {
    const quote = task.slice(from, to).trim()
    const begin = task.indexOf(quote, from)
    return { pointer: '/task', quote, from: begin, to: begin + quote.length }
  })
}

const isAvailable = ({ state }: Service): boolean => state === 'available'

/** Decision: clear is about a third of what a phrase written for the need would have, and not one word of several. */
const matchOf = (score: number, shared: number, asked: number): Match =>
  score >= CLEAR_MIN && shared >= Math.min(2, asked) ? 'clear' : 'weak'

const wordsIn = (text: string, { from, to }: Part): number => stemsOf(text.slice(from, to)).length

/** By the place of each service: the needs that it meets, each with the capability that meets it best. */
function reasonsOf(
  services: readonly Service[],
  needs: Span[],
): { reasons: Map<number, Reason[]>; unsearched: Set<number> } {
  const phrases = services.flatMap(({ capabilities, asks = [], summary }, at) =>
    [...capabilities, ...asks, summary].map((words) => ({
      at,
      words,
      stems: wordsOf(words).map(({ stem }) => stem),
    })),
  )
  const ranking = rankingOf(phrases.map(({ stems }) => stems))
  const reasons = new Map<number, Reason[]>()
  const unsearched = new Set<number>()
  let places = 0
  for (const need of needs) {
    const stems = stemsOf(need.quote)
    places += ranking.reach(stems)
    if (places > PLACES_MAX) {
      unsearched.add(need.from)
      continue
    }
    const best = new Map<number, Reason>()
    for (const { at, score, stems: shared } of ranking.rank(stems)) {
      const phrase = phrases[at]
      if (phrase === undefined || score < SCORE_MIN) continue
      const known = best.get(phrase.at)
      const better =
        known === undefined ||
        known.score < score ||
        (known.score === score && phrase.words < known.capability)
      if (better)
        best.set(phrase.at, {
          need,
          capability: phrase.words,
          stems: shared.toSorted(),
          score,
          match: matchOf(score, shared.length, stems.length),
        })
    }
    for (const [at, reason] of best) {
      const own = reasons.get(at)
      if (own === undefined) reasons.set(at, [reason])
      else own.push(reason)
    }
  }
  return { reasons, unsearched }
}

function refusalOf(
  service: Service,
  { constraints = {} }: ScoutInput,
  met: Reason[],
  taken: Set<string>,
): Candidate['refusal'] {
  const { rails, price_max_usd: most, protocols } = constraints
  if (service.origin === 'registry' && taken.has(service.service_id))
    return ['id_taken', 'the id is that of a rail']
  if (service.state === 'unapproved') return ['not_approved', 'nobody has approved it']
  if (rails !== undefined && (service.rail === null || !rails.includes(service.rail)))
    return ['rail_not_wanted', `only ${rails.toSorted().join(', ')} are wanted`]
  if (most !== undefined && service.price_usd === null)
    return ['without_price', 'it names no price']
  if (most !== undefined && service.price_usd !== null && service.price_usd > most)
    return [
      'price_too_high',
      `its smallest run costs ${service.price_usd} usd, ${most} are allowed`,
    ]
  if (
    protocols !== undefined &&
    !protocols.some((protocol) => service.protocols.includes(protocol))
  )
    return ['protocol_missing', `it speaks none of ${protocols.toSorted().join(', ')}`]
  return met.length === 0 ? ['no_match', 'it says nothing of what the task needs'] : undefined
}

function unmet(needs: Span[], reasons: Reason[]): Span[] {
  const met = new Set(reasons.filter(isClear).map(({ need }) => need.from))
  return needs.filter(({ from }) => !met.has(from))
}
