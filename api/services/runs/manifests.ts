import { DomainError, refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import { uploadDigestsOf } from '#domain/rails/input/uploads.ts'
import type { PacketResult } from '#domain/rails/packetops/index.ts'
import type { Tier, Work } from '#domain/rails/rail.ts'
import type { MadePackage } from '#domain/runs/return-package.ts'
import type { ComputeNetwork } from '../../../activities/store/calls/compute.ts'
import { transaction } from '../../../activities/store/postgres/db.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { type PublicWork, type PublicWorkDeps, publicWork } from '../inputs/public-work.ts'
import type { TaskCaller } from '../tasks/access.ts'
import { deliveredPackage } from '../tasks/outcome.ts'
import { ownRun } from './own-run.ts'
import { type RunViewDeps, runView } from './views.ts'

type Deps = Pick<TaskDeps, 'db'> & RunViewDeps & Pick<PublicWorkDeps, 'pool'>
type Packet = { tier: Tier; input: Record<string, unknown> }
type Manifest = ReturnType<typeof manifestOf>

/** The provisional manifests of so many runs are kept, so that a repeated start computes nothing. */
const KEPT_MAX = 100
/** Started runs wait for their answer, so only so many wait for the pool. */
const WAITING_MAX = 4

/** Manifests of packets: of what was sent, and of what an attested run made of it. */
export class ManifestService {
  private readonly deps: Deps
  /** Throws 422 `input_rejected` for the items of a packet that are sent with their content. */
  readonly assertDigestsOnly = assertDigestsOnly
  readonly #made = new Map<string, Manifest | null>()
  readonly #work: PublicWork

  constructor(deps: Deps) {
    this.deps = deps
    this.#work = publicWork(deps, 'manifest', { most: WAITING_MAX })
  }

  /** The manifest of the input of a run that has begun; null where it names uploads, takes more than the limits of public work, or too many wait. */
  async provisional(
    runId: string,
    packet: Packet,
    network: ComputeNetwork,
  ): Promise<Manifest | null> {
    const known = this.#made.get(runId)
    if (known !== undefined) return known
    const made = await this.#compute(packet, network)
    const [oldest] = this.#made.keys()
    if (this.#made.size >= KEPT_MAX && oldest !== undefined) this.#made.delete(oldest)
    this.#made.set(runId, made)
    return made
  }

  /** A packet run of the caller with the manifest of its package, null before it is delivered. 404 for a run of another rail. */
  read(caller: TaskCaller, runId: string) {
    return transaction(this.deps.db, async (tx) => {
      const task = await ownRun(tx, caller, runId)
      if (task.rail !== 'packetops') throw refuse('not_found', { detail: 'no such packet' })
      const run = await runView(this.deps, tx, task)
      const row = await deliveredPackage(tx, task.task_id)
      const { result } = (row?.package ?? {}) as Partial<MadePackage>
      return { run, manifest: row === undefined ? null : manifestOf('final', result) }
    })
  }

  async #compute(
    { tier, input: value }: Packet,
    network: ComputeNetwork,
  ): Promise<Manifest | null> {
    if (uploadDigestsOf(railOf('packetops'), value).length > 0) return null
    const job = { kind: 'work', rail: 'packetops', tier, value, lists: {} } as const
    try {
      const { result } = (await this.#work(job, network)) as Work<unknown>
      return manifestOf('provisional', result)
    } catch (error) {
      // The run itself has larger limits, and its own processes.
      if (error instanceof DomainError) return null
      throw error
    }
  }
}

function assertDigestsOnly({ items }: Record<string, unknown>): void {
  const contents = ['content', 'content_base64', 'extracted_text', 'upload']
  const errors = (Array.isArray(items) ? items : []).flatMap((item, at) =>
    contents
      .filter((name) => Object.hasOwn(Object(item), name))
      .map((name) => ({ pointer: `/input/items/${at}/${name}`, message: 'is content' })),
  )
  if (errors.length === 0) return
  throw refuse('input_rejected', {
    detail: 'with manifest_only, each item is sent by its SHA-256',
    next_action: 'Send sha256 and bytes of each item, or leave out manifest_only.',
    errors: errors.slice(0, 50),
  })
}

function manifestOf(state: 'provisional' | 'final', result: unknown) {
  const { manifest, merkle_root, section_coverage, readiness, complete } = result as PacketResult
  return { state, items: manifest, merkle_root, section_coverage, readiness, complete }
}
