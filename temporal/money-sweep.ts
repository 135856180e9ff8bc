import type { Client } from '@temporalio/client'
import type { Logger } from 'pino'
import type { Config } from '../activities/config.ts'
import type { MoneyDeps } from '../activities/money/deps.ts'
import { applyEvent } from '../activities/money/provider-events.ts'
import { verifyReference } from '../activities/money/references.ts'
import type { IdPage } from '../activities/store/db.ts'
import { listDueReferences } from '../activities/store/payment-references.ts'
import { listOpenEvents } from '../activities/store/provider-events.ts'
import { listBehindMoney } from '../activities/store/task-credits.ts'
import { tellTask } from './tasks.ts'

export type MoneySweepDeps = {
  client: Client
  money: MoneyDeps
  log: Logger
  config: Pick<Config, 'SWEEP_GRACE_MS'>
}

const PAGE = 100

/** Makes of providers' events what they prove, where the process that took them in has died. */
export const applyEvents = async ({ money, log, config }: MoneySweepDeps): Promise<void> =>
  each(await listOpenEvents(money.db, config.SWEEP_GRACE_MS, PAGE), (key) => applyEvent(money, key), log)

/** Looks for the proof of payments that nobody asks for any more. */
export const verifyDue = async ({ money, log, config }: MoneySweepDeps): Promise<void> =>
  each(await listDueReferences(money.db, config.SWEEP_GRACE_MS, PAGE), (id) => verifyReference(money, id), log)

/** Tells tasks of money that was stored and that nobody told them of. */
export async function tellTasksBehind({ client, money: { db }, log }: MoneySweepDeps): Promise<void> {
  for (let page: IdPage | undefined = { after: '', most: PAGE }; page !== undefined; ) {
    const behind: string[] = await listBehindMoney(db, page)
    await each(behind, (taskId) => tellTask({ client, db }, taskId), log)
    const last = behind[PAGE - 1]
    page = last === undefined ? undefined : { after: last, most: PAGE }
  }
}

/** One that fails holds up nobody else; it is tried again with the next sweep. */
async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<unknown>, log: Logger): Promise<void> {
  for (const item of items)
    await act(item).catch((error: unknown) => log.warn({ item, error: String(error) }, 'money is looked at again'))
}
