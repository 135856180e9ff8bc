import type { GapRules } from '../rail.ts'

export const gapRules = {
  pool_too_small: {
    kind: 'needed',
    filled_by: 'a pool that holds the fixed amounts and the floors, or smaller ones',
  },
  no_destination: {
    kind: 'needed',
    filled_by: 'a destination_reference, a wallet or an iban for each recipient',
  },
  payouts_refused: {
    kind: 'advisory',
    filled_by: 'a wallet as payments.payout_refused says, or an amount within the cap of a payout',
  },
  transfers_refused: {
    kind: 'advisory',
    filled_by: 'an iban and a name in Latin letters, as payments.transfer_refused says',
  },
  no_debtor_account: {
    kind: 'advisory',
    filled_by: 'the account that is debited',
    pointer: '/credit_transfer',
  },
  not_distributed: { kind: 'advisory', filled_by: 'higher caps, or rounding by largest remainder' },
} as const satisfies GapRules
