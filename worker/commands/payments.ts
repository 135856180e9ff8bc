import type { Command } from 'commander'
import { z } from 'zod'
import { callAsOperator } from '../operator-calls.ts'
import { print, printJson, printTable } from '../print.ts'
import { operatorOption } from './by-operator.ts'

const Waiting = z.object({
  items: z.array(
    z.looseObject({
      subject_id: z.string(),
      state: z.string(),
      waiting_since: z.string(),
      amount_usd: z.number().nullable(),
      summary: z.string(),
    }),
  ),
})
const Money = z.looseObject({
  payout_wallet: z.object({ balance_usdc: z.string().nullable() }),
  daily_cap: z.object({ used_usdc: z.string(), left_usdc: z.string() }),
  credit: z.object({ outstanding_units: z.number(), reserved_units: z.number() }),
  fees: z.object({ settled: z.number(), usdc: z.string() }),
  open_differences: z.number(),
})
type Options = { operator: string; json?: true }

/** `agent-rails payments list | summary`: payments that wait for a confirmation, and the money of the service. */
export function addPayments(program: Command): void {
  const payments = program.command('payments').description('payments and the money of the service')
  operatorOption(payments.command('list').description('payments that an operator has to confirm'))
    .option('--json', 'print them as JSON')
    .action(async ({ operator, json }: Options) => {
      const path = '/api/loop-review-console?kind=payment_reference&limit=100'
      const body = await callAsOperator(operator, 'GET', path)
      if (json === true) return printJson(body)
      const { items } = Waiting.parse(body)
      if (items.length === 0) return print('no payment waits')
      printTable(
        items.map(({ subject_id, state, waiting_since, amount_usd, summary }) => ({
          payment: subject_id,
          state,
          since: waiting_since,
          usd: amount_usd,
          summary,
        })),
      )
      print('agent-rails review show ID shows the evidence of one')
    })
  operatorOption(payments.command('summary').description('balance, daily cap, credit and fees'))
    .option('--json', 'print it as JSON')
    .action(async ({ operator, json }: Options) => {
      const body = await callAsOperator(operator, 'GET', '/api/operator/money')
      if (json === true) return printJson(body)
      const { payout_wallet, daily_cap, credit, fees, open_differences } = Money.parse(body)
      printTable([
        {
          balance_usdc: payout_wallet.balance_usdc,
          cap_used_usdc: daily_cap.used_usdc,
          cap_left_usdc: daily_cap.left_usdc,
          credit_usd: credit.outstanding_units,
          reserved_usd: credit.reserved_units,
          fees_usdc: fees.usdc,
          settled: fees.settled,
          differences: open_differences,
        },
      ])
    })
}
