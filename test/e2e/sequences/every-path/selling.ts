import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { listedAgent } from '../../../support/listings.ts'
import { storeFinishedTask } from '../../../support/paid-run.ts'
import { intakeInput, invitationsOf, requestedPilot } from '../../../support/pilots.ts'
import {
  agent,
  type Caller,
  type Kept,
  memberOf,
  open,
  operator,
  type Rows,
  receipt,
} from './row.ts'
import type { World } from './world.ts'

/** Who holds the token that the answer gave out. */
const holder =
  (name: string): Caller =>
  ({ holder: of }, answer) =>
    of(String(memberOf(answer, name)))
const pilotKept = (as: Caller): Kept => ({
  in: 'pilot-intake-read',
  as,
  id: 'pilot_id',
  by: () => ({}),
})
const prospectKept: Kept = {
  in: 'read-prospects',
  as: operator,
  id: 'prospect_id',
  by: () => ({ mode: 'read_prospects', limit: 100 }),
}
const invitations = ({ hosts, apis }: World) => invitationsOf(hosts, apis.operator)
const invitation = (rail: 'financeops' | 'tokenops') => (world: World) =>
  invitations(world).input({ rail })
const entry = (pilot_id: string, kind: 'question' | 'message', text: string) => ({
  pilot_id,
  kind,
  text,
  idempotency_key: freshKey(),
})
const pilotOf = async ({ hosts }: World, more: Parameters<typeof intakeInput>[0] = {}) =>
  requestedPilot(hosts.base, more)

const prospect = (channel: 'email' | 'agent', agent_id?: string) => ({
  mode: 'create_prospect' as const,
  label: `Lead ${freshKey()}`,
  channel,
  ...(agent_id === undefined ? {} : { agent_id }),
  idempotency_key: freshKey(),
})
const prospectOf = async ({ operator: by }: World, agent_id?: string) =>
  (await by.call('create-prospect', prospect('agent', agent_id))).body.prospect.prospect_id
const message = (prospect_id: string) => ({
  mode: 'record_message_sent' as const,
  prospect_id,
  message_sha256: digestOf({ fresh: freshKey() }),
  sent_at: new Date().toISOString(),
  idempotency_key: freshKey(),
})
const send = async (world: World) =>
  world.operator.call('record-message-sent', message(await prospectOf(world)))
const moved = (prospect_id: string, to: 'replied' | 'declined') => ({
  mode: 'update_prospect_state' as const,
  prospect_id,
  to,
  reason: 'wrote back',
  received: {
    message_sha256: sha256Hex(freshKey()),
    channel: 'email' as const,
    received_at: new Date().toISOString(),
  },
  idempotency_key: freshKey(),
})
/** A prospect whose agent has had a run delivered. */
async function served(world: World) {
  const buyer = await world.newAgent()
  const agentId = buyer.registered.agent.agent_id
  const prospect_id = await prospectOf(world, agentId)
  const { quote_id } = await buyer.quote()
  const { payment_reference_id, entitlement_id } = await buyer.pay(quote_id)
  await buyer.approve('payment_reference', payment_reference_id)
  const { body } = await buyer.client.call('payment-rail-read', { payment_reference_id })
  const usageReceiptId = String(memberOf(body, 'settlement_receipt_id'))
  const run = {
    agentId,
    entitlementId: entitlement_id,
    usage: 'operational',
    usageReceiptId,
  } as const
  await storeFinishedTask(world.apis.db, run)
  return prospect_id
}
/** A prospect who was written to. */
async function messaged(world: World): Promise<string> {
  const id = await prospectOf(world)
  await world.operator.call('record-message-sent', message(id))
  return id
}
const offer = (prospect_id: string, tier: 'entry' | 'standard') => ({
  prospect_id,
  to: 'paid_next_step_ready' as const,
  tier,
  idempotency_key: freshKey(),
})
const launch = (rail: 'tokenops' | 'financeops') => ({
  rail,
  tier: 'standard' as const,
  objective: 'Match the open invoices.',
  customer_account: 'northwind-emea',
  idempotency_key: freshKey(),
})
const summary = (note: string) => ({
  mode: 'record_sprint_summary' as const,
  note,
  close: false,
  idempotency_key: freshKey(),
})

