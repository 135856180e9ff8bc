import { controlsCatalog, openControls } from '#domain/accounts/controls.ts'
import { addresses, ids } from './ids.ts'
import { receiptOf } from './receipts.ts'

const account_id = `acc_${'4'.repeat(64)}`
const narrowed = { ...openControls, allowed_rails: ['packetops'], per_day_usd_max: 500 } as const
const bound = { wallet: addresses.creator, bound_at: '2026-11-24T09:32:00.000Z' }
const own = {
  account_id,
  controls: narrowed,
  set_by: ids.agent,
  set_at: '2026-11-24T09:31:00.000Z',
  wallets: [bound],
}

/** What an account allows itself, and the wallets that it answers for. */
export const commercialExamples = {
  'enterprise-controls-read': {
    input: { account_id },
    output: { controls_catalog: controlsCatalog, own },
  },
  'enterprise-controls-set': {
    input: {
      controls: { allowed_rails: ['packetops'], per_day_usd_max: 500 },
      reason: 'the budget of the fourth quarter',
      idempotency_key: 'controls-2026-q4',
    },
    output: {
      ...own,
      wallets: [],
      changed: ['allowed_rails', 'per_day_usd_max'],
      receipt: receiptOf('control_change', ids.change, {
        account_id,
        from: openControls,
        to: narrowed,
        set_by: ids.agent,
        reason: 'the budget of the fourth quarter',
        currency: 'usd',
      }),
    },
  },
  'enterprise-wallet-bind': {
    input: {
      mode: 'bind_wallet',
      wallet: addresses.creator,
      signature: `0x${'1b'.repeat(65)}`,
      idempotency_key: 'treasury-wallet',
    },
    output: {
      ...own,
      receipt: receiptOf('control_change', ids.change, {
        account_id,
        wallet: addresses.creator,
        bound_by: ids.agent,
        currency: 'usd',
      }),
    },
  },
} as const
