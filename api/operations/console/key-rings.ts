import { z } from 'zod'
import { operation } from '../../operation.ts'
import { RingName, ServiceKey, ServiceKeyRotation } from '../keys/shapes.ts'

const Ring = z
  .strictObject({
    ring: RingName,
    keys: z.array(ServiceKey).meta({ description: 'At most 20, the newest first.' }),
    rotation: ServiceKeyRotation.extend({ temporal_url: z.string().nullable() }).nullable().meta({
      id: 'RingRotation',
      description: 'The one that is open, or else the last that was done.',
    }),
  })
  .meta({ id: 'KeyRing' })

/** GET /api/operator/key-rings: each ring of signing keys with the step that its rotation is at. */
export const keyRings = operation({
  id: 'key-rings',
  summary: 'Read the rings of signing keys, the standing of each key, and the open rotations.',
  http: { method: 'GET', path: '/api/operator/key-rings', host: 'base' },
  access: 'operator',
  output: z.strictObject({ rings: z.array(Ring) }).meta({ id: 'KeyRings' }),
  handle: async (_input, context) => ({ body: { rings: await context.keyRings.read() } }),
})
