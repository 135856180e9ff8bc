import { railOf } from '../rails/index.ts'
import type { TaskTerms } from './terms.ts'

/** Whether a model may draft for a task: paid runs of a rail with drafts. Trials use no budget. */
export const mayBeDrafted = ({ rail, usage }: Pick<TaskTerms, 'rail' | 'usage'>): boolean =>
  usage === 'operational' && railOf(rail).drafts !== undefined
