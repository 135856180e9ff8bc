import type { ReportPlan } from '../report/plan.ts'

export const energyopsReport: ReportPlan = {
  title: 'Check of an energy bill',
  figures: [
    { label: 'Verdict', at: '/verdict' },
    { label: 'Billed', at: '/billed_minor' },
    { label: 'Recomputed', at: '/recomputed_minor' },
    { label: 'Billed less recomputed', at: '/difference_minor' },
    { label: 'Intervals expected', at: '/intervals/expected' },
    { label: 'Intervals counted', at: '/intervals/counted' },
  ],
  charts: [
    {
      title: 'Energy by band',
      table: 'energy_by_band',
      label: 'band',
      value: 'energy',
      form: 'bars',
    },
    {
      title: 'Cost by kind of line item',
      table: 'line_items',
      label: 'kind',
      value: 'amount_minor',
      form: 'bars',
    },
  ],
  tables: ['line_items', 'energy_by_band', 'gaps', 'outliers'],
  columns: [
    'kind',
    'band',
    'at',
    'day',
    'from',
    'to',
    'quantity',
    'unit',
    'rate_minor',
    'amount_minor',
  ],
}
