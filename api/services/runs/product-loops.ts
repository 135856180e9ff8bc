import { refuse } from '#domain/core/errors.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import type { ProductStage, StageState } from '#domain/runs/product-loop.ts'
import { returnPackageId } from '#domain/runs/return-package.ts'
import { findProofOf, insertProofLoop } from '../../../activities/store/commerce/proof-loops.ts'
import { findPause } from '../../../activities/store/operators/controls.ts'
import { findChallengeOf } from '../../../activities/store/payments/challenges.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { requireTask, type TaskRow } from '../../../activities/store/tasks/tasks.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import type { Writer } from '../authority/write-gate.ts'
import { packageDigest } from '../commerce/request.ts'
import { decisionNow } from '../commerce/views.ts'
import type { ProductLinkService } from '../credit/product-links.ts'
import type { TaskCaller } from '../tasks/access.ts'
import type { LoopAsked, LoopOperation, LoopService } from './loops.ts'
import { ownRun } from './own-run.ts'
import { type RunViewDeps, runView } from './views.ts'

type Deps = Pick<TaskDeps, 'db'> &
  RunViewDeps & {
    loops: Pick<LoopService, 'start'>
    productLinks: Pick<ProductLinkService, 'card'>
  }
type Run = Awaited<ReturnType<typeof runView>>

const RAIL = 'diligenceops'
const start: LoopOperation = {
  id: 'diligence-loop-start',
  path: '/api/diligenceops-product-to-proof-loop',
  record: (tx, { taskId, writer: { agentId, credentialId } }) =>
    insertProofLoop(tx, { task_id: taskId, agent_id: agentId, credential_id: credentialId }),
}

/** Runs of diligenceops from their product to the proof of their package, which is evaluated when they close. */
export class ProductLoopService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  async start(writer: Writer, asked: Omit<LoopAsked, 'rail'>, callId: string) {
    const { headers, started } = await this.deps.loops.start(
      writer,
      { ...asked, rail: RAIL },
      callId,
      start,
    )
    const { stages } = await this.#view((tx) => requireTask(tx, started.run.task_id))
    return { headers, started: { ...started, stages } }
  }

  /** A run of the caller with its stages. 404 for a run of another rail, or of another. */
  read(caller: TaskCaller, runId: string) {
    return this.#view(async (tx) => {
      const task = await ownRun(tx, caller, runId)
      if (task.rail !== RAIL) throw refuse('not_found', { detail: `no such run of ${RAIL}` })
      return task
    })
  }

  async #view(find: (tx: Tx) => Promise<TaskRow>) {
    const { db, productLinks } = this.deps
    const { run, ...records } = await transaction(db, async (tx) => {
      const task = await find(tx)
      return { run: await runView(this.deps, tx, task), ...(await recordsOf(tx, task)) }
    })
    const card = await productLinks.card({ rail: run.rail as RailKey, tier: run.tier as Tier })
    return { run, stages: stagesOf(run, { ...records, card }) }
  }
}

async function recordsOf(tx: Tx, { agent_id, entitlement_id, rail, task_id }: TaskRow) {
  const challenge = entitlement_id === null ? undefined : await findChallengeOf(tx, entitlement_id)
  const return_package = { return_package_id: returnPackageId(runIdOf(task_id)), claims: [] }
  const packageSha256 = packageDigest({ return_package })
  const proof =
    agent_id === null ? undefined : await findProofOf(tx, { packageSha256, agentId: agent_id })
  const isPaused = (await findPause(tx, { service: '', rail })) !== undefined
  return { challenge, proof, isPaused }
}

type Card = Awaited<ReturnType<ProductLinkService['card']>>
type Records = Awaited<ReturnType<typeof recordsOf>> & { card: Card }

/** What is sold can be bought now: `held` while the service or the rail is paused, or while the page that was set for it does not sell it. */
function cardState({ card, isPaused }: Records): StageState {
  if (card === undefined) return 'to_do'
  return isPaused || !['missing', 'live'].includes(card.page) ? 'held' : 'done'
}

/** The stages in their order, each as its record shows it. */
function stagesOf(run: Run, records: Records) {
  const { challenge, proof, card } = records
  const done = (isDone: boolean): StageState => (isDone ? 'done' : 'to_do')
  const eligible = proof !== undefined && decisionNow(proof) === 'eligible_to_continue'
  const made = run.loop.steps.find(({ step }) => step === 'attestation')?.state === 'done'
  const stage = (name: ProductStage, state: StageState, evidence_id: string | null) => ({
    stage: name,
    state,
    evidence_id,
  })
  return [
    stage('product_card', cardState(records), card?.url ?? null),
    stage('quote', done(run.quote_id !== null), run.quote_id),
    stage('checkout', done(challenge?.state === 'settled'), challenge?.challenge_id ?? null),
    stage('run', done(made), run.run_id),
    stage('return_package', done(made), made ? run.return_package_id : null),
    stage(
      'proof',
      proof === undefined || eligible ? done(eligible) : 'held',
      proof?.proof_id ?? null,
    ),
    stage('receipt', done(run.usage_receipt_id !== null), run.usage_receipt_id),
  ]
}
