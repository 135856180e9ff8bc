import type { Context } from '../../context.ts'
import type { LoopAsked } from '../../services/runs/loops.ts'
import { fundingFields, startFields } from '../runs/start-fields.ts'

const { rail: _named, ...ofOneRail } = { ...startFields, ...fundingFields }
/** What starts a run of the rail of the path. */
export const fixedRailStart = ofOneRail

type Given = Omit<LoopAsked, 'callback_url' | 'customer_account'> & {
  callback_url?: string | undefined
  customer_account?: string | undefined
}

/** What a start asks of its run, with the payment that the call carries. */
export const loopAsked = (
  { callback_url, customer_account, ...asked }: Given,
  context: Context,
): LoopAsked => ({
  ...asked,
  callback_url: callback_url ?? null,
  customer_account: customer_account ?? null,
  carried_payment: context.carriedPayment(),
})
