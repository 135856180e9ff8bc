import { z } from 'zod'
import { operation } from '../../operation.ts'
import { writerOf } from '../agents/caller.ts'
import { startedRun } from '../runs/start.ts'
import { FUNDED_TWICE, fundedOnce, paidStart, startErrors } from '../runs/start-fields.ts'
import { fixedRailStart, loopAsked } from './loop-shapes.ts'
import { PacketManifest } from './packet-shapes.ts'

const rail = 'packetops'
const path = '/api/packetops-manifest-loop'
const id = 'packet-loop-start'

/** POST /api/packetops-manifest-loop: the manifest of what was sent comes at once, that of the reviewed run with its package. */
export const packetLoopStart = operation({
  id,
  summary:
    'Start a packetops run, and get the manifest of what you sent at once; with manifest_only no content leaves you.',
  http: { method: 'POST', path, host: 'base' },
  needs: { scopes: ['runs:write'], rail: () => rail },
  gate: { rails: [rail], callback: 'if_given' },
  carriesPayment: true,
  ...paidStart,
  errors: startErrors,
  input: z
    .strictObject({
      ...fixedRailStart,
      manifest_only: z.boolean().default(false).meta({
        description: 'Refuses items with content: each is sent by its sha256.',
      }),
    })
    .refine(fundedOnce, { message: FUNDED_TWICE }),
  output: z
    .strictObject({
      ...startedRun,
      manifest: PacketManifest.nullable().meta({
        description:
          'Provisional, of what was sent; null where it names uploads or takes more than the limits of public work.',
      }),
    })
    .meta({ id: 'StartedPacketRun' }),
  handle: async (
    { accept_terms: _terms, idempotency_key: _key, manifest_only, ...given },
    context,
  ) => {
    if (manifest_only) context.manifests.assertDigestsOnly(given.input)
    const asked = loopAsked({ ...given, rail }, context)
    const { headers, started } = await context.loops.start(
      writerOf(context),
      asked,
      context.callId,
      { id, path },
    )
    const manifest = await context.manifests.provisional(started.run.run_id, asked)
    return { body: { ...started, manifest }, headers }
  },
})
