import type { ScoutInput } from './schema.ts'

/** A task of two parts that rails can do and one that none can, within a price. */
export const scoutInput: ScoutInput = {
  task:
    'Assemble a SOC 2 evidence packet and find missing sections, answer a security questionnaire from documents, ' +
    'then translate the packet into Japanese.',
  constraints: { price_max_usd: 150 },
  limit: 5,
}

/** A task that names nothing. */
export const wordlessScoutInput: ScoutInput = { ...scoutInput, task: '?' }
