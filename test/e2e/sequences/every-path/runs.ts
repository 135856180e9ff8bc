import { expect } from 'vitest'
import type { InputOf } from '../../../../api/http/client.ts'
import { buyRun, freshKey } from '../../../support/agent-use.ts'
import { begunTask } from '../../../support/agreed-task.ts'
import { agent, type Kept, memberOf, open, type Rows, receipt } from './row.ts'
import type { World } from './world.ts'

const runKept = (read: Kept['in']): Kept => ({ in: read, as: agent, id: 'run_id' })
const statusKept: Kept = {
  in: 'get-run-status',
  as: agent,
  id: 'run_id',
  by: (run_id) => ({ mode: 'get_run_status', run_id }),
}
const sandboxKept: Kept = {
  in: 'agent-sandbox-read',
  as: ({ holder }, answer) => holder(String(memberOf(answer, 'task_token'))),
  id: 'run_id',
  by: () => ({}),
}
type RailKey = 'packetops' | 'diligenceops' | 'energyops' | 'tokenops' | 'financeops'
/** What a start of a run says, of a new quote that is paid where it is said. */
export async function terms(world: World, rail: RailKey = 'packetops', isPaid = true) {
  const paid = isPaid ? await world.paid(rail) : undefined
  const quote_id = paid?.quote_id ?? (await world.quote(rail)).quote_id
  return {
    tier: 'standard' as const,
    quote_id,
    input: world.input(rail),
    on_gaps: 'report' as const,
    accept_terms: true as const,
    idempotency_key: freshKey(),
    ...(paid === undefined ? {} : { payment_reference_id: paid.payment_reference_id }),
  }
}
type Start = InputOf<'start-agent-run'>
const start = async (world: World, isPaid = true): Promise<Start> => ({
  mode: 'start_agent_run',
  rail: 'packetops',
  ...(await terms(world, 'packetops', isPaid)),
})
/** A run that is paid and waits for its review. */
const funded = async (world: World): Promise<string> =>
  (await world.agent.client.call('start-agent-run', await start(world))).body.run.run_id
const closedRuns = new WeakMap<World, ReturnType<typeof buyRun>>()
/** The package of a run that was paid, reviewed and delivered. */
export async function closed(world: World) {
  const bought = closedRuns.get(world) ?? buyRun(world.agent)
  closedRuns.set(world, bought)
  return (await bought).return_package
}
const state = (read: (run_id: string) => object) => ({
  as: agent,
  ask: async (world: World) => read(await funded(world)) as never,
  other: async (world: World) => read((await closed(world)).run_id) as never,
})
const clearing = (run_id: string) => ({
  run_id,
  obligation: {
    statement: 'One standard run of packetops on the input of that digest.',
    amount_usd: 107,
  },
  policy_scope: { rails: ['packetops' as const], amount_usd_max: 107 },
  idempotency_key: freshKey(),
})
const cleared = async (world: World, run_id: string) =>
  (await world.agent.client.call('clearing-run', clearing(run_id))).body.clearing_id
const scout = (world: World) => ({
  rail: 'scout' as const,
  tier: 'standard' as const,
  input: world.input('scout'),
  on_gaps: 'report' as const,
  accept_terms: true as const,
  idempotency_key: freshKey(),
})
const walletRun = async (world: World, isRich: boolean) => ({
  rail: 'packetops' as const,
  ...(await terms(world, 'packetops', false)),
  wallet_id: await world.wallet(isRich ? 50_000 : 0),
})
/** Nothing waits for anyone in a sandbox run, so it moves on between two calls. */
const sandboxVaries = {
  run: 'A repeat shows how far the run is by then.',
  receipts: 'A repeat shows the receipts that there are by then.',
}
const sandbox = (rail: 'packetops' | 'tokenops') => ({ rail, idempotency_key: freshKey() })
/** The holder of a sandbox run that is over, so that nothing of it moves any more. */
const rested = async ({ open: by, holder }: World, rail: 'packetops' | 'tokenops') => {
  const own = holder((await by.call('agent-sandbox-run', sandbox(rail))).body.run.task_token)
  const read = async () => (await own.call('agent-sandbox-read', {})).body
  await expect.poll(async () => memberOf(await read(), 'state')).toBe('closed')
  return own
}
const submitted = async (world: World, usage: 'synthetic' | 'operational') =>
  (await (
    await (await agreedOf(world, usage)).submit()
  ).body) as object
