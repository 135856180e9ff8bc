/**
 * Shares one reading between all calls within `maxAgeMs` of its start, and between all calls while it is running. A failed reading
 * rejects the calls that wait for it and is not kept.
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

/** A reading that starts after the call: calls during a running reading share the next one. */
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
