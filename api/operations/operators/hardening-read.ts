import { z } from 'zod'
import { hardeningControls } from '#domain/production/hardening.ts'
import { Time } from '../../fields.ts'
import { operation } from '../../operation.ts'

const Control = z
  .strictObject({
    control: z.enum(hardeningControls),
    state: z.enum(['on', 'off', 'stale']),
    measured_at: Time,
    detail: z.string(),
    read: z
      .array(z.string())
      .min(1)
      .meta({ description: 'The settings, tables or registry that show it.' }),
  })
  .meta({ id: 'HardeningControl' })

/** GET /api/os-security-hardening: nothing is ticked off; each call reads what stands. */
export const hardeningRead = operation({
  id: 'hardening-read',
  summary:
    'Read whether each control of the service is on, off or stale, as its registry, settings and records show it now.',
  http: { method: 'GET', path: '/api/os-security-hardening', host: 'base' },
  access: 'public',
  output: z
    .strictObject({ controls: z.array(Control).length(hardeningControls.length) })
    .meta({ id: 'Hardening' }),
  handle: async (_input, context) => ({ body: await context.hardening.read() }),
})