/** An agent whose listing an operator has approved. */
async function listed(world: World) {
  const agentOf = await listedAgent(world.hosts, world.apis.operator)
  await world.review('listing', agentOf.listingId)
  return agentOf
}
/** A listing that rests on so many uses of credit. */
const created = async ({ hosts, apis }: World, display_name: string, uses: number) =>
  (await listedAgent(hosts, apis.operator, display_name, uses)).created
async function badge(world: World, months: number) {
  const { call, listingId: trust_listing_id } = await listed(world)
  const quoting = { mode: 'quote_trust_badge_fee', trust_listing_id, months } as const
  const { body } = await call('quote-trust-badge-fee', quoting)
  const { quote_id } = body.quote
  const plan = async () => {
    const planning = { mode: 'create_trust_badge_plan', trust_listing_id, quote_id } as const
    return (await call('create-trust-badge-plan', { ...planning, idempotency_key: freshKey() }))
      .body
  }
  return { call, trust_listing_id, quote_id, body, plan }
}
const quoted = async (world: World, months: number) => (await badge(world, months)).body
const planned = async (world: World, months: number) => (await badge(world, months)).plan()
async function presented(world: World, months: number) {
  const { call, trust_listing_id, quote_id, plan } = await badge(world, months)
  const { listing } = await plan()
  const external_reference = `INV-${freshKey()}`
  const paid = { quote_id, method: 'invoice_reference', external_reference } as const
  const made = await call('payment-reference-create', { ...paid, idempotency_key: freshKey() })
  const recorded = await call('record-trust-badge-fee-event', {
    mode: 'record_trust_badge_fee_event',
    trust_listing_id,
    commercial_plan_id: String(listing.commercial_plan_id),
    event: 'presented',
    payment_reference_id: made.body.payment_reference.payment_reference_id,
    idempotency_key: freshKey(),
  })
  return recorded.body
}
const listingKept: Kept = { in: 'trust-listing-read', as: operator, id: 'trust_listing_id' }

