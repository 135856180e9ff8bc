import type { RequiredAction, Wait } from '../reviews/wait.ts'
import { recoverCommand } from '../tasks/exception.ts'
import type { PayoutState } from './payout-state.ts'
import type { TransferStatus } from './transfer-status.ts'

/** The facts that decide what a payout waits for. */
export type WaitingPayout = {
  payoutId: string
  state: PayoutState
  transfer: TransferStatus | 'none'
  parked: string | null
  exception: string | null
  /** Code of an open exception of reconciliation, which stops nothing. */
  difference?: string | null
  /** Whether its authorization has ended. */
  expired?: boolean
}

/** What a payout waits for and who must act; every view of a payout shows this. */
export function payoutWait(payout: WaitingPayout): Wait {
  const { payoutId, state, transfer, parked, exception, difference = null, expired } = payout
  if (exception !== null) {
    const command = `agent-rails recover explain ${payoutId}`
    return waits(`an operator to resolve ${exception}`, byOperator(command), ['review'])
  }
  if (difference !== null)
    return waits(
      `an operator to resolve ${difference}`,
      byOperator('agent-rails recover exceptions'),
      ['review'],
    )
  if (expired && (transfer === 'reserved' || transfer === 'signed' || transfer === 'submitted'))
    return waits('a final block after its end: expired, waiting for finality')
  if (parked !== null)
    return waits(
      `its transfer, which is blocked: ${parked}`,
      byOperator(recoverCommand(payoutId, 'wake')),
    )
  if (transfer === 'final') return waits('nothing: the transfer is final on chain')
  if (transfer === 'dead') return waits('nothing: the transfer can never happen')
  if (transfer === 'included') return waits('the block of the transfer to become final')
  if (transfer !== 'none') return waits('the transfer to be confirmed on chain')
  const named = { payout_id: payoutId, idempotency_key: '<new key>' }
  if (state === 'created') {
    const proven = { presentation: '<of the mandate>', challenge_token: '<of the challenge>' }
    const signed = { expires_at: '<unix seconds>', principal_signature: '<EIP-712>' }
    return waits(
      'its creator to authorize it',
      byCreator('POST /api/payout-authorize', { ...named, ...proven, ...signed }),
    )
  }
  if (expired) return waits('nothing: it expired before it was executed')
  return waits('its creator to execute it', byCreator('POST /api/payout-execute', named))
}

const waits = (
  what: string,
  action: RequiredAction | null = null,
  waiting_for: Wait['waiting_for'] = [],
): Wait => ({
  what,
  waiting_for,
  since: null,
  gaps: [],
  action,
})

const byOperator = (command: string): RequiredAction => ({
  by: 'operator',
  call: null,
  arguments: {},
  choices: [],
  command,
})

const byCreator = (call: string, args: Record<string, unknown>): RequiredAction => ({
  by: 'agent',
  call,
  arguments: args,
  choices: [],
  command: null,
})
