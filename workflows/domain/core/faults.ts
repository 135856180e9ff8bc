import { utf8ToBytes } from '@noble/hashes/utils.js'
import type { PointerError } from './errors.ts'
import { pointerOf } from './json-pointer.ts'

/** A refusal lists so many faults of an input at most, in so many bytes of JSON. */
const FAULTS_MAX = 20
const BYTES_MAX = 3_000
const POINTER_MAX = 200

/** The first faults, as many as a refusal lists; the others are never worked out. */
export function firstFaults(faults: Iterable<PointerError>): PointerError[] {
  const first: PointerError[] = []
  let bytes = 0
  for (const fault of faults) {
    bytes += utf8ToBytes(JSON.stringify(fault)).length
    if (first.length > 0 && bytes > BYTES_MAX) break
    first.push(fault)
    if (first.length === FAULTS_MAX) break
  }
  return first
}

/** A fault at a path; where the names of the path are too long to show, at the member above them. */
export function faultAt(path: readonly PropertyKey[], message: string): PointerError {
  let shown = path
  while (shown.length > 0 && lengthOf(shown) > POINTER_MAX) shown = shown.slice(0, -1)
  const where = shown.length < path.length ? `in a member of a long name: ${message}` : message
  return { pointer: pointerOf(shown), message: where }
}

const lengthOf = (path: readonly PropertyKey[]): number =>
  path.reduce<number>((sum, part) => sum + String(part).length + 1, 0)
