import { z } from 'zod'
import { ReceiptId } from '../../fields.ts'
import { ChallengeId, ChallengeState, EntitlementId } from '../payments/shapes.ts'

export const BindingId = z.string().regex(/^bd_[0-9a-f]{64}$/)

/** A challenge and the one entitlement that its payment funds; its state is that of the challenge. */
export const Binding = z
  .strictObject({
    binding_id: BindingId,
    entitlement_id: EntitlementId,
    challenge_id: ChallengeId,
    state: ChallengeState,
    settlement_receipt_id: ReceiptId.nullable(),
  })
  .meta({ id: 'CreditBinding' })
