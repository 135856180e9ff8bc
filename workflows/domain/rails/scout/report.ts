import type { ReportPlan } from '../report/plan.ts'

export const scoutReport: ReportPlan = {
  title: 'Services for a task',
  figures: [
    { label: 'Services ranked', at: '/ranked' },
    { label: 'Services excluded', at: '/excluded' },
    { label: 'Parts of the task', at: '/needs' },
    { label: 'Parts that no service meets', at: '/missing' },
    { label: 'Services considered', at: '/registry_size' },
  ],
  charts: [
    { title: 'Score by service', table: 'ranked', label: 'name', value: 'score', form: 'bars' },
  ],
  tables: ['ranked', 'excluded', 'needs', 'missing'],
  columns: [
    'name',
    'service_id',
    'match',
    'available',
    'score',
    'price_usd',
    'code',
    'reason',
    'reasons',
    'pointer',
    'quote',
    'from',
    'to',
  ],
}
