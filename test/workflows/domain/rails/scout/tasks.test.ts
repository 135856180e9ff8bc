import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { z } from 'zod'
import { railOf, rails } from '#domain/rails/index.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { ScoutResult } from '#domain/rails/scout/schema.ts'
import { verifies } from '../../../../verifies.ts'

const Half = z.strictObject({
  tasks: z.array(z.tuple([z.string(), z.enum(railKeys)])).length(40),
  nothing: z.array(z.string()).min(10),
})
/**
 * Tasks in plain words with the rail for each, and tasks that nothing of ours fits. The words of the rails were tuned on the first
 * half. The second was measured once; its texts were known when the phrases of the rails were written. Without the phrases it has 38 of 40.
 */
const halves = z
  .strictObject({ tuning: Half, frozen: Half })
  .parse(JSON.parse(readFileSync(new URL('plain-tasks.json', import.meta.url), 'utf8')))

const rankedFor = (task: string) => ScoutResult.parse(railOf('scout').work({ task }).result).ranked
const foundIn = ({ tasks }: z.output<typeof Half>, places: number) =>
  tasks.filter(([task, rail]) =>
    rankedFor(task)
      .slice(0, places)
      .some(({ name }) => name === rail),
  ).length

verifies('scout.plain-tasks', 'the rail is among the first three of nine tasks in ten', () => {
  expect(foundIn(halves.tuning, 3) / halves.tuning.tasks.length).toBeGreaterThanOrEqual(0.9)
  expect(foundIn(halves.frozen, 3) / halves.frozen.tasks.length).toBeGreaterThanOrEqual(0.9)
})

verifies('scout.plain-tasks', 'what nothing of ours fits has no clear match and is missing', () => {
  const all = [...halves.tuning.nothing, ...halves.frozen.nothing]
  for (const task of all) {
    const { ranked, missing } = ScoutResult.parse(railOf('scout').work({ task }).result)
    expect(
      ranked.filter(({ match }) => match === 'clear'),
      task,
    ).toEqual([])
    expect(
      missing.map(({ quote }) => quote),
      task,
    ).toEqual([task])
  }
})

verifies('scout.plain-tasks', 'an announced rail is found, is not sold, and meets no need', () => {
  const task = 'read the parties and dates out of a contract'
  const { ranked, missing } = ScoutResult.parse(railOf('scout').work({ task }).result)
  expect(ranked[0]).toMatchObject({
    name: 'contractops',
    available: false,
    price_usd: null,
    match: 'clear',
  })
  expect(missing.map(({ quote }) => quote)).toEqual([task])
  const available = rails.filter(({ key }) => key !== 'contractops').map(({ key }) => key)
  for (const { name, available: sold } of ranked)
    expect(sold).toBe(available.some((key) => key === name))
  const priced = railOf('scout').work({ task, constraints: { price_max_usd: 100 } })
  expect(ScoutResult.parse(priced.result).excluded).toContainEqual(
    expect.objectContaining({ service_id: 'svc_contractops', code: 'without_price' }),
  )
})

verifies('scout.plain-tasks', 'one shared word of several is a weak match', () => {
  const [first] = rankedFor('book a flight to Lisbon')
  expect(first).toMatchObject({ match: 'weak', reasons: [{ match: 'weak', stems: ['book'] }] })
  expect(rankedFor('reconcile')[0]).toMatchObject({ name: 'financeops', match: 'clear' })
})
