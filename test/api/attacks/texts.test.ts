import { afterAll, beforeAll, expect } from 'vitest'
import type { z } from 'zod'
import { pointerOf } from '#domain/core/json-pointer.ts'
import { plainTextPattern } from '#domain/core/plain-text.ts'
import { exampleOf } from '../../../api/examples/index.ts'
import { hostile } from '../../support/attack-inputs.ts'
import {
  isNamedByCallers,
  openAttacked,
  placesIn,
  send,
  withIds,
  withValue,
  writes,
} from '../../support/attacks.ts'
import { verifies } from '../../verifies.ts'

let attacked: Awaited<ReturnType<typeof openAttacked>>
beforeAll(async () => {
  attacked = await openAttacked()
})
afterAll(() => attacked?.apis.stop())

/** Analyses start processes, and what a provider signed is read as it is. */
const asking = writes.filter(({ id, access }) => !id.endsWith('-run') && access !== 'provider')

verifies('attack.texts', 'no text of a caller breaks a write or comes back as markup', async () => {
  const wrong: unknown[] = []
  let taken = 0
  for (const operation of asking) {
    const input = withIds(exampleOf(operation).input, attacked.ids)
    const places = [...placesIn(input)].flatMap(([path, value]) =>
      typeof value === 'string' && path.at(-1) !== 'mode' ? [path] : [],
    )
    const reads = (value: unknown) => (operation.input as z.ZodType).safeParse(value)
    const asked = places.flatMap((path) =>
      hostile.flatMap((text) => {
        const changed = withValue(input, path, text)
        const isTaken = reads(changed).success
        const place = `${operation.id} ${pointerOf(path)}`
        if (isTaken && !plainTextPattern.test(text) && !isNamedByCallers(place))
          wrong.push([place, JSON.stringify(text)])
        return isTaken ? [changed] : []
      }),
    )
    // All that a schema takes, and one that it does not.
    const refused = withValue(input, places[0] ?? [], 'a\u0000b')
    const sent = [...asked, ...(places.length > 0 ? [refused] : [])]
    taken += sent.length
    const answers = sent.map(async (one) => {
      const by = attacked.callers.presents(operation)
      const { status, code, type } = await send(attacked.callers.hosts, operation, one, by)
      const isJson = /^application\/(problem\+)?json/.test(type)
      // Without Temporal and a chain, what needs them is 503, as are more repeats of a call than a process keeps waiting.
      const isFault = status >= 500 && !['unavailable', 'contention'].includes(String(code))
      return isFault || !isJson
        ? [[operation.id, JSON.stringify(one).slice(0, 300), status, code, type]]
        : []
    })
    wrong.push(...(await Promise.all(answers)).flat())
  }
  expect(wrong).toEqual([])
  expect(taken).toBeGreaterThan(200)
})
