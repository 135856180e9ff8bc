import { taskIdOf } from '../activities/keys/derived-tokens.ts'
import { ownRun } from '../activities/runs/reading.ts'
import { claimGrant } from '../activities/store/calls.ts'
import { transaction } from '../activities/store/db.ts'
import { findWorkOrder } from '../activities/store/work-orders.ts'
import { runIdOf } from '../activities/tasks/facts.ts'
import type { Asker } from '../activities/tasks/reading.ts'
import { storeWalletRun, walletRunView } from '../activities/work-orders/wallet-run.ts'
import { DATA_DECLARATION } from '../workflows/domain/data-declaration.ts'
import { DomainError, refuse } from '../workflows/domain/errors.ts'
import { railOf } from '../workflows/domain/rails/index.ts'
import { SERVICE_OS } from '../workflows/domain/work-order.ts'
import type { RunDeskDeps } from './run-desk.ts'
import { assertStartable, type StartAsked } from './run-start.ts'
import { assertOpen } from './task-acts.ts'
import { orderNames } from './work-orders.ts'

type Asked = 'rail' | 'tier' | 'on_gaps' | 'quote_id' | 'quote_token' | 'input' | 'callback_url' | 'customer_account'
export type WalletStart = Pick<StartAsked, Asked> & { wallet_id: string }
export type WalletRuns = ReturnType<typeof openWalletRuns>

/** Runs that an allowance wallet pays for (endpoints.md §12). */
export function openWalletRuns(deps: RunDeskDeps) {
  return {
    /** 404 without it, 403 `not_owner`. */
    read: (asker: Asker, runId: string) => read(deps, asker, runId),
    start: (agentId: string, asked: WalletStart, callId: string) => start(deps, agentId, asked, callId),
  }
}

const read = (deps: RunDeskDeps, asker: Asker, runId: string) =>
  transaction(deps.db, async (tx) => walletRunView(deps, tx, await ownRun(tx, asker, runId)))

/** Starts a run with its order and its payment; repeated, it shows the one that it started. 402 with the shortfall. */
async function start(deps: RunDeskDeps, agentId: string, asked: WalletStart, callId: string) {
  const { status_token, ids } = await orderNames(deps, callId)
  const work_order_id = ids.workOrderId
  if ((await findWorkOrder(deps.db, { work_order_id })) === undefined) await assertTakeable(deps, agentId, asked)
  const taskId = taskIdOf(await deps.tokens.statusToken('tk', callId))
  const run = { taskId, eventId: callId, rail: asked.rail, input: asked.input }
  await transaction(deps.db, async (tx) => {
    await claimGrant(tx, callId, work_order_id)
    await storeWalletRun(deps, tx, { ...paidBy(agentId, asked), order: { ...ids, ...orderOf(agentId, asked) }, run })
  }).catch((error: unknown) => askForMoney(deps, asked, error))
  // It stands whether or not its workflow can be told now: the review wakes it too.
  await deps.gateway.wake(taskId).catch(() => undefined)
  return { ...(await read(deps, {}, runIdOf(taskId))), status_token }
}

async function assertTakeable(deps: RunDeskDeps, agentId: string, asked: WalletStart): Promise<void> {
  await assertOpen(deps.db)
  const isSold = (railOf(asked.rail).prices?.[asked.tier] ?? 0) > 0
  await assertStartable(deps, agentId, { ...asked, usage: 'operational' }, isSold)
  await deps.money.claimQuote(agentId, asked.quote_id, asked.quote_token)
}

const paidBy = (agentId: string, { wallet_id: walletId, quote_id: quoteId, customer_account }: WalletStart) => ({
  agentId,
  walletId,
  quoteId,
  customerAccount: customer_account,
})

const orderOf = (agentId: string, { rail, tier, on_gaps, callback_url }: WalletStart) => ({
  intake_kind: 'external_agent_request' as const,
  requested_tool_id: railOf(rail).takes.requestedTool ? rail : SERVICE_OS,
  objective: `One ${tier} run of ${rail}, paid from an allowance wallet.`,
  requester: { agent_id: agentId },
  // Its agent accepted the terms that say so.
  data_declaration: DATA_DECLARATION,
  tier,
  on_gaps,
  callback_url,
  acceptance_criteria: [],
  actor: `agent:${agentId}`,
})

/** A balance that is too small leaves nothing begun: the agent fills its wallet, or pays the quote in another way. */
async function askForMoney({ money }: RunDeskDeps, asked: WalletStart, error: unknown): Promise<never> {
  if (!(error instanceof DomainError) || error.refusal.code !== 'wallet_underfunded') throw error
  const { wallet_id, quote_id } = asked
  const challenge = await money.challenge(quote_id)
  const { accepted_methods } = challenge
  throw refuse(
    'payment_required',
    error.refusal.detail,
    'Pay the shortfall into the wallet by fund_allowance, then send the same call again.',
    { extra: { ...error.refusal.extra, wallet_id, challenge, accepted_methods } },
  )
}
