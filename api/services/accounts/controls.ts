import {
  type AccountControls,
  controlBounds,
  controlsCatalog,
  narrowsControls,
  openControls,
  walletBindingText,
} from '#domain/accounts/controls.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { type Hex, receiptId } from '#domain/core/ids.ts'
import { feeUsd } from '#domain/credit/fees.ts'
import { type MoneyDeps, writeMoneyReceipt } from '../../../activities/credit/deps.ts'
import type { FeeDeps } from '../../../activities/credit/fees.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import {
  controlsOf,
  findControls,
  findFee,
  isAccount,
  lockAccount,
  writeControls,
} from '../../../activities/store/accounts/controls.ts'
import {
  findBoundWallet,
  insertBoundWallet,
  listBoundWallets,
} from '../../../activities/store/accounts/wallets.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import { nextMonth } from '../../../activities/store/credit/fee-events.ts'
import { lockSwitches } from '../../../activities/store/operators/controls.ts'
import { type Tx, transaction } from '../../../activities/store/postgres/db.ts'

type Deps = FeeDeps & Pick<MoneyDeps, 'db' | 'authority'>
/** Controls as they are asked for: what is absent stays as it is. */
type ControlsAsked = { [Name in keyof AccountControls]?: AccountControls[Name] | undefined }
/** The agent of an account, or an operator, who names the account. */
export type ControlsBy = { agentId: string } | { operator: string }
type Change = {
  callId: string
  by: ControlsBy
  accountId: string | undefined
  controls: ControlsAsked
  reason: string
  acceptFee?: boolean | undefined
}
/** What a change says of the monthly fee: that it is accepted, or also when it ends. */
type FeeChange = { accepted_fee_usd: number | null; fee_ends_at: Date | null }
const unchanged: FeeChange = { accepted_fee_usd: null, fee_ends_at: null }
const feeView = ({ fee_ends_at, ...fee }: FeeChange) => ({
  ...fee,
  fee_ends_at: fee_ends_at?.toISOString() ?? null,
})
/** The fee that is accepted and in force, 0 where none is, and when it ends. */
async function feeNow(tx: Tx, accountId: string) {
  const fee = await findFee(tx, accountId)
  return fee?.in_force
    ? { accepted: fee.accepted_fee_usd, endsAt: fee.fee_ends_at }
    : { accepted: 0, endsAt: null }
}
type Binding = { callId: string; agentId: string; wallet: string; signature: string }

/** The controls of customer accounts; each call is safe to repeat. */
export class AccountControlsService {
  private readonly deps: Deps

  constructor(deps: Deps) {
    this.deps = deps
  }

  /** The controls that there are, and those of one account where it is named; 404, 403 `not_owner`. */
  read(by: ControlsBy | undefined, accountId: string | undefined) {
    return transaction(this.deps.db, async (tx) => {
      const id = by === undefined ? undefined : await accountOf(tx, by, accountId)
      return {
        controls_catalog: controlsCatalog,
        fee_usd_per_month: this.#feeUsd(),
        own: id === undefined ? null : await this.#view(tx, id),
      }
    })
  }

  /**
   * Sets the given controls and leaves the others. Whatever the account spends later is judged by them; what commits first is not
   * undone. The first change by an agent starts the monthly fee, which it accepts: 422 `fee_not_accepted`; a later one ends it with the
   * month. Throws 404, 403 `not_owner`, and 403 `control_denied` where an agent widens.
   */
  set({ callId, by, accountId, controls, reason, acceptFee }: Change) {
    const subject = `ctl_${digestOf({ call: callId })}`
    return answerOnce(this.deps, { callId, subject, status: 200 }, async (tx) => {
      const account_id = await accountOf(tx, by, accountId)
      await lockAccount(tx, account_id)
      const set = await findControls(tx, account_id)
      const before = set === undefined ? openControls : controlsOf(set)
      const after = { ...before, ...given(controls) }
      if ('agentId' in by && !narrowsControls(before, after)) throw widened()
      const set_by = 'agentId' in by ? by.agentId : by.operator
      const fee = 'agentId' in by ? await this.#feeAfter(tx, account_id, acceptFee) : unchanged
      const facts = { account_id, from: before, to: after, set_by, reason, ...feeView(fee) }
      const receipt = { subject, kind: 'control_change' as const, facts }
      const jws = await writeMoneyReceipt(this.deps, tx, receipt)
      const receipt_id = receiptId(jws)
      const row = { change_id: subject, account_id, reason, set_by, receipt_id, ...fee }
      await writeControls(tx, row, { before, after })
      const changed = controlsCatalog
        .map(({ control }) => control)
        .filter((name) => digestOf([before[name]]) !== digestOf([after[name]]))
      return { ...(await this.#view(tx, account_id)), changed, receipt: receiptView(jws) }
    })
  }

  /** The fee that this change starts or ends; 422 `fee_not_accepted` names what was not accepted. */
  async #feeAfter(tx: Tx, accountId: string, accepts?: boolean): Promise<FeeChange> {
    const usd = this.#feeUsd()
    const { accepted, endsAt } = await feeNow(tx, accountId)
    if (accepts === false && accepted > 0 && endsAt === null)
      return { accepted_fee_usd: accepted, fee_ends_at: await nextMonth(tx) }
    if (usd <= accepted && (endsAt === null || !accepts || usd === 0)) return unchanged
    if (accepts) return { accepted_fee_usd: usd, fee_ends_at: null }
    throw refuse('fee_not_accepted', {
      detail: `setting controls starts the fee enterprise_controls of ${usd} usd per month`,
      next_action: 'Send it again with accept_fee true, or ask an operator to set the controls.',
      money_moved: 'no',
      errors: [{ pointer: '/accept_fee', message: `accepts ${usd} usd per month` }],
    })
  }

  #feeUsd(): number {
    return feeUsd(this.deps.fees, 'enterprise_controls', {})
  }

