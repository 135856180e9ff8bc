import type { Work } from '#domain/rails/rail.ts'
import type { ScoutInput, ScoutResult } from '#domain/rails/scout/index.ts'
import { type Listed, listedCandidate, ownServices } from '#domain/resolver/catalogue.ts'
import type { Job } from '../../../activities/runs/isolation/job.ts'
import type { ComputeNetwork } from '../../../activities/store/calls/compute.ts'
import { listApproved } from '../../../activities/store/resolver/candidates.ts'
import { type PublicWork, type PublicWorkDeps, publicWork } from '../inputs/public-work.ts'

type RankingDeps = PublicWorkDeps & { tools: readonly Listed[] }
export type Asked = Omit<ScoutInput, 'registry'> & { include_registry: boolean }
type Ranked = {
  result: ScoutResult
  service(serviceId: string): Listed | undefined
}

/** Services of others that are considered. */
const APPROVED_MAX = 200
/** The services that may be proposed, and their ranking by the rail scout in a process of the pool. */
export class Ranking {
  private readonly deps: RankingDeps
  readonly #work: PublicWork

  constructor(deps: RankingDeps) {
    this.deps = deps
    this.#work = publicWork(deps, 'ranking')
  }

  /** Our own services, and on request those of others that an operator approved. */
  async services(includeRegistry: boolean): Promise<Listed[]> {
    const approved = includeRegistry ? await listApproved(this.deps.db, APPROVED_MAX) : []
    return [
      ...ownServices(this.deps.tools),
      ...approved.flatMap((one) => listedCandidate(one) ?? []),
    ]
  }

  /** Ranks them for a task. Throws 422 `input_too_complex` at the limits of the pool, and 429 while too many calls wait. */
  async rank({ include_registry, ...asked }: Asked, network: ComputeNetwork): Promise<Ranked> {
    const services = await this.services(include_registry)
    const byId = new Map(services.map((service) => [service.service_id, service]))
    // The rail knows the rails; every other service is brought by the input.
    const registry = services
      .filter(({ kind }) => kind !== 'rail')
      .map(({ kind: _kind, access: _access, operation: _operation, ...service }) => ({
        ...service,
        origin: 'registry' as const,
      }))
    const job = {
      kind: 'work',
      rail: 'scout',
      tier: 'pro',
      value: { ...asked, registry },
      lists: {},
    }
    const { result } = (await this.#work(job as Job, network)) as Work<ScoutResult>
    const ranked = result.ranked.map((one) => ({
      ...one,
      origin: byId.get(one.service_id)?.origin ?? one.origin,
    }))
    return { result: { ...result, ranked }, service: (id) => byId.get(id) }
  }
}
