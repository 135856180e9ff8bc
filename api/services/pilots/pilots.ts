import type { Kysely } from 'kysely'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { priceOf } from '#domain/credit/pricing.ts'
import { pilotLimits } from '#domain/pilots/pilot.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import { type RailKey, type Tier, usagesOf } from '#domain/rails/rail.ts'
import { dayOf } from '#domain/receipts/statement.ts'
import type { DATA_DECLARATION } from '#domain/tasks/data-declaration.ts'
import { toolOf } from '#domain/work-orders/work-order.ts'
import { type DerivedTokens, secretSha256 } from '../../../activities/keys/derived-tokens.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import {
  changePilot,
  insertPilot,
  listPilots,
  type PilotFilter,
  type PilotRow,
  requirePilot,
} from '../../../activities/store/pilots/pilots.ts'
import { clockSeconds, type Tx, transaction } from '../../../activities/store/postgres/db.ts'
import type { Page } from '../../../activities/store/postgres/rows.ts'
import {
  issueReceipt,
  listReceipts,
  type ReceiptIssuer,
} from '../../../activities/store/receipts/receipts.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import {
  findWorkOrder,
  insertWorkOrder,
} from '../../../activities/store/work-orders/work-orders.ts'
import { orderView } from '../work-orders/intake.ts'
import { orderNames } from '../work-orders/work-orders.ts'
import { lockInvited } from './activation.ts'
import { type ClientAccount, clientAccount, withAccount } from './client-account.ts'
import { pilotView } from './views.ts'

export type PilotDeps = ReceiptIssuer & {
  db: Kysely<Database>
  tokens: Pick<DerivedTokens, 'statusToken'>
}
export type IntakeAsked = {
  /** With the account of the agent that asks, if the client has one. */
  client: { name: string; contact: string; account_id?: string | undefined }
  rail: RailKey
  tier: Tier
  objective: string
  workflow_description: string | null
  desired_start: string | null
  /** Of an accepted invitation, whose pilot takes the intake. */
  invitation_token: string | null
  data_declaration: typeof DATA_DECLARATION
}

const takenRails = (): RailKey[] =>
  rails.filter((rail) => usagesOf(rail).includes('operational')).map(({ key }) => key)

/** Throws 403 `rail_not_allowed` for a rail whose runs are not operational. */
export function requireTaken(key: RailKey): void {
  const taken = takenRails()
  if (taken.includes(key)) return
  throw refuse('rail_not_allowed', {
    detail: `${key} takes no pilots`,
    next_action: `Choose one of ${taken.join(', ')}.`,
  })
}

/** Pilots as clients ask for them; an operator decides about each before anything runs. */
export class PilotService {
  private readonly deps: PilotDeps
  /** The rails that pilots are taken for. */
  readonly rails = takenRails

  constructor(deps: PilotDeps) {
    this.deps = deps
  }

