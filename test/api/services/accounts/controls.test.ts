import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { walletBindingText } from '#domain/accounts/controls.ts'
import { insistAccountAllows } from '../../../../activities/accounts/controls.ts'
import { createWallet, debit } from '../../../../activities/credit/allowance.ts'
import type { MoneyDeps } from '../../../../activities/credit/deps.ts'
import { lockSwitches, shareSwitches } from '../../../../activities/store/operators/controls.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { AccountControlsService } from '../../../../api/services/accounts/controls.ts'
import {
  grantedCall,
  present,
  quoted,
  refusal,
  startMoney,
  topUp,
} from '../../../activities/credit/fixture.ts'
import { setControls } from '../../../support/account-controls.ts'
import { registeredAgent } from '../../../support/agent-rows.ts'
import { newWallet } from '../../../support/chain.ts'
import { defaultFees } from '../../../support/fees.ts'
import { verifies } from '../../../verifies.ts'

let deps: MoneyDeps
let stop: () => Promise<void>
let service: AccountControlsService
beforeAll(async () => {
  const started = await startMoney()
  deps = started.deps
  stop = started.stop
  service = new AccountControlsService({ ...deps, fees: defaultFees })
})
afterAll(() => stop?.())

const hex = () => randomBytes(16).toString('hex')
const spend = (agentId: string, usd = 10, rail = 'packetops') =>
  transaction(deps.db, (tx) =>
    insistAccountAllows(tx, { agentId }, { kind: 'fee', subject: hex(), rail, usd }),
  ).then(
    () => 'spent',
    (error: { refusal?: { code: string } }) => error.refusal?.code ?? String(error),
  )
const countSpends = async (account: string, db = deps.db) =>
  (
    await sql<{
      n: number
    }>`select count(*)::int as n from account_spends where account_id = ${account}`.execute(db)
  ).rows[0]?.n

verifies('accounts.race', '50 spends race a narrowing; none passes after its commit', async () => {
  const { agent_id, account_id } = await registeredAgent(deps.db)
  const outcomes = Array.from({ length: 25 }, () => spend(agent_id))
  await Promise.any(outcomes)
  const before = await transaction(deps.db, async (tx) => {
    await setControls(deps, tx, account_id, { allowed_rails: ['diligenceops'] })
    outcomes.push(...Array.from({ length: 25 }, () => spend(agent_id)))
    await sleep(20)
    return countSpends(account_id, tx as MoneyDeps['db'])
  })
  const ended = await Promise.all(outcomes)
  const spent = ended.filter((outcome) => outcome === 'spent').length
  expect(ended.filter((outcome) => outcome === 'control_denied')).toHaveLength(50 - spent)
  expect(spent).toBe(before)
  expect(spent).toBeGreaterThan(0)
  expect(spent).toBeLessThan(50)
})

verifies('accounts.day', 'parallel spends of a day stay within its limit', async () => {
  const { agent_id, account_id } = await registeredAgent(deps.db)
  await transaction(deps.db, (tx) => setControls(deps, tx, account_id, { per_day_usd_max: 100 }))
  const outcomes = await Promise.all(Array.from({ length: 30 }, () => spend(agent_id)))
  const spent = outcomes.filter((outcome) => outcome === 'spent').length
  expect(spent).toBeGreaterThan(0)
  expect(spent).toBeLessThanOrEqual(10)
  while ((await spend(agent_id)) === 'spent');
  expect(await countSpends(account_id)).toBe(10)
})

verifies('accounts.locks', 'spends, pauses and narrowings at once all end', async () => {
  const { agent_id, account_id } = await registeredAgent(deps.db)
  const sharing = () =>
    transaction(deps.db, async (tx) => {
      await insistAccountAllows(
        tx,
        { agentId: agent_id },
        { kind: 'claim', subject: hex(), rail: null, usd: 1 },
      )
      await shareSwitches(tx)
    })
  const pausing = () =>
    transaction(deps.db, async (tx) => {
      await lockSwitches(tx)
      await sleep(2)
    })
  const narrowing = (_: unknown, most: number) =>
    transaction(deps.db, (tx) => setControls(deps, tx, account_id, { per_run_usd_max: 500 - most }))
  const rounds = Array.from({ length: 12 }, (_, index) => [
    sharing(),
    pausing(),
    sharing(),
    narrowing(undefined, index),
  ])
  await Promise.all(rounds.flat())
  expect(await countSpends(account_id)).toBe(24)
})

