import { railOf } from '../rails/index.ts'
import type { TaskTerms } from './terms.ts'

/** Whether a model may draft on runs of a task: paid work of a rail that has drafts. A trial spends nothing of the budget. */
export const isDraftedOn = ({ rail, usage }: Pick<TaskTerms, 'rail' | 'usage'>): boolean =>
  usage === 'operational' && railOf(rail).drafts !== undefined
