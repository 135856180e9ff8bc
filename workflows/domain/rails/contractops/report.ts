import type { ReportPlan } from '../report/plan.ts'

export const contractopsReport: ReportPlan = {
  title: 'Terms of a contract',
  period: '/as_of',
  figures: [
    { label: 'Parties', at: '/parties/*/name' },
    { label: 'Effective on', at: '/terms/effective_on' },
    { label: 'Current term ends on', at: '/terms/current_term_ends_on' },
    { label: 'Renews on', at: '/terms/renews_on' },
    { label: 'Last day for notice', at: '/terms/notice/deadline_on' },
    { label: 'Liability caps', at: '/liability_caps' },
    { label: 'Governing law', at: '/governing_law/*/law' },
    { label: 'Obligations', at: '/obligations' },
    { label: 'Unclear or contradictory places', at: '/uncertain' },
  ],
  charts: [{ title: 'Obligations by party', table: 'obligations', label: 'party', form: 'bars' }],
  tables: [
    'liability_caps',
    'governing_law',
    'obligations',
    'parties',
    'dates',
    'amounts',
    'uncertain',
  ],
  columns: ['party', 'name', 'role', 'kind', 'act', 'due', 'day', 'value', 'currency', 'code'],
}
