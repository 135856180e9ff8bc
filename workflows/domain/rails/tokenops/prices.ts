import { groupedBy } from '../../core/grouped-by.ts'
import { toMicro } from '../amounts.ts'
import type { TokenopsHead } from './schema.ts'

/** Costs are whole numbers of 10⁻¹² minor units: millionths of a minor unit for a millionth of the tokens that a price is for. */
export const COST_PLACES = 12

/** Millionths of a minor unit for a million tokens, and where the price stands. */
export type Price = { input: bigint; output: bigint; index: number }
export type Prices = {
  of(model: string): Price | 'not_in_price_table' | 'prices_differ'
  /** Rows of the table that say again what another says, and those of models with more than one price. */
  repeated: number[]
  differing: number[]
}

/** A model that has two prices has none: which one holds is not guessed. */
export function readPrices(table: TokenopsHead['price_table']): Prices {
  const rows = table.map(({ model, input_per_million_minor, output_per_million_minor }, index) => {
    return {
      model,
      input: toMicro(input_per_million_minor),
      output: toMicro(output_per_million_minor),
      index,
    }
  })
  const models = groupedBy(rows, ({ model }) => model)
  const differ = (own: Price[]) =>
    own.some(({ input, output }) => input !== own[0]?.input || output !== own[0]?.output)
  const known = new Map(
    [...models].map(([model, own]) => [model, differ(own) ? ('prices_differ' as const) : own[0]]),
  )
  const more = [...models.values()].filter((own) => own.length > 1)
  return {
    of: (model) => known.get(model) ?? 'not_in_price_table',
    repeated: more
      .filter((own) => !differ(own))
      .flatMap((own) => own.slice(1).map(({ index }) => index)),
    differing: more.filter(differ).flatMap((own) => own.map(({ index }) => index)),
  }
}

export function costOf(tokens: { input: number; output: number }, price: Price): bigint {
  return BigInt(tokens.input) * price.input + BigInt(tokens.output) * price.output
}
