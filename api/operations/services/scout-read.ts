import { z } from 'zod'
import { text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { SCOUT_PATH, scouted } from './scout-shapes.ts'

/** GET /api/service-scout: a ranking of which nothing is stored. */
export const serviceScoutRead = operation({
  id: 'service-scout-read',
  summary: 'Rank the services that fit a task, and say why the others do not.',
  http: { method: 'GET', path: SCOUT_PATH, host: 'base' },
  access: 'public',
  errors: ['input_too_complex'],
  input: z.strictObject({
    task: text(1, 500).meta({ description: 'What is to be done, in words.' }),
    limit: z
      .string()
      .regex(/^([1-9]|1[0-9]|2[0-5])$/)
      .optional()
      .meta({ description: '1 to 25; 10 unless given.' }),
    include_registry: z.enum(['true', 'false']).optional(),
  }),
  output: z.strictObject(scouted).meta({ id: 'Scouted' }),
  handle: async ({ task, limit, include_registry }, { scout }) => ({
    body: await scout.rank({
      task,
      limit: Number(limit ?? 10),
      include_registry: include_registry === 'true',
    }),
  }),
})
