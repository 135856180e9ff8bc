import { z } from 'zod'
import { text } from '../../fields.ts'

export const DeliveryId = z.string().regex(/^cb_[0-9a-f]{64}$/)
/** Whose inbox of the demo receiver it is: whatever name the caller made up. */
export const Receiver = text(1, 64)
