import type { z } from 'zod'
import { digestOf } from '#domain/core/canonical-json.ts'
import { refuse } from '#domain/core/errors.ts'
import { receiptId } from '#domain/core/ids.ts'
import { move } from '#domain/core/state-table.ts'
import { accountOf } from '#domain/pilots/pilot.ts'
import {
  isMet,
  isPaid,
  type ProspectMove as Move,
  type ProspectState,
  prospectTransitions,
  type RecordedState,
  sprintTarget,
} from '#domain/prospects/prospect.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findAgent } from '../../../activities/store/agents/agents.ts'
import { answerOnce } from '../../../activities/store/calls/once.ts'
import type { PilotRow } from '../../../activities/store/pilots/pilots.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { now, type Page } from '../../../activities/store/postgres/rows.ts'
import {
  appendProspectEvent,
  bindProspect,
  countProspects,
  hasWritten,
  holdSprint,
  insertSummary,
  listProspectEvents,
  listProspects,
  type ProspectEventRow,
  type ProspectRow,
  prospects,
  readSprint,
} from '../../../activities/store/prospects/prospects.ts'
import { issueReceipt } from '../../../activities/store/receipts/receipts.ts'
import {
  type NewProspect,
  Prospect,
  ProspectEvent,
  type ProspectMove,
  type SentMessage,
} from '../../shapes/prospects.ts'
import { viewOf } from '../../view.ts'

type By = { operator: string; callId: string }
type Moved = z.output<typeof ProspectMove>
type Binding = Pick<z.output<typeof NewProspect>, 'agent_id' | 'customer_account'>
const CLOCK_SKEW_MS = 300_000

/** Prospects and the sprint that counts them; what is paid follows from payments and runs alone. */
export class ProspectService {
  private readonly deps: MoneyDeps

  constructor(deps: MoneyDeps) {
    this.deps = deps
  }

  /** Numbers only. */
  sprint() {
    return sprintView(this.deps.db)
  }

