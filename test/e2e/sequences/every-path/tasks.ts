import { vi } from 'vitest'
import { acceptanceText } from '#domain/agents/signature.ts'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { freshKey } from '../../../support/agent-use.ts'
import { begunTask } from '../../../support/agreed-task.ts'
import { openExchange, packetWork } from '../../../support/exchange.ts'
import { agent, type Kept, memberOf, open, type Rows } from './row.ts'
import { closed } from './runs.ts'
import type { World } from './world.ts'

type Usage = 'synthetic' | 'operational'
const holderOf: Kept['as'] = ({ holder }, answer) => holder(String(memberOf(answer, 'task_token')))
const taskKept = (read: Kept['in'], id: string): Kept => ({
  in: read,
  as: holderOf,
  id,
  by: () => ({}),
})
const begun = ({ agent: by }: World, usage: Usage) => begunTask(by, { usage })
/** A task whose steps are sent to a receiver. */
const calledBack = ({ agent: by, apis }: World) =>
  begunTask(by, { callback_url: `${apis.config.BASE_URL}${demoReceiverPath}?receiver=preflight` })
const contractKept: Kept = { in: 'contract-read', as: agent, id: 'contract_id' }
const prepared = async (world: World, criterion: string, usage: Usage = 'operational') => {
  const { task_token } = await begun(world, usage)
  const asked = { task_token, acceptance_criteria: [criterion], idempotency_key: freshKey() }
  return (await world.agent.client.call('contract-prepare', asked)).body
}
/** Accepts a contract, with the quote that is to pay it or none. */
async function accepted(world: World, isQuoted: boolean) {
  const { contract_id, terms_sha256 } = (await prepared(world, 'Each section.')).contract
  return (
    await world.agent.client.call('contract-accept', {
      contract_id,
      terms_sha256,
      signature: world.agent.agent.signText(acceptanceText(contract_id, terms_sha256)),
      ...(isQuoted ? { quote_id: (await world.quote('packetops')).quote_id } : {}),
      idempotency_key: freshKey(),
    })
  ).body
}
/** A task with an exception of its holder. */
async function raised(world: World, usage: Usage = 'synthetic') {
  return raisedAbout((await begun(world, usage)).task_token, world, 'wrong')
}
/** An exception of a task that has a contract, to which it returns. */
async function raisedLater(world: World) {
  const { task_token } = await begun(world, 'synthetic')
  const asked = { task_token, idempotency_key: freshKey() }
  await world.agent.client.call('contract-prepare', asked)
  return raisedAbout(task_token, world, 'the packet names another certificate')
}
async function raisedAbout(task_token: string, world: World, detail: string) {
  const raising = { code: 'caller_dispute', detail, idempotency_key: freshKey() } as const
  const { body } = await world.holder(task_token).call('task-exception-raise', raising)
  return { ...body, task_token }
}
async function recovered(world: World, action: 'replay' | 'abandon') {
  const { exception, task_token } = await raised(world)
  const { exception_id } = exception
  const asked = { exception_id, action, idempotency_key: freshKey() }
  const { body } = await world.holder(task_token).call('task-recover', asked)
  return { ...body, task_token }
}
async function replayable(world: World, usage: Usage) {
  const { exception, task_token } = await raised(world, usage)
  const { exception_id } = exception
  const asked = { exception_id, idempotency_key: freshKey() }
  const { body } = await world.holder(task_token).call('task-replay-prepare', asked)
  return { ...body, task_token }
}
const attested = async (world: World, isClosed: boolean) => {
  if (!isClosed) {
    const { task_token } = await recovered(world, 'abandon')
    const holder = world.holder(task_token)
    // It is attested once it has closed, a moment after it was abandoned.
    await vi.waitFor(() => holder.call('task-attestation', {}), { timeout: 60_000, interval: 200 })
    return holder
  }
  const { task_token } = await world.agent.status((await closed(world)).run_id)
  return world.holder(task_token)
}
const tokenOf = async (made: Promise<{ task_token: string }>, { holder }: World) =>
  holder((await made).task_token)

const order = (objective: string) => ({ ...exampleOrder, objective, idempotency_key: freshKey() })
const ordered = async ({ open, agent: { client } }: World, objective: string, isAgent = false) =>
  (await (isAgent ? client : open).call('work-order-create', order(objective) as never)).body

