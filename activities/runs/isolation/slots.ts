/** Waits for a slot of this key; the result gives it back, once. */
export type Slots = (key: string) => Promise<() => void>

/**
 * So many at once of each key, in their order. A slot is handed over with the next cycle of the event loop, so that work of others
 * comes between the calls of one key, however many wait.
 */
export function createSlots(atOnce: number): Slots {
  const keys = new Map<string, { taken: number; waiting: (() => void)[] }>()
  return async (key) => {
    const slots = keys.get(key) ?? { taken: 0, waiting: [] }
    keys.set(key, slots)
    slots.taken += 1
    if (slots.taken > atOnce) await new Promise<void>((resolve) => slots.waiting.push(resolve))
    let held = true
    return () => {
      if (!held) return
      held = false
      slots.taken -= 1
      if (slots.taken === 0) keys.delete(key)
      const next = slots.waiting.shift()
      if (next !== undefined) setImmediate(next)
    }
  }
}
