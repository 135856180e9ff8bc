import { z } from 'zod'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { callingWallet } from '../agents/caller.ts'
import { CallbackUrl } from '../tasks/shapes.ts'

const shared = {
  access: 'wallet',
  http: { method: 'POST', path: '/api/payout-callback', host: 'base' },
  output: z
    .strictObject({
      callback_url: z.string().nullable(),
      changed_at: Time.nullable(),
      host_proven: z.boolean().meta({
        description: 'Whether the host has echoed our nonce; asked for before the first callback.',
      }),
    })
    .meta({ id: 'PayoutCallback' }),
} as const

/** POST /api/payout-callback, mode `set_callback`: one URL for all payouts of the calling wallet. */
export const setPayoutCallback = operation({
  id: 'payout-callback-set',
  summary:
    'Set or remove the URL that is called when a payout of your wallet is executed, final or dead.',
  ...shared,
  errors: ['callback_refused', 'control_denied', 'forbidden_material'],
  input: z.strictObject({
    mode: z.literal('set_callback'),
    callback_url: CallbackUrl.nullable().meta({ description: 'null: no callbacks.' }),
  }),
  handle: async ({ callback_url }, context) => ({
    body: await context.payoutCallbacks.set(callingWallet(context), callback_url, context.callId),
  }),
})

/** POST /api/payout-callback, mode `read_callback`. */
export const readPayoutCallback = operation({
  id: 'payout-callback-read',
  summary: 'Read where payouts of your wallet are called back.',
  ...shared,
  idempotency: { kind: 'read' },
  input: z.strictObject({ mode: z.literal('read_callback') }),
  handle: async (_input, context) => ({
    body: await context.payoutCallbacks.read(callingWallet(context)),
  }),
})
