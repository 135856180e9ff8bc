import { offerRequirements } from '#domain/pilots/pilot.ts'
import { BASE_URL, ids, tokens } from './ids.ts'
import { challenge, paymentExamples } from './payments.ts'
import { activatedPilot } from './pilots.ts'
import { receiptOf } from './receipts.ts'

const { quote } = paymentExamples['agent-quote'].output
const objective = 'Match the open invoices of the fourth quarter with the payments.'
const total_usd = 269

/** Requests and answers of offered pilots. */
export const pilotOfferExamples = {
  'offers-read': {
    input: { rail: 'financeops' },
    output: {
      offers: [
        {
          rail: 'financeops',
          tiers: [{ tier: 'standard', total_usd }],
          sample_url: `${BASE_URL}/api/sample-return-packages?rail=financeops`,
          requirements: [...offerRequirements],
        },
      ],
    },
  },
  'offer-launch': {
    input: {
      rail: 'financeops',
      tier: 'standard',
      objective,
      customer_account: 'northwind-emea',
      idempotency_key: 'financeops-pilot',
    },
    output: {
      pilot: {
        ...activatedPilot,
        source: 'offer',
        rail: 'financeops',
        total_usd,
        client: { ...activatedPilot.client, customer_account: 'northwind-emea' },
        objective,
        state: 'accepted',
        work_order_id: null,
        next_step: 'An operator reviews the pilot.',
      },
      quote: { ...quote, rail: 'financeops', total_usd },
      challenge: { ...challenge, amount_usd: total_usd },
      receipt: receiptOf('pilot_offer', ids.pilot, { rail: 'financeops' }),
      status_token: tokens.pilot,
    },
  },
} as const
