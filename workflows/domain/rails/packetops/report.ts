import type { ReportPlan } from '../report/plan.ts'

export const packetopsReport: ReportPlan = {
  title: 'Review of an evidence packet',
  period: '/as_of',
  figures: [
    { label: 'Readiness', at: '/readiness/score', unit: ' of 100' },
    { label: 'Complete', at: '/complete' },
    { label: 'Profile', at: '/profile', words: true },
    { label: 'Items', at: '/manifest' },
    { label: 'Weaknesses', at: '/weaknesses' },
    { label: 'Contradictions', at: '/contradictions' },
    { label: 'Expired items', at: '/expired' },
    { label: 'Stale items', at: '/stale' },
  ],
  charts: [
    { title: 'Sections by state', table: 'section_coverage', label: 'state', form: 'bars' },
    {
      title: 'Items by what their text says',
      table: 'manifest',
      label: 'reading',
      form: 'bars',
    },
  ],
  tables: ['section_coverage', 'weaknesses', 'contradictions', 'expired', 'stale', 'manifest'],
  columns: ['section', 'title', 'name', 'state', 'about', 'code', 'words'],
}