async function agreedOf(world: World, usage: 'synthetic' | 'operational') {
  const agreed = await (await begunTask(world.agent, { usage })).agree()
  await agreed.accept()
  return agreed
}
/** The agent takes over a delivered run, or disputes one that is not delivered. */
const acknowledged = async (world: World, accepted: boolean) => {
  const run_id = accepted ? (await closed(world)).run_id : await funded(world)
  const { usage_receipt_id, settlement_receipt_id } = await world.agent.status(run_id)
  const asked = { mode: 'record_agent_use_receipt', run_id, accepted } as const
  const receipt_id = accepted ? usage_receipt_id : settlement_receipt_id
  const input = { ...asked, receipt_id, idempotency_key: freshKey() }
  return (await world.agent.client.call('record-agent-use-receipt', input as never)).body
}

/** Runs: sandbox, bought, of loops and of wallets, and what remains of them. */
export const runRows: Rows = {
  'agent-quickstart-run': {
    as: open,
    ask: () => sandbox('packetops'),
    other: () => sandbox('tokenops'),
    kept: sandboxKept,
    varies: sandboxVaries,
  },
  'agent-sandbox-run': {
    as: open,
    ask: () => sandbox('packetops'),
    other: () => ({ ...sandbox('tokenops'), fault: 'callback_failure' }),
    kept: sandboxKept,
    varies: sandboxVaries,
  },
  'agent-sandbox-read': {
    as: (world) => rested(world, 'packetops'),
    thenAs: (world) => rested(world, 'tokenops'),
    ask: {},
  },
  'start-agent-run': {
    as: agent,
    ask: (world) => start(world, false),
    other: (world) => start(world),
    kept: statusKept,
  },
  'get-run-status': state((run_id) => ({ mode: 'get_run_status', run_id })),
  'agent-use-read': state((run_id) => ({ run_id })),
  'read-agent-use-runs': {
    as: agent,
    ask: { mode: 'read_agent_use_runs', state: 'created' },
    other: async (world) => {
      await funded(world)
      return { mode: 'read_agent_use_runs', state: 'credit_funded' }
    },
  },
  'fetch-return-package': {
    as: agent,
    ask: async (world) => ({
      mode: 'fetch_return_package',
      run_id: (await closed(world)).run_id,
    }),
    other: async (world) => ({
      mode: 'fetch_return_package',
      run_id: (await closed(world)).run_id,
      include_files: true,
    }),
  },
  'record-agent-use-receipt': {
    calls: [(world) => acknowledged(world, false), (world) => acknowledged(world, true)],
    kept: receipt,
  },
  'self-serve-loop-read': state((run_id) => ({ run_id })),
  'self-serve-loop-submit': {
    calls: [(world) => submitted(world, 'synthetic'), (world) => submitted(world, 'operational')],
    kept: runKept('self-serve-loop-read'),
  },
  'loops-read': state((run_id) => ({ run_id })),
  'loop-start': {
    as: agent,
    ask: async (world) => ({ rail: 'tokenops', ...(await terms(world, 'tokenops', false)) }),
    other: scout,
    kept: runKept('loops-read'),
  },
  'packet-loop-read': {
    as: agent,
    ask: {},
    other: async (world) => {
      const input = await terms(world)
      const { run } = (await world.agent.client.call('packet-loop-start', input)).body
      return { run_id: run.run_id }
    },
  },
  'packet-loop-start': {
    as: agent,
    ask: (world) => terms(world, 'packetops', false),
    other: (world) => terms(world),
    kept: runKept('packet-loop-read'),
  },
  'diligence-loop-read': {
    as: agent,
    ask: {},
    other: async (world) => {
      const input = await terms(world, 'diligenceops')
      const { run } = (await world.agent.client.call('diligence-loop-start', input)).body
      return { run_id: run.run_id }
    },
  },
  'diligence-loop-start': {
    as: agent,
    ask: (world) => terms(world, 'diligenceops', false),
    other: (world) => terms(world, 'diligenceops'),
    kept: runKept('diligence-loop-read'),
  },
  'wallet-run-start': {
    as: agent,
    ask: (world) => walletRun(world, false),
    other: (world) => walletRun(world, true),
    kept: runKept('wallet-run-read'),
  },
  'wallet-run-read': {
    as: agent,
    ask: {},
    other: async (world) => {
      const input = await walletRun(world, true)
      const { work_order } = (await world.agent.client.call('wallet-run-start', input)).body
      return { run_id: String(work_order.run_id) }
    },
  },
  'clearing-read': {
    as: agent,
    ask: async (world) => ({ clearing_id: await cleared(world, await funded(world)) }),
    other: async (world) => ({ clearing_id: await cleared(world, (await closed(world)).run_id) }),
  },
  'clearing-run': {
    as: agent,
    ask: async (world) => clearing(await funded(world)),
    other: async (world) => clearing((await closed(world)).run_id),
    kept: { in: 'clearing-read', as: agent, id: 'clearing_id' },
  },
}
