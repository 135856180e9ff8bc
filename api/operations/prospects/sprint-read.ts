import { z } from 'zod'
import { operation } from '../../operation.ts'
import { SPRINT_PATH, Sprint } from './shapes.ts'

const shared = {
  summary: 'Read how far the sprint under way is: numbers only, counted from the records.',
  access: 'public',
  output: Sprint,
} as const

/** GET /api/live-prospect-sprint. */
export const sprintRead = operation({
  id: 'sprint-read',
  ...shared,
  http: { method: 'GET', path: SPRINT_PATH, host: 'base' },
  input: z.strictObject({}),
  handle: async (_input, { prospects }) => ({ body: await prospects.sprint() }),
})

/** POST /api/live-prospect-sprint, mode `read_live_prospect_sprint`. */
export const readLiveProspectSprint = operation({
  id: 'read-live-prospect-sprint',
  ...shared,
  http: { method: 'POST', path: SPRINT_PATH, host: 'base' },
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_live_prospect_sprint') }),
  handle: async (_input, { prospects }) => ({ body: await prospects.sprint() }),
})
