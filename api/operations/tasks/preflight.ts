import { z } from 'zod'
import { freeText, IdempotencyKey } from '../../fields.ts'
import { answeredByService, operation } from '../../operation.ts'
import { callingAgentId } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { postsOf } from '../callbacks/request-count.ts'
import { dryReadInput, InputManifest, inputErrors } from './input-shapes.ts'
import { CallbackUrl, Check, OnGaps, Task, TaskToken, TaskUsage, Tier } from './shapes.ts'

/** POST /api/agents/preflight on the OS host: begins a task and checks the request before the service commits to it. */
export const preflight = operation({
  id: 'preflight',
  summary:
    'Begin a task: what is to be run, on which input, is checked; answers with the task’s token.',
  http: { method: 'POST', path: '/api/agents/preflight', host: 'os' },
  access: ['agent', 'status'],
  needs: { scopes: ['runs:write'], rail: ({ rail }) => rail },
  statusToken: { prefixes: ['st'], signed: true },
  limits: { bodyBytes: 1_048_576 },
  status: [201],
  errors: [...inputErrors, 'rail_not_allowed', 'trust_required', 'callback_refused'],
  uses: ({ callback_url }) => ({ tasks: 1, workflows: 2, posts: postsOf(callback_url) }),
  input: z
    .strictObject({
      rail: Rail,
      tier: Tier,
      input_manifest: InputManifest.optional().meta({
        description:
          'What the run is on. Without it the digest of `input` is announced. Alone it is taken for synthetic runs only.',
      }),
      input: dryReadInput('anything is begun').optional(),
      objective: freeText(2000, 1),
      callback_url: CallbackUrl.optional(),
      usage: TaskUsage.default('operational'),
      on_gaps: OnGaps,
      idempotency_key: IdempotencyKey,
    })
    .refine(({ input, input_manifest }) => input !== undefined || input_manifest !== undefined, {
      message: 'give input_manifest, input or both',
    })
    .meta({ anyOf: [{ required: ['input_manifest'] }, { required: ['input'] }] }),
  output: z
    .strictObject({
      task: Task,
      task_token: TaskToken.meta({
        description: 'Reads the task; acts need the registered key or the access key.',
      }),
      links: z.record(z.string(), z.string()),
      checks: z.array(Check),
      blocking: z
        .array(z.string())
        .meta({ description: 'The checks that failed; the task is closed then.' }),
    })
    .meta({ id: 'Preflight' }),
  authorize: ({ rail }, context) => context.tasks.assertRail(callingAgentId(context), rail),
  handle: async ({ idempotency_key: _key, callback_url = null, ...asked }, context) => {
    await context.tasks.preflight(
      callingAgentId(context),
      { ...asked, callback_url },
      context.callId,
    )
    return answeredByService
  },
  reveal: (answer, context) => context.tasks.withTaskToken(answer, context.callId),
})
