import type { Command } from 'commander'
import { z } from 'zod'
import type { Decision } from '#domain/reviews/review.ts'
import { callAsOperator } from '../operator-calls.ts'
import { type Output, show, tableText } from '../print.ts'
import { operatorOption } from './by-operator.ts'
import { decideOne, itemsText, readReviews, readSubject, subjectText } from './review-calls.ts'

const Money = z.looseObject({
  payout_wallet: z.object({ balance_usdc: z.string().nullable() }),
  daily_cap: z.object({ used_usdc: z.string(), left_usdc: z.string() }),
  credit: z.object({
    outstanding_units: z.number(),
    reserved_units: z.number(),
    wallet_units: z.number(),
    debt_units: z.number(),
    revenue_units: z.number(),
    fee_units: z.number(),
  }),
  call_fees: z.object({ settled: z.number(), usdc: z.string() }),
  open_differences: z.number(),
})
type Options = Output & { operator: string }
type ListOptions = Options & { state?: string; limit: string }
type DecideOptions = Options & { note: string; seen: string }

/** `agent-rails payments …`: payments that wait for a confirmation, the decisions about them, and the money of the service. */
export function addPayments(program: Command): void {
  const payments = program.command('payments').description('payments and the money of the service')
  operatorOption(payments.command('list').description('payments that an operator has to confirm'))
    .option('--state <state>', 'those in this state instead, such as verified')
    .option('--limit <number>', 'how many, 1 to 100', '25')
    .action(async (options: ListOptions) => {
      const { operator, json: _json, ...query } = options
      const { answer, page } = await readReviews(operator, { kind: 'payment_reference', ...query })
      show(options, answer, () => itemsText(page.items, 'no payment waits'))
    })
  operatorOption(
    payments.command('show <id>').description('a payment with its price and evidence'),
  ).action(async (id: string, options: Options) => {
    const { answer, ...subject } = await readSubject(options.operator, id)
    assertPayment(id, subject.evidence.subject_kind)
    show(options, answer['evidence'], () => subjectText(id, subject))
  })
  for (const [name, { decision, about }] of Object.entries(decisionsOn))
    operatorOption(payments.command(`${name} <id>`).description(about))
      .requiredOption('--note <text>', 'why, for the receipt')
      .requiredOption('--seen <digest>', 'the digest that `payments show` printed')
      .action(async (id: string, options: DecideOptions) => {
        const { operator, note, seen } = options
        const { evidence } = await readSubject(operator, id)
        assertPayment(id, evidence.subject_kind)
        show(options, await decideOne(decision, id, { operator, note, seen: [seen] }))
      })
  operatorOption(
    payments.command('summary').description('balance, daily cap, credit and fees'),
  ).action(async (options: Options) =>
    show(options, await callAsOperator(options.operator, 'GET', '/api/operator/money'), moneyText),
  )
}

const decisionsOn: Readonly<Record<string, { decision: Decision; about: string }>> = {
  confirm: { decision: 'approve', about: 'the money has arrived, as the account shows' },
  reject: { decision: 'reject', about: 'the money has not arrived, or is returned' },
  refund: { decision: 'revise', about: 'take back what was confirmed before' },
}

function assertPayment(id: string, kind: string): void {
  if (kind !== 'payment_reference') throw new Error(`${id} is no payment but a ${kind}`)
}

function moneyText(answer: unknown): string {
  const { payout_wallet, daily_cap, credit, call_fees, open_differences } = Money.parse(answer)
  return tableText(
    [
      {
        balance_usdc: payout_wallet.balance_usdc,
        cap_used_usdc: daily_cap.used_usdc,
        cap_left_usdc: daily_cap.left_usdc,
        credit_usd: credit.outstanding_units,
        reserved_usd: credit.reserved_units,
        wallets_usd: credit.wallet_units,
        wallets_owe_usd: credit.debt_units,
        revenue_usd: credit.revenue_units,
        fees_usd: credit.fee_units,
        call_fees_usdc: call_fees.usdc,
        calls_settled: call_fees.settled,
        differences: open_differences,
      },
    ],
    '',
  )
}
