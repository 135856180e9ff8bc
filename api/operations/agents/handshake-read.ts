import { z } from 'zod'
import { operation } from '../../operation.ts'

/** GET /api/agents/handshake on the OS host: a nonce, and what to sign with it; nothing is stored. */
export const handshakeRead = operation({
  id: 'handshake-read',
  summary: 'Read a fresh nonce and the text that a handshake signs.',
  http: { method: 'GET', path: '/api/agents/handshake', host: 'os' },
  access: 'public',
  output: z
    .strictObject({
      protocol_versions: z.array(z.string()),
      nonce: z.string().meta({ description: 'Signed by the service, good for five minutes.' }),
      accepted_key_types: z.array(z.string()),
      text: z
        .array(z.string())
        .meta({ description: 'The lines to sign, joined with LF, without a trailing LF.' }),
      gateway: z.strictObject({ base_url: z.string() }),
    })
    .meta({ id: 'HandshakeDocument' }),
  handle: async (_input, context) => ({
    body: await context.handshakes.document(),
  }),
})