  create(asked: z.output<typeof NewProspect>, { operator, callId }: By) {
    const { label, channel, rail = null, contact_reference = null, ...binding } = asked
    const prospect_id = `ps_${digestOf({ call: callId })}`
    const described = { label, channel, rail, contact_reference }
    return this.#once(callId, { prospect_id, status: 201 }, async (tx) => {
      const bound = await bindingOf(tx, binding)
      if ((await prospects.insertNew(tx, { prospect_id, ...described, ...bound })) === undefined)
        throw boundElsewhere()
      const event = { prospect_id, state: 'identified', operator } as const
      await appendProspectEvent(tx, { ...event, event: 'created' })
      if (bound !== undefined) await appendProspectEvent(tx, { ...event, event: 'bound', ...bound })
    })
  }

  /** Counts a message once; a repeat of the same one changes nothing. 404, 409 `wrong_state`, 400 for a time to come. */
  messageSent(
    { prospect_id, message_sha256, sent_at, channel }: z.output<typeof SentMessage>,
    { operator, callId }: By,
  ) {
    return this.#once(callId, { prospect_id, status: 200 }, async (tx) => {
      await assertPast(tx, sent_at, '/sent_at')
      const { state, prospect } = await moved(tx, prospect_id, 'message')
      const by = channel ?? prospect.channel
      const sent = { message_sha256, sent_at: new Date(sent_at), channel: by }
      await appendProspectEvent(tx, {
        prospect_id,
        event: 'message_sent',
        state,
        ...sent,
        operator,
      })
    })
  }

  /** 404, 409 `wrong_state`, also for a state that no operator records, `not_ready` without a record of the conversation. */
  update(
    { prospect_id, to, reason, received, conversation_sha256, ...binding }: Moved,
    { operator, callId }: By,
  ) {
    return this.#once(callId, { prospect_id, status: 200 }, async (tx) => {
      const { state, prospect } = await moved(tx, prospect_id, movedBy(to))
      const bound = await bindingOf(tx, binding)
      if (bound !== undefined && !(await bind(tx, prospect, { ...bound, operator })))
        throw boundElsewhere()
      if (received !== undefined)
        await keepReceived(tx, { prospect_id, state: prospect.state, operator }, received)
      const cites = received?.message_sha256 ?? conversation_sha256 ?? null
      if (to === 'replied' || to === 'qualified') await assertWritten(tx, prospect_id, cites)
      const event = {
        prospect_id,
        event: 'moved',
        state,
        reason: reason ?? null,
        cites,
        operator,
      } as const
      await appendProspectEvent(tx, event)
    })
  }

  async list(state: ProspectState | undefined, page: Page) {
    const { db } = this.deps
    const rows = await listProspects(db, { states: state && [state] }, page)
    const events = await listProspectEvents(
      db,
      rows.map(({ prospect_id }) => prospect_id),
    )
    const counts = await countProspects(db)
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    const items = rows.map((row) => prospectView(row, events))
    return { items, ...page, total: state === undefined ? all : counts[state], counts }
  }

  /** Signs what the records say of the sprint now; `close` also begins the next one. */
  summarise({ note, close }: { note: string; close: boolean }, { operator, callId }: By) {
    const summaryId = `ss_${digestOf({ call: callId })}`
    return answerOnce(this.deps, { callId, subject: summaryId, status: 201 }, async (tx) => {
      await holdSprint(tx, true)
      const { sprint } = await readSprint(tx)
      const { sprint_id, ...numbers } = await sprintView(tx)
      const summary = { ...numbers, note }
      const facts = { sprint_id, ...summary, closes: close, recorded_by: operator }
      const about = { subject: summaryId, kind: 'sprint_summary', usage: 'operational', facts }
      const jws = await issueReceipt(this.deps, tx, about)
      const row = { sprint, note, closes: close, summary: JSON.stringify(summary) }
      await insertSummary(tx, { ...row, receipt_id: receiptId(jws) })
      return { sprint_id, summary, receipt: receiptView(jws) }
    })
  }

  /** Acts once under the lock that keeps the end of the sprint away; answers with the prospect and the sprint. */
  #once(
    callId: string,
    { prospect_id, status }: { prospect_id: string; status: number },
    act: (tx: Tx) => Promise<void>,
  ) {
    return answerOnce(this.deps, { callId, subject: prospect_id, status }, async (tx) => {
      await holdSprint(tx)
      await act(tx)
      const { actual } = await readSprint(tx)
      return { prospect: await oneProspect(tx, prospect_id), actual }
    })
  }
}

async function sprintView(tx: Tx) {
  const { sprint, started_at, actual } = await readSprint(tx)
  const sprint_id = `sprint-${sprint}`
  const numbers = { target: sprintTarget, actual, met: isMet(actual) }
  return { sprint_id, started_at: started_at?.toISOString() ?? null, ...numbers }
}

export async function oneProspect(tx: Tx, prospectId: string) {
  const [row] = await listProspects(tx, { prospectId }, { offset: 0, limit: 1 })
  if (row === undefined) throw prospects.unknown()
  return prospectView(row, await listProspectEvents(tx, [prospectId]))
}

/** What a prospect wrote: its digest with channel and time, once. */
async function keepReceived(
  tx: Tx,
  event: { prospect_id: string; state: RecordedState; operator: string },
  { message_sha256, channel, received_at }: NonNullable<Moved['received']>,
): Promise<void> {
  await assertPast(tx, received_at, '/received/received_at')
  const sent_at = new Date(received_at)
  const entry = { ...event, event: 'message_received', message_sha256, channel, sent_at } as const
  await appendProspectEvent(tx, entry)
}

async function assertWritten(tx: Tx, prospectId: string, sha256: string | null): Promise<void> {
  if (sha256 !== null && (await hasWritten(tx, prospectId, sha256))) return
  throw refuse('not_ready', {
    detail: 'no record of the conversation shows it',
    next_action: 'Record what the prospect wrote by received, or cite it by conversation_sha256.',
  })
}

