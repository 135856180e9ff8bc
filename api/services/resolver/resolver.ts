import { policyRules } from '#domain/agents/policy-rules.ts'
import { type DomainError, refuse } from '#domain/core/errors.ts'
import { beginOf } from '#domain/core/plain-text.ts'
import type { Candidate } from '#domain/resolver/candidate.ts'
import type { Listed } from '#domain/resolver/catalogue.ts'
import type { ComputeNetwork } from '../../../activities/store/calls/compute.ts'
import type { ServiceRow } from '../../../activities/store/resolver/candidates.ts'
import { type Candidates, denied, type Inspected } from './candidates.ts'
import type { Ranking } from './ranking.ts'
import { type OutcomeRecords, type UseRecords, useDecisionOn } from './records.ts'
import { candidateView, inspectionOf, inspectionOfOwn, serviceView } from './views.ts'

/** What the resolver has to know of the call that it serves. */
export type Served = { readonly callId: string; readonly caller: { readonly id: string } }
/** A free operation as a service that runs here; `run` throws as the operation does, and 400 for a task that is not its input. */
export type FreeTool<Call> = {
  readonly service: Listed
  readonly operation_id: string
  readonly method: string
  readonly path: string
  /** How it is called. */
  readonly next_action: string
  run(task: string, call: Call): Promise<{ input: unknown; result: Record<string, unknown> }>
}
type ResolverDeps<Call> = {
  version: string
  tools: readonly FreeTool<Call>[]
  ranking: Ranking
  candidates: Candidates
  uses: UseRecords
  outcomes: OutcomeRecords
  /** The rails that are paused. */
  paused: () => Promise<ReadonlySet<string>>
}
type Named = { service_id?: string | undefined; candidate?: Candidate | undefined }

const MODES = ['find_services', 'inspect_service', 'request_service_use', 'run_service'] as const
const FOUND_MAX = 25
/** The longest task that scout reads, in UTF-16 units. */
const QUERY_MAX = 4_000
/** The longest answer of a tool that is recorded, in bytes of JSON. */
const RESULT_BYTES_MAX = 16_384
const boundary = [
  'Services of others are listed and requested after the approval of an operator; this service never calls them.',
  'run_service runs free tools of this service only.',
]

/** Finds services, inspects them, takes requests to use them, and runs the free ones of our own. */
export class ServiceResolver<Call extends Served> {
  private readonly deps: ResolverDeps<Call>

  constructor(deps: ResolverDeps<Call>) {
    this.deps = deps
  }

  /** What the resolver offers: its modes, our services and the approved ones of others, and the free tools, which also answer at their own paths. */
  async contract() {
    const { version, tools, ranking } = this.deps
    const services = await ranking.services(true)
    const free_tools = tools.map(({ service: { service_id }, operation_id, method, path }) => ({
      service_id,
      operation_id,
      method,
      path,
    }))
    return {
      version,
      modes: [...MODES],
      tools: [...MODES],
      services: services.map(serviceView),
      safety_boundary: [...policyRules, ...boundary],
      free_tools,
    }
  }

  /** The services that fit a query, the best first, with the words that fit. */
  async find(
    {
      query,
      task,
      include_registry,
    }: { query?: string | undefined; task?: string | undefined; include_registry: boolean },
    network: ComputeNetwork,
  ) {
    const words = [query, task].filter((text) => text !== undefined).join('\n')
    const query_used = beginOf(words, QUERY_MAX)
    const asked = { task: query_used, limit: FOUND_MAX, include_registry }
    const { result, service } = await this.deps.ranking.rank(asked, network)
    const results = result.ranked.flatMap(({ service_id, score, match, available, reasons }) => {
      const known = service(service_id)
      if (known === undefined) return []
      const { origin, kind, summary, price, access } = serviceView(known)
      const fits = reasons.map(({ need, capability }) => ({ need: need.quote, capability }))
      return [
        {
          service_id,
          origin,
          kind,
          summary,
          score,
          match,
          available,
          price,
          access,
          reasons: fits,
        },
      ]
    })
    return { results, query_used, registry_sha256: result.registry_sha256 }
  }

  /** A service with what was checked of it. Throws as `Candidates.observe` does, and 400 for an unknown service. */
  async inspect(named: Named, agentId: string | undefined) {
    const found = await this.#find(named, agentId)
    return 'inspection' in found
      ? { service: candidateView(found), ...inspectionOf(found) }
      : { service: serviceView(found), ...inspectionOfOwn(found, await this.deps.paused()) }
  }

  /**
   * Decides how a service is used, with a receipt; an approved service of someone else becomes a work order that waits for review. Throws
   * 400 `unsupported_request`, `candidate_denied` and `human_approval_required`.
   */
  async request(asked: Named & { task: string }, call: Call, agentId: string | undefined) {
    const found = await this.#find(asked, agentId)
    if ('inspection' in found) assertApproved(found)
    const service_id = found.service_id
    const tool = this.#toolOf(service_id)
    const decision =
      tool === undefined
        ? useDecisionOn('inspection' in found ? 'candidate' : found)
        : ({ decision: 'direct_free_tool', next_action: tool.next_action } as const)
    return this.deps.uses.record(
      { service_id, task: asked.task, agentId, callId: call.callId, caller: call.caller.id },
      decision,
    )
  }

  /** Adds the token of the work order that a request made, which is derived and never stored. */
  withStatusToken(answer: Record<string, unknown>, callId: string) {
    return this.deps.uses.withStatusToken(answer, callId)
  }

  /**
   * Runs a free tool and records its outcome. Throws 400 `unsupported_request` for anything else and for a long answer, as well as `candidate_denied` and
   * `human_approval_required`, and whatever the tool refuses with.
   */
  async run({ service_id, task }: { service_id: string; task: string }, call: Call) {
    const found = await this.#find({ service_id }, undefined)
    if ('inspection' in found) assertApproved(found)
    const tool = this.#toolOf(found.service_id)
    if (tool === undefined) throw notRunHere(found)
    const { input, result } = await tool.run(task, call)
    if (Buffer.byteLength(JSON.stringify(result)) > RESULT_BYTES_MAX) throw tooLong(tool)
    const ran = { service_id, operation_id: tool.operation_id, input, result }
    return this.deps.outcomes.record(ran, call.callId)
  }

  #toolOf(service_id: string): FreeTool<Call> | undefined {
    return this.deps.tools.find(({ service }) => service.service_id === service_id)
  }

  async #find(
    { service_id, candidate }: Named,
    agentId: string | undefined,
  ): Promise<Listed | Inspected> {
    const { ranking, candidates } = this.deps
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

const tooLong = ({
  operation_id,
  method,
  path,
}: Pick<FreeTool<never>, 'operation_id' | 'method' | 'path'>) =>
  refuse('unsupported_request', {
    detail: `the answer of ${operation_id} is longer than the 16 KiB that are recorded`,
    next_action: `Call ${method} ${path}; it is free.`,
  })

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
    next_action: found.protocols.includes('mcp')
      ? 'Ask for a quote with quote_run, and start the run with start_rail_run.'
      : 'Begin the work with POST /api/agents/preflight, or read its price at /api/agent-pricing.',
  })
}
