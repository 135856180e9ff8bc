/** The literals in the first argument of each `verifies(…)`, each once. */
export function citedIds(source: string): Set<string> {
  const calls = source.matchAll(/\bverifies\(\s*(\[[^\]]*\]|'[^']*')/g)
  return new Set(
    [...calls].flatMap(([, ids = '']) => [...ids.matchAll(/'([^']*)'/g)].map(([, id = '']) => id)),
  )
}
