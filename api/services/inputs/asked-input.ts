import { type DomainError, refuse } from '#domain/core/errors.ts'
import { railOf } from '#domain/rails/index.ts'
import {
  type GroupedFaults,
  groupFaults,
  type InputFault,
  placedAt,
} from '#domain/rails/input/input-faults.ts'
import { readInput } from '#domain/rails/input/read-input.ts'
import type { Reading } from '#domain/rails/input/reading.ts'
import { uploadsOf } from '#domain/rails/input/uploads.ts'
import type { RailKey, Tier } from '#domain/rails/rail.ts'
import { oversize } from '#domain/rails/work/tiers.ts'
import { type CallbackHosts, checkCallbackUrl } from '../../../activities/callbacks/hosts.ts'

const FAULTS_SHOWN = 50

/** Throws 422 `input_rejected` with all faults of an input that its rail cannot read; uploaded lists are read later. */
export function assertReadable(rail: RailKey, tier: Tier, input: unknown): void {
  assertAllReadable([{ rail, tier, input, pointer: '/input' }])
}

/** The same for several inputs, each at its place in the call. */
export function assertAllReadable(
  asked: readonly { rail: RailKey; tier: Tier; input: unknown; pointer: string }[],
): void {
  const faulty = asked.flatMap(({ rail, tier, input, pointer }) => {
    const all = [...faultsOf(rail, input), ...sizeFaults(rail, tier, { input })]
    const faults = placedAt(pointer, all)
    return faults.length === 0 ? [] : [{ rail, faults }]
  })
  const faults = faulty.flatMap((one) => one.faults)
  if (faults.length === 0) return
  throw inputRejected(new Set(faulty.map(({ rail }) => rail)), groupFaults(faults))
}

/** How an uploaded list was read. */
export type ListReading = { list: string; reading: Reading }

/** 422 with all faults of an input, and how its lists were read; `errors` names the first places of each group. */
export function inputRejected(
  rails: ReadonlySet<RailKey>,
  faults: GroupedFaults,
  readings: readonly ListReading[] = [],
): DomainError {
  const errors = faults.groups.flatMap(({ message, first }) =>
    first.map(({ pointer }) => ({ pointer, message })),
  )
  const schemas = [...rails].map((rail) => `rail-input-${rail}.v1.json`)
  return refuse('input_rejected', {
    detail: `the input has ${faults.total} ${faults.total === 1 ? 'fault' : 'faults'}`,
    next_action: `Correct what "faults" names and send the call again. See ${schemas.join(', ')}.`,
    errors: errors.slice(0, FAULTS_SHOWN),
    extra: { faults, ...(readings.length > 0 && { readings }) },
  })
}

/** All faults of an input, none where its rail can read it. */
export function faultsOf(key: RailKey, input: unknown): InputFault[] {
  const rail = railOf(key)
  const read = readInput(rail, input, uploadsOf(rail, input))
  return 'faults' in read ? read.faults : []
}

/** The fault of an input that has more rows or bytes than its tier takes; `uploadedRows` are those of the uploads that it names. */
export function sizeFaults(
  rail: RailKey,
  tier: Tier,
  size: { input: unknown; uploadedRows?: number; bytes?: number },
): InputFault[] {
  const wrong = oversize(railOf(rail), tier, size)
  if (wrong === null) return []
  const { pointer, message } = wrong
  return [{ kind: 'out_of_bounds', field: pointer, message, pointer, row: null, value: null }]
}

/** Throws 422 `callback_refused` for a callback URL that the preflight would refuse; `sandboxed`: only the demo receiver is allowed. */
export function assertCallback(hosts: CallbackHosts, url: string | null, sandboxed: boolean): void {
  const checked = url === null ? undefined : checkCallbackUrl(hosts, url, sandboxed)
  if (checked?.ok === false)
    throw refuse('callback_refused', {
      detail: checked.detail,
    })
}
