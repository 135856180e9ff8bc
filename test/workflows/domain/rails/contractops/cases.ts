import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RailCases } from '../cases.ts'
import { day, maybe, pick, type Roll, shuffled, upTo } from '../dice.ts'
import { prose } from '../prose.ts'

const contracts = join(import.meta.dirname, 'contracts')
const texts = readdirSync(contracts)
  .toSorted()
  .map((file) => readFileSync(join(contracts, file), 'utf8'))

export const cases: RailCases = {
  declared: [false, false, false, 'future', false, false, null],
  figures: ({ parties, terms, liability_caps, governing_law, obligations, uncertain }) => ({
    Parties: parties.map(({ name }: { name: string }) => name).join(', '),
    'Effective on': terms.effective_on,
    'Current term ends on': terms.current_term_ends_on,
    'Renews on': terms.renews_on,
    'Last day for notice': terms.notice.deadline_on,
    'Liability caps': liability_caps.length,
    'Governing law': governing_law.map(({ law }: { law: string }) => law).join(', '),
    Obligations: obligations.length,
    'Unclear or contradictory places': uncertain.length,
  }),
  planted: {
    quotes_in_place: (result) => {
      result.dates[0].citation.from += 1
    },
    deadline_follows: (result) => {
      result.terms.notice.deadline_on = '2026-07-01'
    },
    renewal_follows: (result) => {
      result.terms.renews_on = '2026-12-24'
    },
    obligors_named: (result) => {
      result.obligations[0].party = 'Somewhere Else plc'
    },
    days_exist: (result) => {
      result.dates[0].day = '2024-02-30'
    },
  },
  input: contract,
  larger: () => texts.flatMap((text) => [{ text }, { text, as_of: '2026-06-30' }]),
}

function contract(roll: Roll): unknown {
  const text = roll() < 0.6 ? prose(10 + upTo(300, roll), roll) : mixed(roll)
  return { text, ...maybe(roll, { as_of: day(upTo(900, roll)) }) }
}
const mixed = (roll: Roll) =>
  shuffled(pick(texts, roll).split(/(?<=\.\s)/), roll)
    .slice(0, 40)
    .join('')
