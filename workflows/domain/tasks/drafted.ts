import { railOf } from '../rails/index.ts'
import type { RailKey } from '../rails/rail.ts'
import type { TaskTerms } from './terms.ts'

/** Whether a model may draft for a task: paid runs of a rail with drafts. Trials use no budget. */
export const mayBeDrafted = ({ rail, usage }: Pick<TaskTerms, 'rail' | 'usage'>): boolean =>
  usage === 'operational' && railOf(rail).drafts !== undefined

/** The model that drafts for paid runs of a rail; null where none does. */
export const draftingModel = (rail: RailKey, model: string | null): string | null =>
  mayBeDrafted({ rail, usage: 'operational' }) ? model : null
