import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import {
  type Client,
  claimAccessKey,
  clientOf,
  createClient,
  type Run,
  registerAgent,
} from '../../clients/typescript/src/index.ts'
import type { Demo } from './demo-run.ts'
import { judgeOffline } from './offline.ts'

const ENDED = new Set(['closed', 'exception_open'])
const WAIT_MS = 1_000
const CLOSED_WITHIN_MS = 120_000

/**
 * A run of the sandbox over the public API, as a new agent does it: it registers, starts a run without money and without an
 * operator, and verifies the result with the published keys alone. Says each step of the run as it ends.
 */
export async function runDemoSandbox({
  hosts,
  run,
  directory,
  say,
}: Pick<Demo, 'hosts' | 'run' | 'directory' | 'say'>): Promise<void> {
  const agent = await registerAgent(hosts, {
    name: 'Demo of the sandbox',
    contact: { email: 'demo@agent.example' },
    rails: ['diligenceops'],
    requested_scopes: ['runs:read', 'runs:write'],
    sandbox: true,
  })
  say(`registered  ${agent.registered.agent.agent_id}, trusted at once: it is of the sandbox`)
  const client = clientOf(agent, await claimAccessKey(agent))
  const order = { rail: 'diligenceops', tier: 'entry' } as const
  const { quote } = (await client.call('agent-quote', order)).body
  const started = await client.call('start-agent-run', {
    mode: 'start_agent_run',
    ...order,
    usage: 'synthetic',
    quote_id: quote.quote_id,
    input: diligenceops.sandboxInput,
    on_gaps: 'report',
    accept_terms: true,
    idempotency_key: `${run}-sandbox`,
  })
  const { run_id, task_token } = started.body.run
  say(`run         ${run_id}: answers from documents to a questionnaire, and nothing to pay`)
  const holder = createClient({ ...hosts, statusToken: task_token })
  const { state } = await followRun(client, holder, { run_id, say })
  if (state !== 'closed') throw new Error(`the run of the sandbox is ${state}`)

  const fetched = await client.call('fetch-return-package', {
    mode: 'fetch_return_package',
    run_id,
  })
  const keys = (await client.call('jwks', {})).body
  const content = fetched.body.return_package
  say(`result      ${content.return_package_id}`)
  const { verdict } = await judgeOffline({ directory, say }, 'verify', {
    name: 'sandbox-package.json',
    content,
    keys,
  })
  say(`verified    ${verdict}, by the published keys alone`)
}

/** The run once it has ended; throws when that takes two minutes. */
async function followRun(
  client: Client,
  holder: Client,
  { run_id, say }: { run_id: string; say: Demo['say'] },
): Promise<Run> {
  const until = Date.now() + CLOSED_WITHIN_MS
  const said = new Set<string>()
  for (;;) {
    const asked = { mode: 'get_run_status', run_id, wait_ms: WAIT_MS } as const
    const { run } = (await client.call('get-run-status', asked)).body
    for (const { name, round, started_at, ended_at } of (await holder.call('task-steps', {})).body
      .steps) {
      const step = `${name} ${round}`
      if (ended_at === null || said.has(step)) continue
      said.add(step)
      say(`step        ${name.padEnd(16)} ${Date.parse(ended_at) - Date.parse(started_at)} ms`)
    }
    if (ENDED.has(run.state)) return run
    if (Date.now() > until) throw new Error(`the run of the sandbox is still ${run.state}`)
  }
}
