import { setImmediate as nextCycle } from 'node:timers/promises'
import { expect } from 'vitest'
import { createSlots } from '../../../../activities/runs/isolation/slots.ts'
import { verifies } from '../../../verifies.ts'

verifies(
  'admission.unknown-calls',
  'a key has so many slots at once, in order, and each is given back once',
  async () => {
    const take = createSlots(2)
    const begun: number[] = []
    const held = Array.from({ length: 6 }, (_, at) =>
      take('a').then((release) => {
        begun.push(at)
        return release
      }),
    )
    await nextCycle()
    expect(begun).toEqual([0, 1])
    const [first, second] = [await held[0], await held[1]]
    first?.()
    first?.()
    await nextCycle()
    await nextCycle()
    expect(begun).toEqual([0, 1, 2])
    second?.()
    for (const one of held.slice(2)) one.then((release) => release())
    await Promise.all(held)
    expect(begun).toEqual([0, 1, 2, 3, 4, 5])
    await take('a')
  },
)

verifies(
  'admission.unknown-calls',
  'a call of another key comes between those of a key with many waiting',
  async () => {
    const take = createSlots(8)
    let done = 0
    const crowd = Array.from({ length: 1_000 }, async () => {
      const release = await take('crowd')
      done += 1
      release()
    })
    // What any other call needs before its answer: several answers of Postgres, each in a cycle of its own.
    for (let cycle = 0; cycle < 10; cycle++) await nextCycle()
    const release = await take('other')
    release()
    expect(done).toBeLessThan(200)
    await Promise.all(crowd)
    expect(done).toBe(1_000)
  },
)
