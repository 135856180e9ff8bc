/** Sets that grow together: joining and finding take next to constant time (union by size, path halving). */
export function disjointSets<T>() {
  const parents = new Map<T, T>()
  const sizes = new Map<T, number>()
  const rootOf = (item: T): T => {
    let at = item
    for (let parent = parents.get(at) ?? at; parent !== at; parent = parents.get(at) ?? at) {
      const above = parents.get(parent) ?? parent
      parents.set(at, above)
      at = above
    }
    if (!parents.has(at)) parents.set(at, at)
    return at
  }
  return {
    rootOf,
    join(one: T, other: T): void {
      const [a, b] = [rootOf(one), rootOf(other)]
      if (a === b) return
      const [sizeA, sizeB] = [sizes.get(a) ?? 1, sizes.get(b) ?? 1]
      const [large, small] = sizeA < sizeB ? [b, a] : [a, b]
      parents.set(small, large)
      sizes.set(large, sizeA + sizeB)
    },
    /** Everything that was ever named, in the order in which it was. */
    items: (): T[] => [...parents.keys()],
  }
}
