import type { z } from 'zod'
import { pointerOf } from '../../core/json-pointer.ts'
import { isObject } from '../../core/plain-object.ts'
import { shownText } from './columns.ts'
import type { Reading } from './reading.ts'

export const faultKinds = [
  'unknown_field',
  'missing_field',
  'missing_column',
  'wrong_type',
  'wrong_format',
  'unknown_value',
  'out_of_bounds',
  'inconsistent',
  'ambiguous',
  'file_unreadable',
] as const
type FaultKind = (typeof faultKinds)[number]

/** One fault of an input: the field with `*` for every row, its place in the input, and what stands there as JSON text. */
export type InputFault = {
  kind: FaultKind
  field: string
  message: string
  pointer: string
  /** The first index on the way to it; null outside of lists. */
  row: number | null
  value: string | null
}

const GROUPS_SHOWN = 100
const FIRST_SHOWN = 5

/** Faults that differ only in their row. */
type FaultGroup = Pick<InputFault, 'kind' | 'field' | 'message'> & {
  count: number
  first: { pointer: string; row: number | null; value: string | null }[]
}
export type GroupedFaults = { total: number; groups: FaultGroup[]; groups_left_out: number }

/**
 * What the reading of an upload ended with: the number of its rows or the characters of its text, and its faults, why it was given up,
 * or the kind of secret that its text holds.
 */
export type UploadOutcome =
  | { rows: number; chars?: number; faults: GroupedFaults; reading?: Reading }
  | { refused: string }
  | { secret: string }

/** The faults of an input that stands at `place` (RFC 6901) in a larger document. */
export const placedAt = (place: string, faults: readonly InputFault[]): InputFault[] =>
  faults.map((fault) => ({
    ...fault,
    field: `${place}${fault.field}`,
    pointer: `${place}${fault.pointer}`,
  }))

/** The faults by kind, field and message, the most frequent first. */
export function groupFaults(faults: readonly InputFault[]): GroupedFaults {
  const byKey = new Map<string, FaultGroup>()
  for (const { kind, field, message, pointer, row, value } of faults) {
    const key = JSON.stringify([kind, field, message])
    const group = byKey.get(key) ?? { kind, field, message, count: 0, first: [] }
    byKey.set(key, group)
    group.count += 1
    if (group.first.length < FIRST_SHOWN) group.first.push({ pointer, row, value })
  }
  const groups = [...byKey.values()].toSorted((a, b) => b.count - a.count)
  return {
    total: faults.length,
    groups: groups.slice(0, GROUPS_SHOWN),
    groups_left_out: Math.max(0, groups.length - GROUPS_SHOWN),
  }
}

/** Groups of faults of a list that stands at `place` (RFC 6901) in a larger document. */
export const placedGroups = (place: string, faults: GroupedFaults): GroupedFaults => ({
  ...faults,
  groups: faults.groups.map(({ field, first, ...group }) => ({
    ...group,
    field: `${place}${field}`,
    first: first.map(({ pointer, ...at }) => ({ ...at, pointer: `${place}${pointer}` })),
  })),
})

/** The groups of several lists together. */
export function mergedFaults(all: readonly GroupedFaults[]): GroupedFaults {
  const sum = (of: (faults: GroupedFaults) => number) =>
    all.reduce((total, faults) => total + of(faults), 0)
  return {
    total: sum(({ total }) => total),
    groups: all.flatMap(({ groups }) => groups),
    groups_left_out: sum(({ groups_left_out }) => groups_left_out),
  }
}

const TEXT_CHARS_MAX = 2_000

/** The groups as text of at most 2,000 characters, a line for each. */
export function faultsText(faults: readonly InputFault[]): string {
  const { total, groups, groups_left_out } = groupFaults(faults)
  const lines = groups.map(({ kind, field, message, count, first: [first] }) => {
    const value = first?.value === null ? '' : `: ${first?.value}`
    return `${count} × ${kind} ${field || '(input)'}: ${message}; first at ${first?.pointer || '(input)'}${value}`
  })
  let text = `The input has ${total} ${total === 1 ? 'fault' : 'faults'}.`
  for (const [index, line] of lines.entries()) {
    const more = `\nThe other groups (${lines.length - index + groups_left_out}) are not shown.`
    if (text.length + line.length + more.length >= TEXT_CHARS_MAX) return text + more
    text += `\n${line}`
  }
  return text
}

/** The pointer with `*` for every index. */
export const fieldOf = (path: readonly PropertyKey[]): string =>
  pointerOf(path.map((part) => (typeof part === 'number' ? '*' : part)))

/** The faults that an issue stands for; `named` turns a place among the fields into one in the caller's input. */
export function faultsOfIssue(
  issue: z.core.$ZodIssue,
  input: unknown,
  named: (path: readonly PropertyKey[]) => readonly PropertyKey[],
): InputFault[] {
  const faultAt = (kind: FaultKind, path: readonly PropertyKey[], message: string) => {
    const place = named(path)
    const value = valueAt(input, place)
    const shown = value === undefined ? null : shownText(value)
    const row = path.find((part) => typeof part === 'number') ?? null
    return { kind, field: fieldOf(path), message, pointer: pointerOf(place), row, value: shown }
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => faultAt('unknown_field', [...issue.path, key], 'unknown field'))
  const isMissing = valueAt(input, named(issue.path)) === undefined
  const kind = isMissing && issue.code !== 'custom' ? 'missing_field' : kindOf(issue)
  return [faultAt(kind, issue.path, messageOf(issue))]
}

function kindOf(issue: z.core.$ZodIssue): FaultKind {
  const kinds: Partial<Record<z.core.$ZodIssue['code'], FaultKind>> = {
    invalid_type: 'wrong_type',
    invalid_format: 'wrong_format',
    invalid_value: 'unknown_value',
    invalid_key: 'wrong_format',
    too_big: 'out_of_bounds',
    too_small: 'out_of_bounds',
    not_multiple_of: 'out_of_bounds',
  }
  if (issue.code !== 'invalid_union') return kinds[issue.code] ?? 'inconsistent'
  const [only, ...others] = new Set(issue.errors.flat().map(kindOf))
  return only !== undefined && others.length === 0 ? only : 'wrong_type'
}

/** A union says what each of its options wants. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message
  const messages = new Set(issue.errors.flat().map(messageOf))
  return messages.size === 0 ? issue.message : [...messages].join(', or: ')
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let place = input
  for (const part of path) {
    const within = isObject(place) || Array.isArray(place)
    if (!within || !Object.hasOwn(place as object, part)) return undefined
    place = Reflect.get(place as object, part)
  }
  return place
}