async function assertPast(tx: Tx, time: string, pointer: string): Promise<void> {
  if (Date.parse(time) <= (await clockSeconds(tx)) * 1000 + CLOCK_SKEW_MS) return
  throw refuse('invalid_request', {
    detail: 'the message was not sent yet',
    errors: [{ pointer, message: 'is in the future' }],
  })
}

/** The invitation by which a prospect is offered a pilot. 404, 409 `wrong_state` for one that is not qualified. */
export async function offerPilot(
  tx: Tx,
  event: { prospect_id: string; pilot_id: string; operator: string },
): Promise<void> {
  await holdSprint(tx)
  const { state } = await moved(tx, event.prospect_id, 'pilot_offered')
  await appendProspectEvent(tx, { ...event, event: 'moved', state })
}

/** Binds the prospect of a pilot to the agent and account of its checkout, unless it or they are bound already. */
export async function bindInvited(
  tx: Tx,
  { pilot_id, prospect_id, client }: Pick<PilotRow, 'pilot_id' | 'prospect_id' | 'client'>,
  agent_id: string,
): Promise<void> {
  if (prospect_id === null) return
  // Alone, so that nothing else binds the same agent and account at once.
  await holdSprint(tx, true)
  const prospect = await prospects.requireLocked(tx, prospect_id)
  await bind(tx, prospect, { agent_id, customer_account: accountOf(client), pilot_id })
}

type Bound = { agent_id: string; customer_account: string | null }
/** Binds a locked prospect, and records by whom: an operator, or the checkout of its pilot. False where it or these are bound. */
async function bind(
  tx: Tx,
  { prospect_id, state }: Pick<ProspectRow, 'prospect_id' | 'state'>,
  bound: Bound & ({ operator: string } | { pilot_id: string }),
): Promise<boolean> {
  if (!(await bindProspect(tx, prospect_id, bound))) return false
  await appendProspectEvent(tx, { prospect_id, event: 'bound', state, ...bound })
  return true
}

/** Moves a prospect; one that has paid may still get messages. */
async function moved(tx: Tx, prospectId: string, event: Move) {
  const prospect = await prospects.requireLocked(tx, prospectId)
  const state = move('the prospect', prospectTransitions, prospect.state, event)
  if (state !== prospect.state) await prospects.update(tx, prospectId, { state, state_since: now })
  return { state, prospect }
}

function movedBy(to: ProspectState): Move {
  if (to === 'replied' || to === 'qualified' || to === 'declined') return to
  throw refuse('wrong_state', {
    detail: `${to} follows from records, and is not recorded`,
    next_action:
      'Record a message, invite it to a pilot, offer a paid next step, or wait for its payment and run.',
  })
}

async function bindingOf(
  tx: Tx,
  { agent_id, customer_account }: Binding,
): Promise<Bound | undefined> {
  if (agent_id === undefined) {
    if (customer_account === undefined) return undefined
    throw refuse('invalid_request', {
      detail: 'a customer account is one of an agent',
      errors: [{ pointer: '/customer_account', message: 'needs agent_id' }],
    })
  }
  if ((await findAgent(tx, agent_id)) === undefined)
    throw refuse('not_found', { detail: 'no such agent' })
  return { agent_id, customer_account: customer_account ?? null }
}

function prospectView(row: ProspectRow, events: readonly ProspectEventRow[]) {
  const history = events
    .filter(({ prospect_id }) => prospect_id === row.prospect_id)
    .map((event) => viewOf(ProspectEvent, event))
  const state = row.state_now
  const rests = isPaid(state)
    ? history.find(({ event }) => event === 'bound')
    : history.find((entry) => entry.state === state)
  return viewOf(Prospect, { ...row, state, rests_on: rests?.seq ?? null, history })
}

const boundElsewhere = () =>
  refuse('already_bound', { detail: 'the prospect, or its agent and account, is bound already' })
