import { type Entry, enter } from '../input/names.ts'

type Row = { id: string; amount_minor: number; currency: string }

/** The rows of one side as they come in: by id, and what they come to as they stand, for the control totals. */
export type Side<R> = {
  entries: Map<string, Entry<R>>
  totals: Map<string, { rows: number; amount: bigint }>
}

export function emptySide<R>(): Side<R> {
  return { entries: new Map(), totals: new Map() }
}

export function takeRow<R extends Row>({ entries, totals }: Side<R>, row: R, index: number): void {
  enter(entries, row, index)
  const total = totals.get(row.currency) ?? { rows: 0, amount: 0n }
  totals.set(row.currency, {
    rows: total.rows + 1,
    amount: total.amount + BigInt(row.amount_minor),
  })
}
