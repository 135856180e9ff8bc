import type { ErrorCode } from '#domain/core/error-codes.ts'
import { refuse } from '#domain/core/errors.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { PilotFilter } from '../../../activities/store/pilots/pilots.ts'
import type { PilotRunService } from '../pilots/runs.ts'
import type { Reviewer, ReviewService } from '../reviews/reviews.ts'

type Deps = {
  pilots: Pick<PilotRunService, 'list' | 'find' | 'ready'>
  reviews: Pick<ReviewService, 'roots' | 'recordBatch'>
}
type Begin = { pilot_id: string; decision_note: string; evidence_root_sha256: string }

/** Pilots as operators see them, and begin their runs. */
export class RuntimeRunService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The pilots of a rail, and those that may begin with the root of the evidence that their approval cites. */
  async list(rail: RailKey, state: PilotFilter['state'], page: { offset: number; limit: number }) {
    const { pilots, reviews } = this.#deps
    const listed = await pilots.list({ rail, state }, page)
    const ready_to_run = []
    for (const { pilot_id, work_order_id } of await pilots.ready(rail)) {
      const { evidence_root_sha256 } = await reviews.roots(work_order_id)
      ready_to_run.push({ pilot_id, evidence_root_sha256 })
    }
    return { ...listed, ready_to_run }
  }

  /**
   * Approves the order of a paid pilot, by which its run is enqueued; a repeat finds the decision. 404, 409 `wrong_state` before it
   * is paid, `already_decided`, `evidence_changed`.
   */
  async begin(rail: RailKey, reviewer: Reviewer, asked: Begin) {
    const { pilots, reviews } = this.#deps
    const { pilot_id, decision_note: note, evidence_root_sha256 } = asked
    const { run } = await pilots.find(rail, pilot_id)
    const work_order_id = run?.work_order_id ?? ''
    if (run === null || run.waiting_for.includes('credit'))
      throw refuse('wrong_state', {
        detail: run === null ? 'the pilot has no run' : `its run is ${run.state}: it is not paid`,
        next_action: 'Begin one of ready_to_run.',
      })
    const [outcome] = await reviews.recordBatch(reviewer, {
      subject_kind: 'work_order',
      decision: 'approve',
      note,
      judgements: [],
      items: [{ subject_id: work_order_id, evidence_root_sha256 }],
      dry_run: false,
    })
    if (outcome?.receipt_id == null) {
      const { code = 'wrong_state', detail = 'nothing was decided' } = outcome?.refused ?? {}
      throw refuse(code as ErrorCode, { detail })
    }
    const { receipt_id } = outcome
    const review_decision = { decision: 'approve' as const, work_order_id, receipt_id }
    return { ...(await pilots.find(rail, pilot_id)), review_decision }
  }
}
