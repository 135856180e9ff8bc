import { financeops } from '#domain/rails/financeops/index.ts'
import type { Invoice, Payment } from '#domain/rails/financeops/schema.ts'

export const row = (id: string, amount: number, counterparty: string): Invoice => {
  return { id, amount_minor: amount * 100, currency: 'EUR', counterparty, due_at: '2024-04-01' }
}
const ledger = [
  row('INV-1001', 660, 'Alder GmbH'),
  row('INV-1002', 1_200, 'Alder GmbH'),
  row('INV-1003', 340, 'Alder GmbH'),
  row('RE-2024-0815', 1_190, 'Birch AG'),
  row('RE-2024-0816', 595, 'Birch AG'),
  row('RE-2024-0817', 238, 'Birch AG'),
  row('GS-2024-0044', -100, 'Birch AG'),
  row('2024/1101', 480, 'Cedar SARL'),
  row('2024/1102', 520, 'Cedar SARL'),
  row('F2024.0301', 750, 'Dogwood BV'),
  row('F2024.0302', 900, 'Dogwood BV'),
  row('A/24-77001', 310, 'Elm SL'),
  row('A/24-77002', 620, 'Elm SL'),
  row('55001/24', 820, 'Fir SpA'),
  row('55002/24', 420, 'Fir SpA'),
  row('RF18539007547034', 990, 'Gum Inc'),
  row('1234567890128', 450, 'Hazel AS'),
  row('210000000003139471430009017', 360, 'Ivy AG'),
]

export type Case = { payer: string; amount: number; reference: string; truth: string }
/** The cases of a file: payer, amount, what was written, and the invoices that it pays. */
export const casesOf = (text: string): Case[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line): Case => {
      const [, payer = '', amount = '', reference = '', truth = ''] =
        /^([^|]*)\|([^|]*)\|(.*)\|([^|]*)$/.exec(line) ?? []
      return { payer, amount: Math.round(Number(amount) * 100), reference, truth }
    })

/** The invoices that a payment of this text is matched with. */
export function matched({ payer, amount, reference }: Case): string[] {
  const own = { id: 'P', amount_minor: amount, currency: 'EUR', paid_at: '2024-04-02', reference }
  const payment: Payment = { ...own, ...(payer !== '-' && { counterparty: payer }) }
  const { matches } = financeops.work({ invoices: ledger, payments: [payment] }).result
  return matches.flatMap(({ payment_ids, invoice_ids }) =>
    payment_ids.length > 0 ? invoice_ids : [],
  )
}

/** How many have the invoices that they name and no others, and those with one that they do not name. */
export function measured(cases: readonly Case[], of: (one: Case) => Case) {
  const results = cases.map((one) => ({ ...one, found: matched(of(one)).sort().join(' ') }))
  const truthOf = ({ truth }: Case) => truth.split(' ').sort().join(' ')
  const isWrong = ({ found, truth }: (typeof results)[number]) =>
    found.split(' ').some((id) => id !== '' && !truth.split(' ').includes(id))
  return {
    missed: results.filter((one) => one.found !== truthOf(one)).map(({ reference }) => reference),
    wrong: results.filter(isWrong).map(({ reference, found }) => `${reference}: ${found}`),
  }
}
