import { afterAll, expect } from 'vitest'
import { defaultPoolSettings, openRailPool } from '../../../activities/runs/isolation/rail-pool.ts'
import { verifies } from '../../verifies.ts'
import { bombs } from './bombs.ts'

const pool = openRailPool(defaultPoolSettings())
afterAll(() => pool.close())

const drawn = { word: 'bdgmnst', amount: 7 }
/** About as large as a request or the schema of the rail allows. */
const largest: [string, number][] = [
  ['financeops: references that join all invoices to one', 5_000],
  ['financeops: one party, one payment for all of its invoices', 5_000],
  [
    'diligenceops: copies of a sentence that many others contradict and many questions cite',
    15_000,
  ],
  ['diligenceops: one sentence of mentions', 200_000],
  ['diligenceops: questions about what every passage says', 2_000],
  ['contractops: days until which something lasts', 15_000],
  ['contractops: duties that end in marks', 128],
  ['packetops: documents of every section', 200],
  ['scout: services that all do what each need says', 166],
  ['scout: needs', 333],
  ['tokenops: a model for each row', 5_000],
  ['energyops: bands of each minute over years', 208],
  ['distributionops: a level for each recipient', 5_000],
]

for (const [name, size] of largest)
  verifies('isolation.maxima', `${name}, ${size}`, async () => {
    const made = await bombs.find((bomb) => bomb.name === name)?.make(size, drawn)
    if (made?.rail === undefined) throw new Error(`there is no bomb ${name}`)
    expect(
      await pool.run({ kind: 'work', tier: 'pro', rail: made.rail, value: made.value, lists: {} }),
    ).toHaveProperty('result')
  })
