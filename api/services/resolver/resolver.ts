import { policyRules } from '#domain/agents/policy-rules.ts'
import { DomainError, refuse } from '#domain/core/errors.ts'
import type { Candidate } from '#domain/services/candidate.ts'
import type { Listed } from '#domain/services/catalogue.ts'
import type { ServiceRow } from '../../../activities/store/services/candidates.ts'
import { screenFreeText } from '../../calls/forbidden-material.ts'
import { bodyOf, checkOutput } from '../../calls/handle.ts'
import { readInput } from '../../calls/input.ts'
import type { Context } from '../../context.ts'
import { INTERFACE_VERSION } from '../../http/common-headers.ts'
import type { AnyOperation } from '../../operation.ts'
import { type Candidates, denied, type Inspected } from './candidates.ts'
import { inputOfTask } from './free-tools.ts'
import type { Ranking } from './ranking.ts'
import { type OutcomeRecords, type UseRecords, useDecisionOn } from './records.ts'
import { candidateView, inspectionOf, inspectionOfOwn, serviceView } from './views.ts'

type ResolverDeps = {
  registry: readonly AnyOperation[]
  ranking: Ranking
  candidates: Candidates
  uses: UseRecords
  outcomes: OutcomeRecords
}
type Named = { service_id?: string | undefined; candidate?: Candidate | undefined }

const MODES = ['find_services', 'inspect_service', 'request_service_use', 'run_service'] as const
const FOUND_MAX = 25
/** The longest task that scout reads. */
const QUERY_MAX = 4_000
const boundary = [
  'Services of others are listed and requested after the approval of an operator; this service never calls them.',
  'run_service runs free tools of this service only.',
]

/** Finds services, inspects them, takes requests to use them, and runs the free ones of our own. */
export class ServiceResolver {
  readonly #deps: ResolverDeps

  constructor(deps: ResolverDeps) {
    this.#deps = deps
  }

  /** What the resolver offers: its modes, our services, and the free tools, which also answer at their own paths. */
  async contract() {
    const services = await this.#deps.ranking.services(false)
    const free_tools = services.flatMap(({ service_id, operation }) => {
      const known = this.#deps.registry.find(({ id }) => id === operation)
      if (known === undefined) return []
      const { id: operation_id, http } = known
      return [{ service_id, operation_id, method: http.method, path: http.path }]
    })
    return {
      version: INTERFACE_VERSION,
      modes: [...MODES],
      tools: [...MODES],
      services: services.map(serviceView),
      safety_boundary: [...policyRules, ...boundary],
      free_tools,
    }
  }

