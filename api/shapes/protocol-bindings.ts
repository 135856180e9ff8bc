import { z } from 'zod'
import { protocolBindings } from '#domain/commerce/missions.ts'

/** A protocol in which a mission may be carried out. */
export const ProtocolBindingView = z.strictObject({
  binding: z.enum(protocolBindings),
  url: z.string().nullable().meta({ description: 'Null where this service has none.' }),
  held_against: z
    .enum(['x402_reference', 'ap2_mandate_reference'])
    .nullable()
    .meta({ description: 'The way of payment that proves it.' }),
})
export type ProtocolBindingView = z.output<typeof ProtocolBindingView>
