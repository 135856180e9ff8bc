import { authorizePayout } from './authorize-payout.ts'
import { createPayout } from './create-payout.ts'
import { executePayout } from './execute-payout.ts'
import { readPayoutCallback, setPayoutCallback } from './payout-callback.ts'
import { payoutChallenge } from './payout-challenge.ts'
import { payoutStatus } from './payout-status.ts'

/** The payout rail. */
export const payouts = [
  createPayout,
  payoutChallenge,
  authorizePayout,
  executePayout,
  payoutStatus,
  setPayoutCallback,
  readPayoutCallback,
] as const
