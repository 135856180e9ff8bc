import { DomainError, refuse } from '#domain/core/errors.ts'
import { isNestedWithin } from '#domain/core/json-text.ts'
import { limits } from '#domain/core/limits.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import type { Check } from '#domain/tasks/terms.ts'
import { type Delivery, deliveredWork, WORK_ARTIFACT } from '#domain/work-orders/delivery.ts'
import type { ComputeNetwork } from '../../../activities/store/calls/compute.ts'
import { itemsOf } from '../commerce/request.ts'
import { type PublicWork, type PublicWorkDeps, publicWork } from '../inputs/public-work.ts'

export type Sent = {
  return_package: {
    artifacts: { name: string; sha256: string; bytes?: number | undefined; content: string }[]
    claims: Delivery['claims']
  }
  handoff_pack?: string | undefined
}
type Of = { rail: RailKey; tier: Tier; value: unknown }

/** Deliveries that may wait for the pool of this process. */
const WAITING_MAX = 8

/** A delivery as it is stored; 422 `evidence_mismatch` where its content has other digests or is no work of a rail. */
export function readDelivery({ return_package, handoff_pack }: Sent): Delivery {
  const { artifacts } = itemsOf({ return_package, evidence: [] })
  const text = artifacts.find(({ name }) => name === WORK_ARTIFACT)?.text ?? ''
  const isShallow = isNestedWithin(Buffer.from(text), limits.jsonDepthMax)
  const work = isShallow ? deliveredWork(text) : undefined
  if (work === undefined) throw mismatch(`${WORK_ARTIFACT} is no JSON of result, findings and gaps`)
  return {
    artifacts: artifacts.map(({ name, sha256, bytes }) => ({ name, sha256, bytes: bytes ?? 0 })),
    claims: return_package.claims,
    handoff_pack: handoff_pack ?? null,
    work,
  }
}

/** The validator of a rail on delivered work, in a process of a pool with small limits. */
export class DeliveryChecks {
  readonly #work: PublicWork

  constructor(deps: PublicWorkDeps) {
    this.#work = publicWork(deps, 'delivery', { most: WAITING_MAX })
  }

  /** The checks, all of which hold; 422 `evidence_mismatch` with those that do not, 429 while too many deliveries wait. */
  async check({ work }: Delivery, of: Of, network: ComputeNetwork): Promise<Check[]> {
    const job = { kind: 'validate', work, lists: {}, ...of } as const
    const checks = (await this.#work(job, network).catch((error: unknown) => {
      throw error instanceof DomainError ? error : mismatch('the validator cannot read the work')
    })) as Check[]
    const failed = checks.filter(({ ok }) => !ok)
    if (failed.length === 0) return checks
    const names = failed.map(({ check, detail }) => `${check}: ${detail}`).join('; ')
    throw mismatch(`the validator refuses the work: ${names}`, checks)
  }
}

const mismatch = (detail: string, checks: Check[] = []) =>
  refuse('evidence_mismatch', {
    detail: detail.slice(0, 1_000),
    next_action: 'Deliver what the rail makes of the input of the claim.',
    money_moved: 'no',
    extra: { checks },
  })