  /** Stores a pilot with its work order and receipt; repeated, it returns the stored one. 401, 403, 429. */
  async submit(asked: IntakeAsked, { agentId, callId }: By) {
    requireTaken(asked.rail)
    const { db, tokens } = this.deps
    const { invitation_token } = asked
    const status_token = invitation_token ?? (await tokens.statusToken('pt', callId))
    const { ids } = await orderNames(tokens, callId)
    const stored = await transaction(db, async (tx) => {
      const account = await clientAccount(tx, asked.client.account_id, agentId)
      if (invitation_token !== null)
        return this.#readStored(
          tx,
          await this.#attach(tx, asked, { token: invitation_token, ids, account }),
        )
      const pilot_id = pilotIdOf(callId)
      const row = { pilot_id, status_token_sha256: secretSha256(status_token) }
      await this.#store(tx, asked, { ...row, ids, account })
      return this.#readStored(tx, pilot_id)
    })
    return { ...stored, status_token }
  }

  /** 404. */
  read(pilotId: string) {
    return transaction(this.deps.db, async (tx) => pilotView(tx, await requirePilot(tx, pilotId)))
  }

  /** The pilots of every source as operators see them, the newest first. */
  list(filter: PilotFilter, page: Page) {
    return transaction(this.deps.db, async (tx) => {
      const { rows, total } = await listPilots(tx, filter, page)
      const items = []
      for (const row of rows) items.push({ ...(await pilotView(tx, row)), ...lineOf(row) })
      return { items, ...page, total }
    })
  }

  async #store(
    tx: Tx,
    asked: IntakeAsked,
    { ids, account, ...row }: Stored & Named,
  ): Promise<void> {
    const { client, rail, tier, objective } = asked
    await storeOrder(tx, asked, ids)
    const fresh = await insertPilot(tx, {
      ...row,
      source: 'intake',
      rail,
      tier,
      total_usd: priceOf(railOf(rail), tier).total_usd,
      client: JSON.stringify({ ...client, account_id: account.account_id }),
      agent_id: account.agent_id,
      objective,
      workflow_description: asked.workflow_description,
      desired_start: asked.desired_start,
      work_order_id: ids.workOrderId,
    })
    if (fresh === 'too_many_waiting') throw tooManyWaiting()
    if (!fresh) return
    await assertAhead(tx, asked)
    await this.#receipt(tx, row.pilot_id, asked, { ids, account })
  }

  /** The accepted pilot of an invitation takes one intake; its terms stay as they were accepted. */
  async #attach(
    tx: Tx,
    asked: IntakeAsked,
    { token, ids, account }: Named & { token: string },
  ): Promise<string> {
    const pilot = await lockInvited(tx, token)
    const { pilot_id, state, rail, tier, work_order_id } = pilot
    if (work_order_id === ids.workOrderId) return pilot_id
    if ((state !== 'accepted' && state !== 'activated') || work_order_id !== null)
      throw refuse('wrong_state', {
        detail: work_order_id === null ? `the invitation is ${state}` : 'it has its intake',
      })
    if (rail !== asked.rail || tier !== asked.tier)
      throw refuse('wrong_state', { detail: `the invitation is to a ${rail} ${tier} pilot` })
    await storeOrder(tx, asked, ids)
    await assertAhead(tx, asked)
    const { workflow_description, desired_start } = asked
    const taken = { work_order_id: ids.workOrderId, workflow_description, desired_start }
    await changePilot(tx, pilot_id, { ...taken, ...withAccount(pilot, account) })
    await this.#receipt(tx, pilot_id, asked, { ids, account })
    return pilot_id
  }

  async #receipt(
    tx: Tx,
    pilotId: string,
    { rail, tier, objective, data_declaration }: IntakeAsked,
    { ids, account: { account_id } }: Named,
  ): Promise<void> {
    const objective_sha256 = digestOf(objective)
    const facts = {
      pilot_id: pilotId,
      work_order_id: ids.workOrderId,
      rail,
      tier,
      account_id,
      data_declaration,
    }
    const about = { subject: pilotId, kind: 'intake', usage: 'operational' }
    await issueReceipt(this.deps, tx, { ...about, facts: { ...facts, objective_sha256 } })
  }

  async #readStored(tx: Tx, pilotId: string) {
    const pilot = await requirePilot(tx, pilotId)
    const order = await findWorkOrder(tx, { work_order_id: pilot.work_order_id ?? '' })
    const intake = (await listReceipts(tx, pilotId)).find(({ kind }) => kind === 'intake')
    if (order === undefined || intake === undefined)
      throw new Error(`${pilotId} has no work order or receipt`)
    return {
      pilot: await pilotView(tx, pilot),
      work_order: await orderView(tx, order),
      receipt: receiptView(intake.jws),
    }
  }
}

const lineOf = ({ client, agent_id, state_since, waiting_since }: PilotRow) => ({
  contact: client.contact,
  agent_id,
  state_since: state_since.toISOString(),
  waiting_since: waiting_since?.toISOString() ?? null,
})

type By = { agentId: string | undefined; callId: string }
type Named = Pick<Awaited<ReturnType<typeof orderNames>>, 'ids'> & { account: ClientAccount }

/** Throws 400 for a start before today, by the clock of the database in UTC. */
async function assertAhead(tx: Tx, { desired_start }: IntakeAsked): Promise<void> {
  const today = dayOf(await clockSeconds(tx))
  if (desired_start === null || desired_start >= today) return
  const message = `is in the past: today is ${today} in UTC`
  throw refuse('invalid_request', {
    detail: `desired_start ${message}`,
    next_action: 'Name a date from today on, or none.',
    errors: [{ pointer: '/desired_start', message }],
  })
}

/** The order of an intake: what is done about it begins with the run of the pilot. */
const storeOrder = (
  tx: Tx,
  { rail, objective, client: { name, contact } }: IntakeAsked,
  { workOrderId, statusTokenSha256 }: Named['ids'],
) =>
  insertWorkOrder(tx, {
    work_order_id: workOrderId,
    status_token_sha256: statusTokenSha256,
    intake_kind: 'workflow_intake',
    requested_tool_id: toolOf(rail),
    objective,
    quote_id: null,
    agent_id: null,
    requester: JSON.stringify({ name, contact }),
    acceptance_criteria: JSON.stringify([]),
  })

type Stored = { pilot_id: string; status_token_sha256: string }

/** A pilot is named by the call that makes it. */
export const pilotIdOf = (callId: string): string => `pl_${digestOf({ call: callId })}`

const tooManyWaiting = () =>
  refuse('rate_limited', {
    detail: `${pilotLimits.waitingMax} pilots wait for the decision of an operator`,
    next_action: 'Submit it again later.',
    retry_after_ms: 3_600_000,
  })
