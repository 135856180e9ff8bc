import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import type { OperationId } from '../../../../api/http/client.ts'
import { eventually } from '../../../support/agent.ts'
import { freshKey, problemOf } from '../../../support/agent-use.ts'
import { usage } from '../../../support/authority.ts'
import { requestedPilot } from '../../../support/pilots.ts'
import { openWorkflows } from '../../../support/workflows.ts'
import { authorityOf } from './onboarding.ts'
import { agent, type Kept, memberOf, open, operator, type Row, type Rows, receipt } from './row.ts'
import { terms } from './runs.ts'
import type { World } from './world.ts'

const runKept = (read: Kept['in']): Kept => ({ in: read, as: agent, id: 'run_id' })
const callbackOf = ({ apis }: World) =>
  `${apis.config.BASE_URL}${demoReceiverPath}?receiver=p-${freshKey()}`
type Pilot = 'energyops' | 'tokenops' | 'financeops'
/** A start for an account of a customer, whose quote is paid where it is said. */
export async function production(world: World, isPaid: boolean) {
  const start = await terms(world, 'packetops', isPaid)
  const account = { customer_account: 'northwind-emea', callback_url: callbackOf(world) }
  return { rail: 'packetops' as const, ...start, ...account }
}
async function controlled(
  world: World,
  rail: Pilot,
  isPaid = true,
  steps: readonly ('runs:read' | 'runs:write')[] = [],
) {
  return {
    request: { objective: 'Whether our bill of November is right.' },
    tool_scope: [...steps, rail],
    ...(await terms(world, rail, isPaid)),
    callback_url: callbackOf(world),
  }
}
/** A paid pilot of these steps that an operator lets begin. */
async function begun(
  world: World,
  rail: 'energyops' | 'financeops',
  steps: readonly ('runs:read' | 'runs:write')[],
) {
  const named = rail === 'energyops' ? 'energyops-runtime' : 'financeops-runtime'
  const input = await controlled(world, rail, true, steps)
  const { body } = await world.agent.client.call(`${rail}-controlled-pilot-run`, input)
  const { ready_to_run } = (await world.operator.call(`${named}-runs-read`, {})).body
  const ready = ready_to_run.find(({ pilot_id }) => pilot_id === body.pilot.pilot_id)
  if (ready === undefined) throw new Error('a paid pilot was expected')
  const { is_paid: _paid, ...asked } = ready
  const decided = { ...asked, decision_note: 'known to us', idempotency_key: freshKey() }
  const { review_decision, ...made } = (await world.operator.call(`${named}-run`, decided)).body
  return { review_decision, ...made }
}
const controlledRows = (rail: Pilot): Rows => ({
  [`${rail}-controlled-pilot-read`]: {
    as: agent,
    ask: {},
    other: async (world: World) => {
      const input = await controlled(world, rail)
      const { body } = await world.agent.client.call(`${rail}-controlled-pilot-run`, input)
      return { run_id: body.run.run_id }
    },
  },
  [`${rail}-controlled-pilot-run`]: {
    as: agent,
    ask: (world: World) => controlled(world, rail, false),
    other: (world: World) => controlled(world, rail),
    kept: runKept(`${rail}-controlled-pilot-read`),
  },
})
const runtimeRows = (rail: 'energyops' | 'financeops'): Rows => {
  const read = `${rail}-runtime-runs-read` as const
  return {
    [read]: {
      as: operator,
      ask: { limit: '100' },
      change: async (world: World) =>
        world.agent.client.call(`${rail}-controlled-pilot-run`, await controlled(world, rail)),
    },
    [`${rail}-runtime-run`]: {
      varies: { run: 'A repeat shows how far the run is by then.' },
      calls: [
        (world: World) => begun(world, rail, ['runs:read']),
        (world: World) => begun(world, rail, ['runs:read', 'runs:write']),
      ],
      kept: {
        in: 'loop-audit-pack',
        as: operator,
        id: 'receipt_id',
        by: (_id: string, answer: unknown) => ({ run_id: memberOf(answer, 'run_id') }),
      },
    },
  }
}
/** A pilot that an operator has activated, and the start of its run. */
async function pilot(world: World, isPaid: boolean) {
  const { pilot: asked, status_token } = await requestedPilot(world.hosts.base, {
    rail: 'packetops',
  })
  await world.review('pilot', asked.pilot_id)
  const { customer_account: _account, ...start } = await production(world, isPaid)
  return { ...start, pilot_id: asked.pilot_id, pilot_token: status_token }
}

const schedulers = new WeakMap<World, ReturnType<typeof openWorkflows>>()
function schedulerOf(world: World) {
  const opened = schedulers.get(world) ?? openWorkflows(world.apis)
  schedulers.set(world, opened)
  return opened
}
const scheduler: Kept['as'] = async (world) => (await schedulerOf(world)).client
const workflowKept: Kept = { in: 'customer-workflow-read', as: scheduler, id: 'workflow_id' }
type Move = 'pause' | 'resume' | 'delete' | 'run'
async function moved(world: World, move: Move, cadence: 'daily' | 'weekly') {
  const by = await schedulerOf(world)
  const workflow_id = await by.active({ cadence })
  const go = async (to: Move) => {
    const terms = to === 'resume' ? { accept_terms: true } : {}
    const asked = { mode: `${to}_workflow`, workflow_id, idempotency_key: freshKey(), ...terms }
    return (await by.client.call(`customer-workflow-${to}` as OperationId, asked as never)).body
  }
  if (move === 'resume') await go('pause')
  return go(move)
}
const moves = (move: Move): Row<'customer-workflow-pause'> => ({
  calls: [(world) => moved(world, move, 'daily'), (world) => moved(world, move, 'weekly')],
  kept: workflowKept,
})
const scheduled = async (world: World, cadence: 'daily' | 'weekly') => {
  const by = await schedulerOf(world)
  return (await by.client.call('customer-workflow-create', by.input({ cadence }))).body
}

