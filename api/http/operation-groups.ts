import type { AnyOperation } from '../operation.ts'

/** The operations behind one path, by method; `mode` distinguishes several under one method. */
export type PathGroup = {
  readonly path: string
  readonly methods: ReadonlyMap<string, readonly AnyOperation[]>
}

/** What stands in braces in a path. */
export const namesIn = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

/** Groups the registry by path (aliases are paths of their own) and method; throws when two operations are not distinct. */
export function groupByPath(registry: readonly AnyOperation[]): PathGroup[] {
  const paths = new Map<string, Map<string, AnyOperation[]>>()
  for (const operation of registry) {
    const { method, path, aliases = [] } = operation.http
    for (const at of [path, ...aliases]) {
      const methods = paths.get(at) ?? new Map<string, AnyOperation[]>()
      const group = methods.get(method) ?? []
      assertDistinct(operation, group)
      paths.set(at, methods.set(method, [...group, operation]))
    }
  }
  return [...paths].map(([path, methods]) => ({ path, methods }))
}

function assertDistinct(operation: AnyOperation, group: readonly AnyOperation[]): void {
  if (group.length === 0) return
  const modes = [...group, operation].map(({ mode }) => mode)
  if (modes.includes(undefined) || new Set(modes).size < modes.length) {
    throw new Error(
      `operation ${operation.id} has the same method, path and mode as ${group[0]?.id}`,
    )
  }
}