verifies(
  'accounts.narrow',
  'an agent narrows, an operator widens; both leave receipts',
  async () => {
    const { agent_id: agentId, account_id } = await registeredAgent(deps.db)
    const set = async (by: { agentId: string } | { operator: string }, controls: object) =>
      service.set({
        callId: await grantedCall(deps, 'enterprise-controls-set'),
        by,
        accountId: 'operator' in by ? account_id : undefined,
        controls,
        reason: 'budget',
        acceptFee: true,
      })
    const first = await set({ agentId }, { allowed_rails: ['packetops'], per_run_usd_max: 50 })
    expect(first).toMatchObject({
      account_id,
      set_by: agentId,
      changed: ['allowed_rails', 'per_run_usd_max'],
      receipt: { kind: 'control_change', payload: { to: { per_run_usd_max: 50 } } },
    })
    for (const wider of [
      { per_run_usd_max: 51 },
      { per_run_usd_max: null },
      { allowed_rails: null },
      { allowed_rails: ['packetops', 'tokenops'] },
    ])
      await expect(set({ agentId }, wider)).rejects.toMatchObject(refusal('control_denied'))
    expect(await spend(agentId, 51)).toBe('control_denied')
    expect(await spend(agentId, 1, 'tokenops')).toBe('control_denied')
    await set({ operator: 'op_1' }, { per_run_usd_max: 60 })
    expect(await spend(agentId, 51)).toBe('spent')
    await set({ agentId }, { paused: true })
    expect(await spend(agentId, 1)).toBe('control_denied')
    await expect(set({ agentId }, { paused: false })).rejects.toMatchObject(
      refusal('control_denied'),
    )
    // Postgres refuses it too.
    await expect(
      sql`update account_controls set paused = false where account_id = ${account_id}`.execute(
        deps.db,
      ),
    ).rejects.toThrow('only narrows')
    await expect(
      sql`update account_control_changes set reason = 'x'`.execute(deps.db),
    ).rejects.toThrow('stays as it was written')
    const other = await registeredAgent(deps.db)
    const foreign = service.read({ agentId: other.agent_id }, account_id)
    await expect(foreign).rejects.toMatchObject(refusal('not_owner'))
  },
)

verifies('accounts.wallet', 'a wallet is bound once, by its own signature', async () => {
  const { agent_id: agentId, account_id } = await registeredAgent(deps.db)
  const { account, address } = newWallet()
  const text = (accountId: string) =>
    walletBindingText({ origin: deps.authority.origin, accountId, wallet: address })
  const bind = async (by: string, signature: string) =>
    service.bind({
      callId: await grantedCall(deps, 'enterprise-wallet-bind'),
      agentId: by,
      wallet: address,
      signature,
    })
  const signature = await account.signMessage({ message: text(account_id) })
  const other = await registeredAgent(deps.db)
  await expect(bind(other.agent_id, signature)).rejects.toMatchObject(refusal('proof_invalid'))
  expect(await bind(agentId, signature)).toMatchObject({
    account_id,
    wallets: [{ wallet: address }],
    receipt: { payload: { wallet: address, account_id } },
  })
  const again = await account.signMessage({ message: text(other.account_id) })
  await expect(bind(other.agent_id, again)).rejects.toMatchObject(refusal('already_bound'))
})

verifies('accounts.payments', 'reserved credit is not paid after a narrowing', async () => {
  const { agent_id, account_id } = await registeredAgent(deps.db)
  const agentId = agent_id
  const { wallet_id: walletId } = await transaction(deps.db, (tx) =>
    createWallet(tx, { agentId, label: '' }),
  )
  await topUp(deps, agent_id, walletId, 1000)
  const allowance = {
    method: 'agent_allowance',
    externalReference: walletId,
    payer: walletId,
  } as const
  const open = await quoted(deps, agent_id)
  const authorized = await present(deps, await quoted(deps, agent_id, { units: 2 }), {
    ...allowance,
    authorityType: 'agent_allowance_reference',
  })
  await transaction(deps.db, (tx) => setControls(deps, tx, account_id, { per_run_usd_max: 106 }))
  await expect(present(deps, open, allowance)).rejects.toMatchObject(refusal('control_denied'))
  await expect(
    transaction(deps.db, (tx) => debit(deps, tx, authorized.payment_reference_id)),
  ).rejects.toMatchObject(refusal('control_denied'))
  await expect(quoted(deps, agent_id, { units: 3 })).rejects.toMatchObject(
    refusal('control_denied'),
  )
  await transaction(deps.db, (tx) => setControls(deps, tx, account_id, { per_run_usd_max: 107 }))
  expect(await present(deps, open, allowance)).toMatchObject({ state: 'verified' })
})

verifies(
  'accounts.payments',
  'a day holds for paid amounts, and apart from them for runs',
  async () => {
    const { agent_id, account_id } = await registeredAgent(deps.db)
    const narrow = (per_day_usd_max: number) =>
      transaction(deps.db, (tx) => setControls(deps, tx, account_id, { per_day_usd_max }))
    const [two, one] = [await quoted(deps, agent_id, { units: 2 }), await quoted(deps, agent_id)]
    await narrow(213)
    await expect(present(deps, two)).rejects.toMatchObject(refusal('control_denied'))
    await narrow(214)
    const run = { kind: 'run', rail: 'packetops', usd: 107 } as const
    await transaction(deps.db, (tx) =>
      insistAccountAllows(tx, { agentId: agent_id }, { ...run, subject: hex() }),
    )
    expect(await present(deps, two)).toMatchObject({ amount_usd: 214 })
    await expect(present(deps, one)).rejects.toMatchObject(refusal('control_denied'))
    await expect(quoted(deps, agent_id)).rejects.toMatchObject(refusal('control_denied'))
    const { rows } = await sql`select usd, units from account_spends
    where account_id = ${account_id} and kind = 'payment'`.execute(deps.db)
    expect(rows).toEqual([{ usd: 214, units: 2 }])
  },
)
