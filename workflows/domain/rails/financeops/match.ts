import type { Item } from './items.ts'
import type { FinanceopsResult } from './schema.ts'

type MatchLine = FinanceopsResult['matches'][number]
/** Invoices and payments that belong together, before their money is laid on each other. */
export type Match = {
  basis: MatchLine['basis']
  invoices: Item[]
  payments: Item[]
  /** Credit notes that state no invoice, and refunds. */
  credits?: Item[]
  refunds?: Item[]
}

export function kindOf({ invoices, payments }: Match): MatchLine['kind'] {
  if (payments.length <= 1) return invoices.length <= 1 ? 'one_to_one' : 'one_to_many'
  return invoices.length <= 1 ? 'many_to_one' : 'many_to_many'
}