/** Pilots, prospects and listings. */
export const sellingRows: Rows = {
  'pilot-intake-read': {
    as: async (world) => world.holder((await pilotOf(world)).status_token),
    thenAs: async (world) =>
      world.holder((await pilotOf(world, { rail: 'tokenops' })).status_token),
    ask: {},
  },
  'pilot-intake-submit': {
    as: open,
    ask: () => intakeInput(),
    other: () => intakeInput({ rail: 'tokenops' }),
    kept: pilotKept(holder('status_token')),
  },
  'pilot-invite': {
    as: operator,
    ask: invitation('financeops'),
    other: invitation('tokenops'),
    kept: pilotKept(holder('invitation_token')),
  },
  'outreach-pack': { as: operator, ask: { rail: 'packetops' }, other: { rail: 'tokenops' } },
  'invitation-read': {
    as: async (world) => world.holder((await invitations(world).invite()).invitation_token),
    thenAs: async (world) =>
      world.holder((await invitations(world).invite({ rail: 'tokenops' })).invitation_token),
    ask: {},
  },
  'invitation-respond': {
    as: async (world) => world.holder((await invitations(world).invite()).invitation_token),
    ask: () => ({ response: 'ask_question', message: 'When?', idempotency_key: freshKey() }),
    other: () => ({ response: 'decline', idempotency_key: freshKey() }),
    kept: receipt,
  },
  'pilot-conversation-read': {
    as: operator,
    ask: async (world) => ({ pilot_id: (await pilotOf(world)).pilot.pilot_id }),
    other: async (world) => {
      const { pilot_id } = (await pilotOf(world)).pilot
      await world.operator.call('pilot-conversation-add', entry(pilot_id, 'message', 'Hello.'))
      return { pilot_id }
    },
  },
  'pilot-conversation-add': {
    as: operator,
    ask: async (world) => entry((await pilotOf(world)).pilot.pilot_id, 'message', 'Hello.'),
    // The pilot is activated before.
    other: async (world) => {
      const { pilot_id } = (await pilotOf(world)).pilot
      await world.review('pilot', pilot_id)
      return entry(pilot_id, 'question', 'When?')
    },
    kept: {
      in: 'pilot-conversation-read',
      as: operator,
      id: 'entry_id',
      by: (_id, answer) => ({ pilot_id: memberOf(answer, 'pilot_id') }),
    },
  },
  'offers-read': { as: open, ask: { rail: 'tokenops' }, other: { rail: 'financeops' } },
  'offer-launch': {
    as: agent,
    ask: () => launch('tokenops'),
    other: () => launch('financeops'),
    kept: {
      in: 'pilot-conversation-read',
      as: operator,
      id: 'pilot_id',
    },
  },
  'first-pilot-read': {
    as: operator,
    ask: async (world) => ({ pilot_id: (await pilotOf(world)).pilot.pilot_id }),
    other: async (world) => {
      const { pilot_id } = (await pilotOf(world)).pilot
      await world.review('pilot', pilot_id)
      return { pilot_id }
    },
  },
  'sprint-read': { as: open, ask: {}, change: send },
  'read-live-prospect-sprint': {
    as: open,
    ask: { mode: 'read_live_prospect_sprint' },
    change: send,
  },
  'create-prospect': {
    as: operator,
    ask: () => prospect('email'),
    change: send,
    other: () => prospect('agent'),
    kept: prospectKept,
  },
  'record-message-sent': {
    as: operator,
    ask: async (world) => message(await prospectOf(world)),
    other: async (world) => message(await messaged(world)),
    kept: { ...prospectKept, id: 'message_sha256' },
  },
  'update-prospect-state': {
    as: operator,
    ask: async (world) => moved(await messaged(world), 'replied'),
    other: async (world) => moved(await messaged(world), 'declined'),
    kept: prospectKept,
  },
  'read-prospects': {
    as: operator,
    ask: { mode: 'read_prospects' },
    change: (world) => prospectOf(world),
  },
  'record-sprint-summary': {
    as: operator,
    ask: () => summary('One of five messages is out.'),
    change: send,
    other: () => summary('Two of five messages are out.'),
    kept: receipt,
  },
  'paid-next-step-read': {
    as: operator,
    ask: {},
    change: async (world) =>
      world.operator.call('paid-next-step-mark', offer(await served(world), 'entry')),
  },
  'paid-next-step-mark': {
    as: operator,
    ask: async (world) => offer(await served(world), 'entry'),
    other: async (world) => offer(await served(world), 'standard'),
    kept: { in: 'paid-next-step-read', as: operator, id: 'prospect_id' },
  },
  'trust-listing-read': {
    as: operator,
    ask: async ({ hosts, apis }) => ({
      trust_listing_id: (await listedAgent(hosts, apis.operator)).listingId,
    }),
    other: async (world) => ({ trust_listing_id: (await listed(world)).listingId }),
  },
  'create-trust-listing': {
    calls: [
      (world) => created(world, 'Packet maker', 1),
      (world) => created(world, 'Ledger reader', 2),
    ],
    kept: listingKept,
  },
  'quote-trust-badge-fee': {
    calls: [(world) => quoted(world, 6), (world) => quoted(world, 12)],
    kept: listingKept,
  },
  'create-trust-badge-plan': {
    calls: [(world) => planned(world, 6), (world) => planned(world, 12)],
    kept: listingKept,
  },
  'record-trust-badge-fee-event': {
    calls: [(world) => presented(world, 6), (world) => presented(world, 12)],
    kept: receipt,
  },
  'read-trust-listings': {
    as: open,
    ask: { mode: 'read_trust_listings' },
    change: listed,
  },
}
