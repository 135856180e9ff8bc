import { z } from 'zod'
import { Time, text } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { pageAnswer, pageFields, pageOf } from '../../page-fields.ts'
import { agentIdOf } from '../agents/caller.ts'
import { REGRESSION_PATH, RegressionReport } from './report-shapes.ts'

/** GET /api/persistent-regression-store: reports of this service, and to an agent its own. */
export const regressionRead = operation({
  id: 'regression-read',
  summary:
    'Read the newest reports of tests of this service, and your own as an agent, with the trend.',
  http: { method: 'GET', path: REGRESSION_PATH, host: 'base' },
  tool: 'read_recent_regressions',
  access: ['agent', 'public'],
  needs: { scopes: ['runs:read'] },
  input: z.strictObject({
    kind: text(1, 80).optional().meta({ description: 'The suite.' }),
    failed: z
      .enum(['true', 'false'])
      .optional()
      .meta({ description: 'Only reports with a failed step, or only those without.' }),
    since: Time.optional(),
    ...pageFields(6),
  }),
  output: z
    .strictObject({
      items: z.array(RegressionReport),
      ...pageAnswer,
      trend: z
        .strictObject({
          reports: z.int(),
          with_failures: z.int(),
          steps_passed: z.int(),
          steps_failed: z.int(),
          failed_then_now: z.array(z.int()).length(2).nullable().meta({
            description: 'Two numbers: failed steps of the oldest and the newest of these reports.',
          }),
        })
        .meta({ description: 'Of all reports that the filter takes.' }),
    })
    .meta({ id: 'RegressionReports' }),
  handle: async ({ kind, failed, since, ...page }, context) => {
    const filter = {
      kind,
      failed: failed === undefined ? undefined : failed === 'true',
      since: since === undefined ? undefined : new Date(since),
      agentId: agentIdOf(context),
    }
    return { body: await context.regressions.list(filter, pageOf(page)) }
  },
})
