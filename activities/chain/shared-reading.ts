/**
 * A reading that all who ask within `maxAgeMs` of its beginning share, those who ask while it is under way too. A failed one is
 * told to those who waited for it and not kept.
 */
export function keepFresh<T>(read: () => Promise<T>, maxAgeMs: number): () => Promise<T> {
  let latest: { reading: Promise<T>; begun: number; underWay: boolean } | undefined
  return () => {
    if (latest !== undefined && (latest.underWay || performance.now() - latest.begun < maxAgeMs))
      return latest.reading
    const mine = { reading: read(), begun: performance.now(), underWay: true }
    latest = mine
    mine.reading.then(
      () => {
        mine.underWay = false
      },
      () => {
        if (latest === mine) latest = undefined
      },
    )
    return mine.reading
  }
}

/** A reading that begins after the question: those who ask while one is under way share the next one. */
export function readJointly<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const begin = (): Promise<T> => {
    next = undefined
    const reading = read().finally(() => {
      if (running === reading) running = undefined
    })
    running = reading
    return reading
  }
  return () => {
    if (running === undefined) return begin()
    next ??= running.then(begin, begin)
    return next
  }
}
