import { type DomainError, refuse } from '#domain/core/errors.ts'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { limits } from '#domain/core/limits.ts'
import { railOf } from '#domain/rails/index.ts'
import { correctionsOf } from '#domain/rails/input/corrections.ts'
import { documentsOf } from '#domain/rails/input/documents.ts'
import { INPUT_CHARS_MAX, tooLongTogether } from '#domain/rails/input/fields.ts'
import {
  type GroupedFaults,
  groupFaults,
  mergedFaults,
  placedAt,
  placedGroups,
} from '#domain/rails/input/input-faults.ts'
import { uploadsOf } from '#domain/rails/input/uploads.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import { inputBytes } from '../../../activities/runs/input.ts'
import { findAgent, isTrustedAgent } from '../../../activities/store/agents/agents.ts'
import { computeUsed } from '../../../activities/store/calls/compute.ts'
import {
  beginUploadCheck,
  type CheckedList,
  DOCUMENT,
  dropUploadCheck,
  findUploadCheck,
  type NotBegun,
  type UploadCheckRow,
} from '../../../activities/store/inputs/upload-checks.ts'
import type { ReadingBounds } from '../../../activities/store/inputs/upload-readings.ts'
import { type Changes, lookUntil } from '../../../activities/store/postgres/changes.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { assertAllReadable, inputRejected, type ListReading, sizeFaults } from './asked-input.ts'

type CheckDeps = {
  db: Tx
  changes: Pick<Changes, 'wait'>
  /** Starts or joins the workflow of a stored check; false where it cannot be started now. */
  start(check: UploadCheckRow, trusted: boolean): Promise<boolean>
}
/** An input of an agent at its place in the call. */
type Asked = {
  owner: string
  rail: RailKey
  tier: Tier
  input: unknown
  pointer?: string
}
type Limits = { until: number; perDay: ReadingBounds }

/** Reads uploads as their rails would, before anything is paid for. Each upload is read once for a list and its corrections, or as a document. */
export class UploadChecks {
  private readonly deps: CheckDeps

  constructor(deps: CheckDeps) {
    this.deps = deps
  }

  /**
   * Reads an input, and the uploads that it names where it has an agent, and answers how its lists were read. Throws 422
   * `input_rejected`, and as `assertUploads` does.
   */
  async assertInput({ owner, ...asked }: Omit<Asked, 'owner'> & { owner: string | null }) {
    const { rail, tier, input, pointer = '/input' } = asked
    assertAllReadable([{ rail, tier, input, pointer }])
    return owner === null ? [] : this.assertUploads({ owner, ...asked })
  }

  /**
   * Waits until all uploads that a readable input names are read. Throws 422 `input_rejected` with all faults, `evidence_mismatch`
   * for an upload that the agent does not have, `forbidden_material` for one with a secret, 409 `not_ready` while one is still being read, 429, and 503 without Temporal.
   */
  async assertUploads({ rail, ...asked }: Asked): Promise<ListReading[]> {
    const { faulty, readings } = await this.#readUploads({ rail, ...asked })
    if (faulty.length > 0) throw inputRejected(new Set([rail]), mergedFaults(faulty), readings)
    return readings
  }

  /** Reads the files that an input names and that no call has read yet; their faults stop the run at its intake. */
  async extractUploads(asked: Asked): Promise<void> {
    await this.#readUploads(asked)
  }

