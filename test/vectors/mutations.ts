/** A value with one leaf changed, and where that leaf is. */
export type Mutation = { readonly path: string; readonly value: unknown }

/** The value once for each of its leaves, with that leaf changed and all others as they were. */
export function eachLeafChanged(value: unknown, path = ''): Mutation[] {
  if (typeof value !== 'object' || value === null) return [{ path, value: changed(value) }]
  const keys = Object.keys(value)
  if (keys.length === 0) return [{ path, value: Array.isArray(value) ? ['x'] : { x: 1 } }]
  return keys.flatMap((key) =>
    eachLeafChanged((value as Record<string, unknown>)[key], join(path, key)).map((mutation) => ({
      path: mutation.path,
      value: withMember(value, key, mutation.value),
    })),
  )
}

/** The value once for each of its members, without that member. */
export const eachMemberRemoved = (value: Record<string, unknown>): Mutation[] =>
  Object.keys(value).map((path) => ({
    path,
    value: Object.fromEntries(Object.entries(value).filter(([name]) => name !== path)),
  }))

function changed(leaf: unknown): unknown {
  if (typeof leaf === 'string') return leaf.slice(0, -1) + (leaf.endsWith('0') ? '1' : '0')
  if (typeof leaf === 'number') return leaf + 1
  if (typeof leaf === 'boolean') return !leaf
  return 'x'
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

function withMember(value: object, key: string, member: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === key ? member : item))
  return { ...value, [key]: member }
}
