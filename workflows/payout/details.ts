import { recoverCommand } from '../domain/recover-command.ts'
import type { PayoutSnapshot } from './ports.ts'

/** `12.50 USDC → 0xab…cd (synthetic)`: the line an operator sees in the workflow list. */
export function payoutSummary(payout: { amountUsdc: string; recipient: string; usage: string }): string {
  return `Payout ${payout.amountUsdc} USDC → ${payout.recipient.slice(0, 6)}…${payout.recipient.slice(-4)} (${payout.usage})`
}

type Waiting = Pick<PayoutSnapshot, 'payoutId' | 'state' | 'transfer' | 'parked' | 'exception'>

/** What the payout waits for now, and the act that unblocks it. */
export function waitsFor(payout: Waiting): { what: string; act: string } {
  if (payout.exception !== null)
    return {
      what: `an operator: ${payout.exception}`,
      act: `look at what agent-rails recover explain ${payout.payoutId} says of the chain; the cap stays held until then`,
    }
  if (payout.parked !== null)
    return { what: payout.parked, act: `mend that, then ${recoverCommand(payout.payoutId, 'wake')}` }
  if (payout.transfer === 'final') return { what: 'nothing: final on chain', act: 'none' }
  if (payout.transfer === 'dead') return { what: 'nothing: proven never to move', act: 'none' }
  if (payout.transfer === 'included') return { what: 'the including block to become final', act: 'none' }
  if (payout.transfer !== 'none') return { what: 'the transfer to be confirmed on chain', act: 'none' }
  if (payout.state === 'created') return { what: 'the creator to authorize it', act: 'POST /api/payout-authorize' }
  return { what: 'the creator to execute it', act: 'POST /api/payout-execute' }
}

/** Markdown for the Temporal UI: terms, state, receipts, what it waits for, the act that unblocks it. */
export function payoutDetails(payout: PayoutSnapshot): string {
  const { what, act } = waitsFor(payout)
  const mark = (state: string) => (state === payout.state ? `**${state}**` : state)
  const expiry = payout.expiresAt === null ? '–' : new Date(payout.expiresAt * 1000).toISOString()
  return [
    `### ${payoutSummary(payout)}`,
    '',
    `| | |\n|---|---|\n| state | ${['created', 'authorized', 'executed'].map(mark).join(' → ')} |\n| transfer | ${payout.transfer} |\n| transaction | ${payout.transactionHash ?? '–'} |\n| recipient | ${payout.recipient} |\n| creator | ${payout.creator} |\n| expires | ${expiry} |\n| environment | ${payout.environment} |`,
    '',
    `**Waits for** ${what}`,
    '',
    `**Unblocked by** ${act}`,
    '',
    ...(payout.difference == null
      ? []
      : [`**Reconciliation found** ${payout.difference}: \`agent-rails recover exceptions\``, '']),
    '**Receipts**',
    '',
    ...payout.receipts.map((receipt) => `- ${receipt.kind}: ${receipt.receiptId}`),
  ].join('\n')
}
