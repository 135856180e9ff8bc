import { setTimeout as sleep } from 'node:timers/promises'
import { railOf } from '#domain/rails/index.ts'
import {
  type Answer,
  type Client,
  createClient,
  type InputOf,
  ProblemError,
} from '../../../api/http/client.ts'
import { type Hosts, trustedAgent } from '../../support/registering-agent.ts'
import type { TestStack } from '../../support/stack.ts'

/** A run of an agent: its task once it was acknowledged, or why it was refused for good. */
export type StartedRun = { index: number; taskId: string | null; refused: unknown }

const AGAIN_MS = 500
const ANSWER_WITHIN_MS = 15_000
const AGENTS = 4

type Runner = { clients: readonly Client[]; rail: 'diligenceops' | 'packetops' }

/** Agents of the sandbox and trusted ones, in turn, each with a client of each API process. */
export async function openRunners({ baseUrls, osUrls, accounts }: TestStack): Promise<Runner[]> {
  const hosts: Hosts = { base: baseUrls[0] as string, os: osUrls[0] as string }
  const open = async (_: unknown, index: number): Promise<Runner> => {
    const sandbox = index % 2 === 0
    const rail = sandbox ? 'diligenceops' : 'packetops'
    const manifest: Parameters<typeof trustedAgent>[2] = {
      rails: [rail],
      requested_scopes: ['runs:read', 'runs:write'],
      sandbox,
    }
    const { credential: agent } = await trustedAgent(hosts, accounts.operator.credential, manifest)
    const clients = baseUrls.map((baseUrl, api) =>
      createClient({ baseUrl, osUrl: osUrls[api] as string, origin: hosts.base, agent }),
    )
    return { clients, rail }
  }
  return Promise.all(Array.from({ length: AGENTS }, open))
}

/** Starts a run and leaves: each call is repeated until it is acknowledged, and nothing asks for the run again. */
export async function startRun(
  runners: readonly Runner[],
  index: number,
  { key, until }: { key: string; until: () => number },
): Promise<StartedRun> {
  const { clients, rail } = runners[index % runners.length] as Runner
  const order = { rail, tier: 'entry' } as const
  try {
    const quoted = await acknowledged(clients, until, (client, signal) =>
      client.call('agent-quote', { ...order, idempotency_key: `quote-${key}` }, { signal }),
    )
    const input = {
      mode: 'start_agent_run',
      ...order,
      usage: 'synthetic',
      quote_id: quoted.quote.quote_id,
      input: railOf(rail).sandboxInput as InputOf<'start-agent-run'>['input'],
      on_gaps: 'report',
      accept_terms: true,
      idempotency_key: `start-${key}`,
    } as const
    const started = await acknowledged(clients, until, (client, signal) =>
      client.call('start-agent-run', input, { signal }),
    )
    return { index, taskId: started.run.task_id, refused: null }
  } catch (error) {
    return {
      index,
      taskId: null,
      refused: error instanceof ProblemError ? error.problem : String(error),
    }
  }
}

/** The first good answer; what is refused for good is thrown, as is the last error when the time is up. */
export async function acknowledged<Body>(
  clients: readonly Client[],
  until: () => number,
  call: (client: Client, signal: AbortSignal) => Promise<Answer<Body>>,
): Promise<Body> {
  for (let attempt = 0; ; attempt++) {
    try {
      const client = clients[attempt % clients.length] as Client
      return (await call(client, AbortSignal.timeout(ANSWER_WITHIN_MS))).body
    } catch (error) {
      const isFinal = error instanceof ProblemError && !error.problem.retryable
      if (isFinal || Date.now() > until()) throw error
      await sleep(AGAIN_MS)
    }
  }
}