/** Stops the rail of the workflows, or lets it go again. */
const stopped = ({ operator: by }: World, isPaused: boolean) =>
  by.call('pause-set', {
    scope: 'rail',
    target: 'packetops',
    paused: isPaused,
    reason: 'its rules are being changed',
    idempotency_key: freshKey(),
  })

/** One that is sent, or a dry run. */
const submission = (dry_run: boolean) => ({
  directory: 'other.example',
  dry_run,
  idempotency_key: freshKey(),
})

type Suite = 'agent-harness' | 'external-invocation' | 'external-agent' | 'credential-test'
/** Runs one scenario of a suite against the service itself, to its end: few may be open at a time. */
export function tested({ open: by }: Pick<World, 'open'>, suite: Suite, scenario: string) {
  const asked = { scenarios: [scenario], idempotency_key: freshKey() }
  return eventually(
    async () =>
      (await by.call(`${suite}-run`, asked as never)).body as {
        test_run_id: string
        state: string
      },
    ({ state }) => state === 'completed',
    120_000,
  )
}
const suiteRows = (suite: Suite, [one, other]: readonly [string, string]): Rows => ({
  [`${suite}-run`]: {
    calls: [
      (world: World) => tested(world, suite, one),
      (world: World) => tested(world, suite, other),
    ],
    kept: { in: `${suite}-read`, as: open, id: 'test_run_id' },
  },
  [`${suite}-read`]: {
    as: open,
    ask: async (world: World) => ({ test_run_id: (await tested(world, suite, one)).test_run_id }),
    other: async (world: World) => ({
      test_run_id: (await tested(world, suite, other)).test_run_id,
    }),
  },
})
const persisted = async (world: World, suite: Suite, scenario: string) => {
  const { test_run_id } = await tested(world, suite, scenario)
  const asked = { mode: 'persist_regression_report', test_run_id } as const
  return (await world.operator.call('regression-persist', asked)).body
}
/** What an agent does under a mandate and a grant of it. */
async function executed(world: World, unit: string) {
  const authority = await authorityOf(world)
  const mandate = await authority.issue()
  const action = usage({ unit })
  const { signed_action_grant } = await authority.grant(mandate, action)
  return (await authority.execute(mandate, signed_action_grant, action)).body
}

/** Production for customers, pilots under control, schedules, and the tests of the service by itself. */
export const productionRows: Rows = {
  'production-runs-read': {
    as: agent,
    ask: { limit: '100' },
    change: async (world) =>
      world.agent.client.call('production-run-start', await production(world, true)),
  },
  'production-run-start': {
    as: agent,
    ask: (world) => production(world, false),
    other: (world) => production(world, true),
    kept: runKept('production-runs-read'),
  },
  'first-paid-run-read': {
    as: agent,
    ask: {},
    other: async (world) => {
      const input = await production(world, true)
      const { run } = (await world.agent.client.call('first-paid-run-execute', input)).body
      return { run_id: run.run_id }
    },
  },
  'first-paid-run-execute': {
    as: agent,
    ask: (world) => production(world, false),
    other: (world) => production(world, true),
    kept: runKept('first-paid-run-read'),
  },
  'first-pilot-run': {
    as: agent,
    ask: (world) => pilot(world, false),
    other: (world) => pilot(world, true),
    kept: { in: 'first-pilot-read', as: agent, id: 'pilot_id' },
  },
  ...controlledRows('energyops'),
  ...controlledRows('tokenops'),
  ...controlledRows('financeops'),
  ...runtimeRows('energyops'),
  ...runtimeRows('financeops'),
  'customer-workflow-read': {
    as: scheduler,
    ask: { limit: '100' },
    change: (world) => scheduled(world, 'daily'),
  },
  'customer-workflow-create': {
    calls: [
      async (world) => {
        await schedulerOf(world)
        await stopped(world, true)
        return problemOf(scheduled(world, 'weekly'))
      },
      async (world) => {
        await stopped(world, false)
        return scheduled(world, 'weekly')
      },
    ],
    kept: workflowKept,
  },
  'customer-workflow-pause': moves('pause'),
  'customer-workflow-resume': moves('resume') as Row<'customer-workflow-resume'>,
  'customer-workflow-delete': moves('delete') as Row<'customer-workflow-delete'>,
  'customer-workflow-run': {
    ...(moves('run') as Row<'customer-workflow-run'>),
    varies: { firings: 'A repeat shows what became of the firing by then.' },
  },
  'directory-submit': {
    as: operator,
    ask: () => submission(true),
    other: () => submission(false),
    kept: { in: 'directory-read', as: open, id: 'submission_id' },
  },
  ...suiteRows('agent-harness', ['discovery', 'MCP tools']),
  ...suiteRows('external-invocation', ['descriptor', 'tools/list']),
  ...suiteRows('external-agent', ['hand over', 'run']),
  ...suiteRows('credential-test', ['none', 'malformed']),
  'regression-persist': {
    calls: [
      (world) => persisted(world, 'agent-harness', 'discovery'),
      (world) => persisted(world, 'credential-test', 'none'),
    ],
    kept: receipt,
  },
  'execute-delegated-action': {
    calls: [(world) => executed(world, 'pages'), (world) => executed(world, 'questions')],
    refused: 'grant_consumed',
    kept: {
      in: 'usage-ledger-read',
      as: async (world) => (await authorityOf(world)).client,
      id: 'event_id',
    },
  },
}