  async #view(tx: Tx, account_id: string) {
    const fee_usd_per_month = this.#feeUsd()
    const { accepted, endsAt } = await feeNow(tx, account_id)
    return {
      ...(await controlsView(tx, account_id)),
      fee_usd_per_month,
      fee_accepted: accepted >= fee_usd_per_month,
      fee_ends_at: endsAt?.toISOString() ?? null,
    }
  }

  /**
   * Binds a wallet that signed for it to the account of an agent, once and for good: its payouts then read the account's controls.
   * 401 `proof_invalid`, 409 `already_bound`, 429 `quota_exceeded` over the number of wallets of an account.
   */
  async bind({ callId, agentId, wallet: given, signature }: Binding) {
    const { db, authority } = this.deps
    const wallet = given.toLowerCase() as Hex
    const account_id = await accountOf(db, { agentId }, undefined)
    const text = walletBindingText({ origin: authority.origin, accountId: account_id, wallet })
    if (!(await authority.verifyWalletMessage(wallet, text, signature as Hex)))
      throw refuse('proof_invalid', {
        detail: 'the wallet did not sign that it belongs to the account',
        next_action: `Sign with personal_sign: ${JSON.stringify(text)}`,
      })
    const subject = `ctl_${digestOf({ call: callId })}`
    return answerOnce(this.deps, { callId, subject, status: 201 }, async (tx) => {
      // Reservations of payouts hold the switches: one is committed before the binding, or sees it.
      await lockSwitches(tx)
      await lockAccount(tx, account_id)
      await assertBindable(tx, account_id, wallet)
      const facts = { account_id, wallet, bound_by: agentId }
      const receipt = { subject, kind: 'control_change' as const, facts }
      const jws = await writeMoneyReceipt(this.deps, tx, receipt)
      await insertBoundWallet(tx, { account_id, wallet, signature, receipt_id: receiptId(jws) })
      return { ...(await this.#view(tx, account_id)), receipt: receiptView(jws) }
    })
  }
}

async function assertBindable(tx: Tx, accountId: string, wallet: string): Promise<void> {
  if ((await findBoundWallet(tx, wallet)) !== undefined)
    throw refuse('already_bound', { detail: 'the wallet is bound to an account' })
  if ((await listBoundWallets(tx, accountId)).length < controlBounds.walletsMax) return
  throw refuse('wrong_state', {
    detail: `an account has at most ${controlBounds.walletsMax} wallets`,
  })
}

/** The account of an agent, which it may name; an operator names any. */
async function accountOf(tx: Tx, by: ControlsBy, named: string | undefined): Promise<string> {
  const own = 'agentId' in by ? (await findAgent(tx, by.agentId))?.account_id : named
  if (own === undefined)
    throw refuse('invalid_request', {
      detail: 'an operator names the account',
      errors: [{ pointer: '/account_id', message: 'is missing' }],
    })
  if (named !== undefined && named !== own)
    throw refuse('not_owner', { detail: 'the account belongs to another agent' })
  if (!('agentId' in by) && !(await isAccount(tx, own)))
    throw refuse('not_found', { detail: 'no such account' })
  return own
}

async function controlsView(tx: Tx, account_id: string) {
  const row = await findControls(tx, account_id)
  const wallets = await listBoundWallets(tx, account_id)
  return {
    account_id,
    controls: row === undefined ? openControls : controlsOf(row),
    set_by: row?.set_by ?? null,
    set_at: row?.set_at.toISOString() ?? null,
    wallets: wallets.map(({ wallet, bound_at }) => ({ wallet, bound_at: bound_at.toISOString() })),
  }
}

const given = (controls: ControlsAsked): Partial<AccountControls> =>
  Object.fromEntries(Object.entries(controls).filter(([, value]) => value !== undefined))

const widened = () =>
  refuse('control_denied', {
    detail: 'the new controls are wider',
    next_action: 'An agent may only narrow them; ask an operator.',
  })
