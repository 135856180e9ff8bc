import { canonicalJson } from '#domain/core/canonical-json.ts'
import { pointerParts } from '#domain/core/json-pointer.ts'
import { isObject } from '#domain/core/plain-object.ts'

/** One change of a JSON document (RFC 6902). `move` and `copy` are left out: copies of copies grow without bound. */
export type PatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }

/** Why a patch does not fit its document; `index` is that of the operation. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  readonly index: number
  constructor(index: number, message: string) {
    super(message)
    this.index = index
  }
}

/** The document after all operations in their order; the given one stays as it is. Throws a PatchError for the first that does not fit. */
export function patched(document: unknown, operations: readonly PatchOperation[]): unknown {
  const root = { document: structuredClone(document) }
  for (const [index, operation] of operations.entries()) {
    const misfit = apply(root, operation)
    if (misfit !== undefined) throw new PatchError(index, misfit)
  }
  return root.document
}

/** Changes the document in place, and returns why it cannot. */
function apply(root: { document: unknown }, operation: PatchOperation): string | undefined {
  const { op, path } = operation
  const parts = pointerParts(path)
  if (parts === undefined) return 'path is not a JSON Pointer'
  const name = parts.pop() ?? 'document'
  const parent = parts.reduce(memberOf, path === '' ? root : root.document)
  if (Array.isArray(parent)) return changeList(parent, name, operation)
  if (!isObject(parent) || name === '__proto__') return `there is no ${path}`
  if (op !== 'add' && !Object.hasOwn(parent, name)) return `there is no ${path}`
  if (op === 'test') return testFault(parent[name], operation)
  if (op === 'remove') delete parent[name]
  else parent[name] = structuredClone(operation.value)
  return undefined
}

function changeList(list: unknown[], name: string, operation: PatchOperation): string | undefined {
  const { op, path } = operation
  const length = op === 'add' ? list.length + 1 : list.length
  const index = op === 'add' && name === '-' ? list.length : indexOf(name)
  if (index === undefined || index >= length) return `there is no ${path}`
  if (op === 'test') return testFault(list[index], operation)
  if (op === 'remove') list.splice(index, 1)
  else list.splice(index, op === 'add' ? 0 : 1, structuredClone(operation.value))
  return undefined
}

const testFault = (found: unknown, { path, value }: { path: string; value: unknown }) =>
  canonicalJson(found) === canonicalJson(value) ? undefined : `${path} has another value`

/** The member of an object or a list; undefined where there is none. */
function memberOf(within: unknown, name: string): unknown {
  if (Array.isArray(within)) return within[indexOf(name) ?? -1]
  return isObject(within) && Object.hasOwn(within, name) ? within[name] : undefined
}

/** The index that a part of a pointer is, without leading zeros (RFC 6901 §4). */
const indexOf = (name: string): number | undefined =>
  /^(0|[1-9][0-9]{0,9})$/.test(name) ? Number(name) : undefined
