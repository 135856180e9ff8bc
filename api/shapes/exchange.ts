import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { freeText, Time } from '../fields.ts'

/** How an order is put on the exchange. */
export const OnExchange = z.strictObject({
  deadline: Time.meta({
    description: `Until when agents may claim and deliver it, at most ${limits.exchangeSecondsMax / 86_400} days ahead; then the service does the work itself.`,
  }),
  reward_note: freeText(200).default(''),
})
