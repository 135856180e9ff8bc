import type { FinanceopsInput } from './schema.ts'

const eur = (id: string, amount_minor: number) => ({ id, amount_minor, currency: 'EUR' })

/** A small wholesaler's receivables at the end of March 2026, with one of each thing that a ledger clerk meets. */
export const financeopsInput: FinanceopsInput = {
  tolerance_minor: 100,
  as_of: '2026-03-31',
  invoices: [
    { ...eur('INV-2601', 119_000), counterparty: 'Hafner Bau GmbH', due_at: '2026-01-31' },
    { ...eur('INV-2602', 45_050), counterparty: 'Café Lumen', due_at: '2026-02-14' },
    { ...eur('INV-2603', 80_000), counterparty: 'Møller & Sons', due_at: '2026-02-28' },
    { ...eur('INV-2604', 22_500), counterparty: 'Møller & Sons', due_at: '2026-03-07' },
    { ...eur('INV-2605', 300_000), counterparty: 'Stadtwerke Nord', due_at: '2026-03-15' },
    { ...eur('INV-2606', 64_000), counterparty: 'Hafner Bau GmbH', due_at: '2025-12-20' },
    { ...eur('INV-2607', 15_990), counterparty: 'Café Lumen', due_at: '2026-04-10' },
    { ...eur('INV-2605', 300_000), counterparty: 'Stadtwerke Nord', due_at: '2026-03-15' },
  ],
  payments: [
    {
      ...eur('BK-0101', 119_000),
      paid_at: '2026-02-02',
      counterparty: 'Hafner Bau GmbH',
      reference: 'INV-2601',
    },
    { ...eur('BK-0102', 45_000), paid_at: '2026-02-16', counterparty: 'café lumen' },
    {
      ...eur('BK-0103', 102_500),
      paid_at: '2026-03-06',
      counterparty: 'Møller & Sons',
      reference: 'February and March',
    },
    { ...eur('BK-0104', 150_000), paid_at: '2026-03-12', reference: 'INV-2605 1/2' },
    { ...eur('BK-0105', 100_000), paid_at: '2026-03-26', reference: 'INV-2605 2/2' },
    { ...eur('BK-0106', 7_777), paid_at: '2026-03-30', reference: 'thank you' },
  ],
}

const { as_of: _day, ...undated } = financeopsInput
/** The same without a day, so that nothing is aged. */
export const undatedFinanceopsInput: FinanceopsInput = undated
