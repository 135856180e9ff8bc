import type { ReportPlan } from '../report/plan.ts'

export const tokenopsReport: ReportPlan = {
  title: 'Usage and cost of models',
  period: '/budget_state/period',
  figures: [
    { label: 'Cost', at: '/total_cost_minor' },
    { label: 'Budget', at: '/budget_state/budget_minor' },
    { label: 'Budget state', at: '/budget_state/state', words: true },
    { label: 'Budget used', at: '/budget_state/used_percent', unit: ' %' },
    { label: 'Forecast for the period', at: '/budget_state/forecast_minor' },
    { label: 'Models without a price', at: '/unpriced' },
    { label: 'Unusual rows and days', at: '/anomalies' },
  ],
  charts: [
    {
      title: 'Cost by model',
      table: 'cost_by_model',
      label: 'model',
      value: 'cost_minor',
      form: 'bars',
    },
    {
      title: 'Cost by agent',
      table: 'cost_by_agent',
      label: 'agent',
      value: 'cost_minor',
      form: 'bars',
    },
    {
      title: 'Cost by day',
      table: 'cost_by_day',
      label: 'day',
      value: 'cost_minor',
      form: 'series',
    },
  ],
  tables: [
    'cost_by_model',
    'cost_by_agent',
    'cost_by_day',
    'billed',
    'savings',
    'unpriced',
    'unpriced_counts',
    'anomalies',
    'unit_costs',
  ],
  columns: ['model', 'agent', 'day', 'task', 'customer', 'tag', 'value', 'rows', 'cost_minor'],
}
