import type { ReportPlan } from '../report/plan.ts'

export const diligenceopsReport: ReportPlan = {
  title: 'Answers to a questionnaire',
  figures: [
    { label: 'Answered', at: '/coverage/percent', unit: ' %' },
    { label: 'Questions', at: '/coverage/questions' },
    { label: 'Questions answered', at: '/coverage/answered' },
    { label: 'Required questions', at: '/coverage/required' },
    { label: 'Required questions answered', at: '/coverage/required_answered' },
    { label: 'Contradictions', at: '/conflicts' },
  ],
  charts: [{ title: 'Answers by verdict', table: 'answers', label: 'verdict', form: 'bars' }],
  tables: ['answers', 'unanswered', 'conflicts'],
  columns: ['question_id', 'verdict', 'answer', 'score', 'reason', 'kind', 'about', 'sides'],
}