  /** Answers the faults of all uploads of an input, and how its lists were read. */
  async #readUploads({ owner, rail, tier, input, pointer = '/input' }: Asked) {
    const until = performance.now() + limits.uploadCheckWaitMs
    const perDay = await this.#perDay(owner)
    const faulty: GroupedFaults[] = []
    const readings: ListReading[] = []
    let [chars, uploadedRows] = [0, 0]
    for (const { place, ...asked } of askedReadings({ owner, rail, input })) {
      const check = await this.#read(asked, { until, perDay })
      assertNoSecret(check.outcome, `${pointer}${place}${pointerOf([placeOf(asked.list)])}`)
      faulty.push(...faultsOf(check, `${pointer}${place}`))
      if (check.outcome !== null && 'chars' in check.outcome) chars += check.outcome.chars ?? 0
      uploadedRows += rowsIn(check.outcome)
      if (check.outcome !== null && 'rows' in check.outcome && check.outcome.reading !== undefined)
        readings.push({ list: asked.list, reading: check.outcome.reading })
    }
    const bytes = await inputBytes(this.deps.db, owner, railOf(rail), input)
    const size = placedAt(pointer, sizeFaults(rail, tier, { input, uploadedRows, bytes }))
    if (size.length > 0) faulty.push(groupFaults(size))
    if (chars > INPUT_CHARS_MAX) faulty.push(outOfBounds(pointer, `the files: ${tooLongTogether}`))
    return { faulty, readings }
  }

  async #perDay(owner: string): Promise<ReadingBounds> {
    const agent = await findAgent(this.deps.db, owner)
    return agent?.sandbox === false ? limits.uploadReadings : limits.uploadReadingsOfSandbox
  }

  /** One upload after another, so that an input of many does not take the readings of others. */
  async #read(asked: CheckedList, { until, perDay }: Limits): Promise<UploadCheckRow> {
    const { db, changes, start } = this.deps
    const begun = await beginUploadCheck(db, asked, {
      openMax: limits.uploadChecksMax,
      perDay,
    })
    if ('refused' in begun) throw notBegun(begun, asked.sha256)
    if (begun.outcome !== null) return begun
    if (!(await start(begun, await isTrustedAgent(db, begun.owner)))) {
      await dropUploadCheck(db, begun.check_id)
      throw refuse('unavailable', { detail: 'the upload cannot be read now' })
    }
    const ended = await lookUntil(changes, begun.check_id, until - performance.now(), async () => {
      const check = await findUploadCheck(db, begun.check_id)
      return check?.outcome == null ? undefined : check
    })
    if (ended !== undefined) return ended
    throw refuse('not_ready', {
      detail: `the upload ${asked.sha256} is still being read`,
      next_action: 'Send the same call again; the reading continues.',
      retry_after_ms: 2_000,
    })
  }
}

function notBegun(why: NotBegun, sha256: string): DomainError {
  if (why.refused === 'no_upload')
    return refuse('evidence_mismatch', {
      detail: `there is no upload ${sha256}`,
      next_action: 'PUT it to /api/agent-inputs/{sha256} first.',
    })
  if (why.refused === 'too_many_at_once')
    return refuse('rate_limited', {
      detail: 'other uploads of this agent are being read',
      next_action: 'Wait until they are read, then send the same call again.',
      retry_after_ms: 2_000,
    })
  if (why.refused === 'compute_used') return computeUsed(why.waitMs)
  return refuse('rate_limited', {
    detail: 'this agent has had as many uploads read within 24 hours as it may',
    next_action: 'Send the same call again after the time in Retry-After.',
    retry_after_ms: why.waitMs,
  })
}

/** The readings of an input, each with the place that its faults are in. */
function askedReadings({ owner, rail: key, input }: Pick<Asked, 'owner' | 'rail' | 'input'>) {
  const rail = railOf(key)
  const lists = Object.entries(uploadsOf(rail, input)).map(([list, named]) => ({
    list,
    ...named,
    corrections: correctionsOf(input, list),
    place: '',
  }))
  const documents = documentsOf(rail, input).map(({ pointer: place, sha256 }) => ({
    list: DOCUMENT,
    sha256,
    sheet: null,
    corrections: {},
    place,
  }))
  return [...lists, ...documents].map((one): CheckedList & { place: string } => ({
    owner,
    rail: key,
    ...one,
  }))
}

const rowsIn = (outcome: UploadCheckRow['outcome']): number =>
  outcome !== null && 'rows' in outcome ? outcome.rows : 0

const placeOf = (list: string): string => (list === DOCUMENT ? 'upload' : list)

/** Throws 422 `forbidden_material` where a secret was read in the upload. */
function assertNoSecret(outcome: UploadCheckRow['outcome'], pointer: string): void {
  if (outcome === null || !('secret' in outcome)) return
  throw refuse('forbidden_material', {
    detail: `secret material at ${pointer}`,
    errors: [{ pointer, message: `holds ${outcome.secret}` }],
  })
}

/** The faults of a read upload, placed in the call. */
function faultsOf({ list, outcome }: UploadCheckRow, place: string): GroupedFaults[] {
  if (outcome === null || 'secret' in outcome) return []
  const at = placeOf(list)
  const faults =
    'refused' in outcome ? outOfBounds(pointerOf([at]), outcome.refused) : outcome.faults
  return faults.total === 0 ? [] : [placedGroups(place, faults)]
}

const outOfBounds = (pointer: string, message: string): GroupedFaults =>
  groupFaults([{ kind: 'out_of_bounds', field: pointer, message, pointer, row: null, value: null }])
