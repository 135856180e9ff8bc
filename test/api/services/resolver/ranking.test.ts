import { afterAll, beforeAll, expect } from 'vitest'
import { DomainError, refuse } from '#domain/core/errors.ts'
import { ScoutInput } from '#domain/rails/scout/index.ts'
import { ChildDied, NotBegun } from '../../../../activities/runs/isolation/rail-pool.ts'
import { Ranking } from '../../../../api/services/resolver/ranking.ts'
import { startDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: Awaited<ReturnType<typeof startDatabase>>
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(() => database?.stop())

type Pool = ConstructorParameters<typeof Ranking>[0]['pool']
const rankingOver = (run: (job: { value: unknown }) => Promise<unknown>) =>
  new Ranking({ db: database.db, pool: { queue: () => ({ run }) } as unknown as Pool, tools: [] })
const asked = { task: 'Translate a text.', include_registry: false }
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof DomainError ? error.refusal.code : String(error)),
  )
const nothing = { result: { ranked: [] }, findings: [], gaps: [] }

verifies(
  'scout.rank',
  'what the pool refuses passes through; a dead child can be repeated',
  async () => {
    const complex = refuse('input_too_complex', { detail: 'it takes too long' })
    expect(await codeOf(rankingOver(() => Promise.reject(complex)).rank(asked, null))).toBe(
      'input_too_complex',
    )
    const died = rankingOver(() => Promise.reject(new ChildDied('it was killed')))
    expect(await codeOf(died.rank(asked, null))).toBe('unavailable')
    const late = rankingOver(() => Promise.reject(new NotBegun('no child began')))
    expect(await codeOf(late.rank(asked, null))).toBe('unavailable')
    const broken = rankingOver(() => Promise.reject(new Error('a fault of ours')))
    expect(await codeOf(broken.rank(asked, null))).toBe('Error: a fault of ours')
  },
)

verifies('scout.rank', '32 rankings wait, the next is refused, and places come free', async () => {
  const waiting: ((work: unknown) => void)[] = []
  const ranking = rankingOver(() => new Promise((resolve) => waiting.push(resolve)))
  const first = Array.from({ length: 32 }, () => codeOf(ranking.rank(asked, null)))
  await expect.poll(() => waiting.length).toBe(32)
  expect(await codeOf(ranking.rank(asked, null))).toBe('rate_limited')
  for (const end of waiting.splice(0)) end(nothing)
  expect(new Set(await Promise.all(first))).toEqual(new Set(['none']))
  const next = codeOf(ranking.rank(asked, null))
  await expect.poll(() => waiting.length).toBe(1)
  for (const end of waiting) end(nothing)
  expect(await next).toBe('none')
})

verifies('resolver.find', 'services with characters of two units do not end a search', async () => {
  const described = [
    { name: '\u{1f600}'.repeat(120), description: '\u{1f600}'.repeat(1_000) },
    { name: `x${'\u{1f600}'.repeat(119)}`, description: `x${'\u{1f600}'.repeat(999)}` },
    { name: 'A plain name', description: '' },
    { name: 'Of an unknown protocol', description: null, protocols: ['No protocol'] },
  ]
  for (const [at, { protocols = ['http'], ...words }] of described.entries()) {
    const service_id = `cand_${String(at).repeat(64)}`
    await database.db
      .insertInto('services')
      .values({
        ...words,
        service_id,
        url: `https://receiver.example/${at}`,
        host: 'receiver.example',
        protocols: JSON.stringify(protocols),
      })
      .execute()
    await database.db
      .updateTable('services')
      .set({ state: 'approved', decision_id: `dec_${at}` })
      .where('service_id', '=', service_id)
      .execute()
  }
  let value: unknown
  const ranking = rankingOver(async (job) => {
    value = job.value
    return nothing
  })
  await ranking.rank({ ...asked, include_registry: true }, null)
  const { registry = [] } = ScoutInput.parse(value)
  const lengths = registry
    .filter(({ service_id }) => service_id.startsWith('cand_'))
    .map(({ name, summary, capabilities: [one = ''] }) => [name.length, summary.length, one.length])
  expect(lengths.toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
    [12, 12, 12],
    [127, 999, 255],
    [128, 1000, 256],
  ])
})