  /** The services that fit a query, the best first, with the words that fit. */
  async find({
    query,
    task,
    include_registry,
  }: {
    query?: string | undefined
    task?: string | undefined
    include_registry: boolean
  }) {
    const words = [query, task].filter((text) => text !== undefined).join('\n')
    const query_used = [...words].slice(0, QUERY_MAX).join('')
    const { result, service } = await this.#deps.ranking.rank({
      task: query_used,
      limit: FOUND_MAX,
      include_registry,
    })
    const results = result.ranked.flatMap(({ service_id, score, reasons }) => {
      const known = service(service_id)
      if (known === undefined) return []
      const { origin, kind, summary, price, access } = serviceView(known)
      const fits = reasons.map(({ need, capability }) => ({ need: need.quote, capability }))
      return [{ service_id, origin, kind, summary, score, price, access, reasons: fits }]
    })
    return { results, query_used, registry_sha256: result.registry_sha256 }
  }

  /** A service with what was checked of it. Throws as `Candidates.observe` does, and 400 for an unknown service. */
  async inspect(named: Named, agentId: string | undefined) {
    const found = await this.#find(named, agentId)
    return 'inspection' in found
      ? { service: candidateView(found), ...inspectionOf(found) }
      : { service: serviceView(found), ...inspectionOfOwn(found) }
  }

  /**
   * Decides how a service is used, with a receipt; an approved service of someone else becomes a work order that waits for review. Throws
   * 400 `unsupported_request`, `candidate_denied` and `human_approval_required`.
   */
  async request(asked: Named & { task: string }, context: Context, agentId: string | undefined) {
    const found = await this.#find(asked, agentId)
    if ('inspection' in found) assertApproved(found)
    const service_id = found.service_id
    const decision = useDecisionOn('inspection' in found ? 'candidate' : found)
    return this.#deps.uses.record(
      { service_id, task: asked.task, agentId, callId: context.callId, caller: context.caller.id },
      decision,
    )
  }

  /** Adds the token of the work order that a request made, which is derived and never stored. */
  withStatusToken(answer: Record<string, unknown>, callId: string) {
    return this.#deps.uses.withStatusToken(answer, callId)
  }

  /**
   * Runs a free tool and records its outcome. Throws 400 `unsupported_request` for anything else, as well as `candidate_denied` and
   * `human_approval_required`, and whatever the tool refuses with.
   */
  async run({ service_id, task }: { service_id: string; task: string }, context: Context) {
    const found = await this.#find({ service_id }, undefined)
    const operation = 'inspection' in found ? undefined : this.#operationOf(found)
    if ('inspection' in found) assertApproved(found)
    if (operation === undefined) throw notRunHere(found)
    const input = readTask(operation, task)
    const { body } = bodyOf(operation, await operation.handle(input, context))
    const result = checkOutput(operation, body)
    const ran = { service_id, operation_id: operation.id, input, result }
    return this.#deps.outcomes.record(ran, context.callId)
  }

  #operationOf({ operation }: Listed): AnyOperation | undefined {
    return this.#deps.registry.find(({ id }) => id === operation)
  }

  async #find(
    { service_id, candidate }: Named,
    agentId: string | undefined,
  ): Promise<Listed | Inspected> {
    const { ranking, candidates } = this.#deps
    if (candidate !== undefined) return candidates.observe(candidate, agentId)
    const own = (await ranking.services(false)).find((one) => one.service_id === service_id)
    if (own !== undefined) return own
    const known = await candidates.find(service_id ?? '')
    if (known === undefined) throw unknownService()
    if (!isInspected(known))
      throw refuse('human_approval_required', { detail: 'it was not inspected yet' })
    return known
  }
}

const isInspected = (row: ServiceRow): row is Inspected => row.inspection !== null

function assertApproved({ state }: Inspected): void {
  if (state === 'denied') throw denied('an operator has denied this service')
  if (state === 'observed')
    throw refuse('human_approval_required', { detail: 'no operator has approved this service yet' })
}

const unknownService = () =>
  refuse('unsupported_request', {
    detail: 'no such service',
    next_action: 'Take a service_id from find_services.',
  })

function notRunHere(found: Listed | Inspected): DomainError {
  if ('inspection' in found)
    return refuse('unsupported_request', {
      detail: 'this service never calls the services of others',
      next_action: 'Ask for its use with request_service_use.',
    })
  return refuse('unsupported_request', {
    detail: `${found.service_id} is no free tool`,
    next_action: 'Ask for a quote with quote_run, and start the run with start_rail_run.',
  })
}

/** The input that a task is for this operation; 400 with pointers below `/task`. */
function readTask(operation: AnyOperation, task: string): unknown {
  const given = inputOfTask(operation, task)
  if (given === undefined)
    throw refuse('invalid_request', {
      detail: `the task of ${operation.id} is a JSON object as text`,
      next_action: 'Send its input as the reference describes it.',
      errors: [{ pointer: '/task', message: 'is not a JSON object' }],
    })
  try {
    const input = readInput(operation, given)
    screenFreeText(operation.input, input)
    return input
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    const { errors = [] } = error.refusal
    const moved = errors.map((one) => ({ ...one, pointer: `/task${one.pointer}` }))
    throw new DomainError({ ...error.refusal, errors: moved })
  }
}
