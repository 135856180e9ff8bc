import { z } from 'zod'
import { receiverLanguages } from '#domain/callbacks/callback-body.ts'
import { operation } from '../../operation.ts'

/** GET /api/provider-callback-receiver-examples: callbacks signed by this service’s key at a fixed time, and code that verifies them. */
export const callbackExamples = operation({
  id: 'callback-examples',
  summary:
    'Read callbacks as this service signs them, receivers that verify them, and when a callback is tried again.',
  http: {
    method: 'GET',
    path: '/api/provider-callback-receiver-examples',
    host: 'base',
    cacheable: true,
  },
  tool: 'get_provider_callback_receiver_examples',
  access: 'public',
  input: z.strictObject({ language: z.enum(receiverLanguages).optional() }),
  output: z
    .strictObject({
      signed_at: z.int().meta({ description: 'Unix seconds; judge the examples as of then.' }),
      events: z.array(
        z.strictObject({
          event: z.string(),
          headers: z.record(z.string(), z.string()),
          body: z.string(),
          signature: z.string(),
          public_key: z.string(),
          verifies: z.boolean(),
        }),
      ),
      receivers: z.array(z.strictObject({ language: z.enum(receiverLanguages), code: z.string() })),
      retry_rules: z.strictObject({
        attempts: z.int(),
        seconds_before_each: z.array(z.int()),
        jitter: z.string(),
        taken_by: z.string(),
        ended_by: z.string(),
      }),
    })
    .meta({ id: 'CallbackExamples' }),
  handle: async ({ language }, context) => ({
    body: await context.callbacks.examples(language),
  }),
})
