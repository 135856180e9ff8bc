import { refuse } from '#domain/core/errors.ts'
import {
  type FeeItem,
  feeCatalog,
  feeUsd,
  type MonthlyItem,
  monthlyItems,
  walletTiers,
} from '#domain/credit/fees.ts'
import { ownWallet, readWallet } from '../../../activities/credit/allowance.ts'
import type { FeeDeps } from '../../../activities/credit/fees.ts'
import { requireQuote } from '../../../activities/credit/quotes.ts'
import { payMonth } from '../../../activities/credit/wallet-tier.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findFee } from '../../../activities/store/accounts/controls.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import {
  currentMonth,
  type FeesOf,
  listFeeEvents,
  routingFeesOf,
  type ShownFee,
} from '../../../activities/store/credit/fee-events.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import { countRunReceipts, findReceipt } from '../../../activities/store/receipts/receipts.ts'
import { findTaskCredit } from '../../../activities/store/tasks/task-credits.ts'
import type { TaskDeps } from '../../../activities/tasks/deps.ts'
import { isByDeveloper } from '../../../activities/tasks/run-fees.ts'
import { ownRun } from '../runs/own-run.ts'

type Deps = FeeDeps & Pick<TaskDeps, 'db'>
type Asked = { fee_item: FeeItem; basis_usd?: number | undefined; count?: number | undefined }
type AssessedOf = {
  run_id?: string | undefined
  quote_id?: string | undefined
  items?: Asked[] | undefined
}
type Accrual = {
  callId: string
  agentId: string
  walletId: string | undefined
  items: Asked[] | undefined
}

const FEES_SHOWN = 100

/** The commercial fee items: what they are, what they would be, and what was posted. */
export class CommercialLayer {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** With the fees of an agent, or those of its that one wallet paid. 404, 403 `not_owner`. */
  read(own: FeesOf | undefined) {
    const { db, fees } = this.deps
    return transaction(db, async (tx) => {
      if (own?.walletId !== undefined) await readWallet(tx, own.walletId, own.agentId)
      return {
        fee_items: feeCatalog(fees),
        plans: walletTiers.map((plan) => ({
          plan,
          usd_per_month: plan === 'premium' ? fees.premium_wallet_usd : 0,
          wallet_usd_per_day: fees.wallet_per_day_usd[plan],
        })),
        accrued: own === undefined ? [] : (await listFeeEvents(tx, own, FEES_SHOWN)).map(feeView),
        micro_routing_fees_usd: own === undefined ? null : await routingFeesOf(tx, own),
      }
    })
  }

  /** The lines of a run of the agent, of a quote, or of items; nothing is posted. 404, 403 `not_owner`. */
  assess(of: AssessedOf, agentId?: string) {
    return transaction(this.deps.db, async (tx) => ({
      ...this.#sum(await linesOf(tx, of, agentId)),
      fee_event_ids: [],
      receipt: null,
    }))
  }

  /** Posts the month of one plan, which its timer then finds posted. Throws as `payMonth` does. */
  accrue({ callId, agentId, walletId, items }: Accrual) {
    const item = planOf(items)
    return answerOnce(this.deps, { callId, subject: agentId, status: 200 }, async (tx) => {
      if (walletId === undefined)
        throw refuse('invalid_request', { detail: 'accrue needs wallet_id, which pays' })
      const { tier } = await ownWallet(tx, walletId, agentId)
      const { payer, isAccepted } =
        item === 'premium_wallet_tier'
          ? { payer: walletId, isAccepted: tier === 'premium' }
          : await payingAccount(tx, agentId, feeUsd(this.deps.fees, item, {}))
      const month = { agentId, subject: `${payer}:${await currentMonth(tx)}`, isAccepted }
      const event = await payMonth(this.deps, tx, item, month)
      const receipt = await findReceipt(tx, { receipt_id: event?.receipt_id ?? '' })
      return {
        ...this.#sum([{ fee_item: item }]),
        fee_event_ids: event === undefined ? [] : [event.fee_event_id],
        receipt: receipt === undefined ? null : receiptView(receipt.jws),
      }
    })
  }

  #sum(asked: readonly Asked[]) {
    const { fees } = this.deps
    const rules = new Map(feeCatalog(fees).map(({ item, rule }) => [item, rule]))
    const lines = asked.map(({ fee_item, basis_usd = 0, count = 1 }) => ({
      fee_item,
      rule: rules.get(fee_item) ?? '',
      basis_usd,
      amount_usd: feeUsd(fees, fee_item, { basisUsd: basis_usd, count }),
    }))
    return { lines, total_usd: lines.reduce((sum, { amount_usd }) => sum + amount_usd, 0) }
  }
}

async function linesOf(
  tx: Tx,
  { run_id, quote_id, items = [] }: AssessedOf,
  agentId: string | undefined,
): Promise<Asked[]> {
  if (run_id === undefined) return quote_id === undefined ? items : [await routingOf(tx, quote_id)]
  const task = await ownRun(tx, { agentId: agentId ?? '' }, run_id)
  const { task_id } = task
  const credit = await findTaskCredit(tx, task_id)
  const routing = credit === undefined ? [] : [await routingOf(tx, credit.quote_id, 1)]
  const count = await countRunReceipts(tx, task)
  const lines: Asked[] = [...routing, { fee_item: 'receipt_fee', count }]
  return (await isByDeveloper(tx, task)) ? [...lines, { fee_item: 'developer_fee' }] : lines
}

/** The rail fee of a quote, none on entry. */
async function routingOf(tx: Tx, quoteId: string, runs?: number): Promise<Asked> {
  const { base_usd, rail_fee_usd, units } = await requireQuote(tx, quoteId)
  const basis_usd = rail_fee_usd === 0 ? 0 : base_usd / units
  return { fee_item: 'micro_routing_fee', basis_usd, count: runs ?? units }
}

function planOf(items: Asked[] | undefined): MonthlyItem {
  const [first, ...more] = items ?? []
  const plan = monthlyItems.find((item) => item === first?.fee_item)
  if (plan !== undefined && more.length === 0 && (first?.count ?? 1) === 1) return plan
  throw refuse('unsupported_request', {
    detail: `only the current month of one of ${monthlyItems.join(' and ')} is paid here`,
    next_action: 'The other items are posted by what triggers them.',
  })
}

/** The account of an agent, and whether it accepted so much. 422 `fee_not_accepted` where it ended the fee of its controls. */
async function payingAccount(tx: Tx, agentId: string, usd: number) {
  const payer = (await findAgent(tx, agentId))?.account_id ?? ''
  const fee = await findFee(tx, payer)
  if (fee?.in_force !== false) return { payer, isAccepted: (fee?.accepted_fee_usd ?? 0) >= usd }
  throw refuse('fee_not_accepted', {
    detail: 'the account ended the fee enterprise_controls',
    next_action: 'Accept it again by POST /api/enterprise-controls with accept_fee true.',
    money_moved: 'no',
  })
}

const feeView = (event: ShownFee) => ({
  fee_event_id: event.fee_event_id,
  fee_item: event.item,
  subject: event.subject,
  amount_usd: event.amount_usd,
  state: event.state,
  receipt_id: event.receipt_id,
  created_at: event.created_at.toISOString(),
})