const markets = new WeakMap<World, ReturnType<typeof newMarket>>()
async function newMarket({ hosts, apis }: World) {
  const market = await openExchange(hosts, apis.operator)
  return { market, worker: await market.agent() }
}
function marketOf(world: World) {
  const opened = markets.get(world) ?? newMarket(world)
  markets.set(world, opened)
  return opened
}
async function claimed(world: World, note: string) {
  const { market, worker } = await marketOf(world)
  const { work_order_id } = await market.order(3_600_000, note)
  const { body } = await worker.claim(work_order_id)
  return { body, worker, named: { work_order_id, claim_id: body.claim.claim_id } }
}
async function delivered(world: World, note: string) {
  const { worker, named } = await claimed(world, note)
  return (await worker.deliver(named, packetWork())).body
}
async function released(world: World, note: string) {
  const { worker, named } = await claimed(world, note)
  return (await worker.release(named)).body
}
const claimKept: Kept = {
  in: 'exchange-read',
  as: async (world) => (await marketOf(world)).worker.client,
  id: 'claim_id',
}

/** Tasks with their contracts, exceptions and replays, and orders on the exchange. */
export const taskRows: Rows = {
  preflight: {
    calls: [(world) => begun(world, 'synthetic'), calledBack],
    kept: taskKept('task-ledger', 'task_id'),
  },
  'contract-prepare': {
    calls: [
      (world) => prepared(world, 'Each section.'),
      (world) => prepared(world, 'No gap.', 'synthetic'),
    ],
    kept: contractKept,
  },
  'contract-read': {
    as: agent,
    ask: async (world) => ({
      contract_id: (await prepared(world, 'No gap.')).contract.contract_id,
    }),
    other: async (world) => ({ contract_id: (await accepted(world, false)).contract.contract_id }),
  },
  'contract-accept': {
    calls: [(world) => accepted(world, false), (world) => accepted(world, true)],
    kept: contractKept,
  },
  'task-ledger': {
    as: (world) => tokenOf(begun(world, 'synthetic'), world),
    thenAs: (world) => tokenOf(raised(world), world),
    ask: {},
  },
  'task-exceptions': {
    as: (world) => tokenOf(begun(world, 'synthetic'), world),
    thenAs: (world) => tokenOf(raised(world), world),
    ask: {},
  },
  'task-exception-raise': {
    calls: [(world) => raised(world), raisedLater],
    kept: taskKept('task-exceptions', 'exception_id'),
  },
  'task-recover': {
    calls: [(world) => recovered(world, 'replay'), (world) => recovered(world, 'abandon')],
    kept: taskKept('task-exceptions', 'exception_id'),
  },
  'task-attestation': {
    as: (world) => attested(world, false),
    thenAs: (world) => attested(world, true),
    ask: {},
  },
  'task-replay-prepare': {
    calls: [(world) => replayable(world, 'synthetic'), (world) => replayable(world, 'operational')],
    kept: taskKept('task-replay-package', 'replay_id'),
  },
  'task-replay-package': {
    as: (world) => tokenOf(replayable(world, 'synthetic'), world),
    thenAs: (world) => tokenOf(replayable(world, 'operational'), world),
    ask: {},
  },
  'work-orders-read': {
    calls: [
      async (world) => (await world.open.call('work-orders-read', {})).body,
      async (world) => {
        const { work_order, status_token } = await ordered(world, 'A packet.')
        const { work_order_id } = work_order
        const by = world.holder(String(status_token))
        return (await by.call('work-orders-read', { work_order_id })).body
      },
    ],
  },
  'work-order-create': {
    calls: [(world) => ordered(world, 'A packet.'), (world) => ordered(world, 'A manifest.', true)],
    kept: { in: 'work-orders-read', as: agent, id: 'work_order_id' },
  },
  'exchange-read': {
    as: open,
    ask: {},
    change: async (world) => (await marketOf(world)).market.order(),
  },
  'exchange-claim': {
    calls: [
      async (world) => (await claimed(world, 'paid at once')).body,
      async (world) => (await claimed(world, 'paid on acceptance')).body,
    ],
    kept: claimKept,
  },
  'exchange-deliver': {
    calls: [
      (world) => delivered(world, 'paid at once'),
      (world) => delivered(world, 'paid on acceptance'),
    ],
    kept: claimKept,
  },
  'exchange-release': {
    calls: [
      (world) => released(world, 'paid at once'),
      (world) => released(world, 'paid on acceptance'),
    ],
    kept: claimKept,
  },
}
