import { z } from 'zod'
import { operation } from '../../operation.ts'

/** GET /.well-known/service-authority-key.json: the public key of the authority. */
export const authorityKey = operation({
  id: 'authority-key',
  summary: 'The key that signs mandates and challenges, and its earlier versions.',
  http: {
    method: 'GET',
    path: '/.well-known/service-authority-key.json',
    host: 'base',
    cacheable: true,
  },
  access: 'public',
  output: z.looseObject({
    alg: z.string(),
    contexts: z.array(z.string()).meta({ description: 'The types of what the key signs.' }),
    version: z.int(),
    key_id: z.string().nullable(),
  }),
  handle: async (_input, context) => ({
    body: await context.discovery.authorityKey(),
  }),
})
