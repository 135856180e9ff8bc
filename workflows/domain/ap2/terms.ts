import { z } from 'zod'
import { instantsOf } from './calendar.ts'
import {
  AgentKey,
  Amount,
  ap2Limits,
  checkoutConstraintsAsked,
  Merchant,
  PaymentInstrument,
  Pisp,
  paymentConstraints,
} from './mandates.ts'
import { minorUnits } from './money.ts'

const DAY_MS = 24 * 3600 * 1000

/** The payment constraints that are asked for; that of the checkout is added when both mandates are issued. */
const AskedConstraint = z.discriminatedUnion('type', [...paymentConstraints])
export type AskedConstraint = z.output<typeof AskedConstraint>

/** What an operator asks for: an open checkout mandate and the open payment mandate that pays it. */
export const Ap2Asked = z.strictObject({
  agent_id: z
    .string()
    .regex(/^agt_[0-9a-f]{64}$/)
    .meta({ description: 'The only agent that may present payments under it.' }),
  agent_key: AgentKey.meta({ description: 'The P-256 key that closes the mandates.' }),
  checkout: z.strictObject({ constraints: checkoutConstraintsAsked }),
  payment: z.strictObject({
    constraints: z.array(AskedConstraint).max(ap2Limits.constraintsMax - 1),
    payee: Merchant.optional(),
    payment_amount: Amount.optional(),
    payment_instrument: PaymentInstrument.optional(),
    pisp: Pisp.optional(),
    execution_date: z.iso.date().optional(),
  }),
  expires_at: z.iso.datetime(),
})
export type Ap2Asked = z.output<typeof Ap2Asked>

type Fault = { pointer: string; message: string }

/** What is wrong with the constraints and times of mandates, with the pointer of each fault. */
export function ap2Faults({ payment, expires_at }: Ap2Asked, nowMs: number): Fault[] {
  const until = Date.parse(expires_at)
  const list = '/action/ap2/payment/constraints'
  const types = payment.constraints.map(({ type }) => type)
  const lacks = (type: AskedConstraint['type']) =>
    types.includes('payment.agent_recurrence') && !types.includes(type)
  const checks: readonly (readonly [fails: boolean, pointer: string, message: string])[] = [
    [until <= nowMs, '/action/ap2/expires_at', 'has passed'],
    [
      until - nowMs > ap2Limits.mandateDaysMax * DAY_MS,
      '/action/ap2/expires_at',
      `is more than ${ap2Limits.mandateDaysMax} days ahead`,
    ],
    [lacks('payment.budget'), list, 'a recurrence needs a payment.budget'],
    [lacks('payment.amount_range'), list, 'a recurrence needs a payment.amount_range'],
    ...payment.constraints.flatMap((constraint, index) =>
      faultsOf(constraint).map((message) => [true, `${list}/${index}`, message] as const),
    ),
  ]
  return checks.filter(([fails]) => fails).map(([, pointer, message]) => ({ pointer, message }))
}

function faultsOf(constraint: AskedConstraint): string[] {
  switch (constraint.type) {
    case 'payment.budget':
      return minorUnits(constraint.max, constraint.currency) === undefined
        ? ['max is no whole number of minor units of the currency']
        : []
    case 'payment.amount_range':
      return (constraint.min ?? 0) > constraint.max ? ['min is over max'] : []
    case 'payment.execution_date':
      return [constraint.not_before, constraint.not_after]
        .filter((date) => date !== undefined && instantsOf(date) === undefined)
        .map((date) => `${date} is not an ISO 8601 date or time`)
    default:
      return []
  }
}
