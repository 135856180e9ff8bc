import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { InputOf, OutputOf } from '../../../api/http/client.ts'
import { claimAccessKey, clientOf, registerAgent } from '../../../clients/typescript/src/index.ts'
import type { Fixture } from './fixture.ts'

/** Credit that is bought at once; each quote is for one run more. */
const RUNS_PER_QUOTE = 100
const bought = { rail: packetops.key, tier: 'entry' } as const

/** Starts a run over HTTP, which continues by itself until its task is closed. */
export type Buyer = {
  (): Promise<OutputOf<'start-agent-run'>['run']>
  /** What the next run is started with. */
  input(): Promise<InputOf<'start-agent-run'>>
  credential: string
}

/** An agent of the sandbox, which gives its synthetic runs their credit and their reviews. */
export async function openBuyer({ stack }: Pick<Fixture, 'stack'>): Promise<Buyer> {
  const [baseUrl = '', osUrl = ''] = [stack.baseUrls[0], stack.osUrls[0]]
  const manifest = {
    name: 'Bench',
    contact: { email: 'bench@agent.example' },
    rails: [bought.rail],
    sandbox: true,
  }
  const agent = await registerAgent(
    { baseUrl, osUrl },
    { ...manifest, requested_scopes: ['runs:read', 'runs:write'] },
  )
  const credential = await claimAccessKey(agent)
  const keyed = clientOf(agent, credential)
  const quotes: Promise<string>[] = []
  const quote = async (units: number) =>
    (await keyed.call('agent-quote', { ...bought, units })).body.quote.quote_id
  let started = 0
  const input = async () => {
    const nth = Math.floor(started++ / RUNS_PER_QUOTE)
    quotes[nth] ??= quote(RUNS_PER_QUOTE + nth)
    return {
      mode: 'start_agent_run' as const,
      ...bought,
      quote_id: await quotes[nth],
      input: packetops.sandboxInput as InputOf<'start-agent-run'>['input'],
      usage: 'synthetic' as const,
      on_gaps: 'report' as const,
      accept_terms: true as const,
      idempotency_key: randomUUID(),
    }
  }
  const start = async () => (await keyed.call('start-agent-run', await input())).body.run
  return Object.assign(start, { input, credential })
}

/** Resolves when all of these tasks are closed; throws when one is stopped. */
export async function closed({ rail }: Fixture, taskIds: readonly string[]): Promise<void> {
  for (;;) {
    const { rows } = await rail.query<{ state: string }>(
      'select distinct state from tasks where task_id = any($1)',
      [taskIds],
    )
    if (rows.every(({ state }) => state === 'closed')) return
    if (rows.some(({ state }) => state === 'exception_open'))
      throw new Error('a task of the bench was stopped')
    await sleep(10)
  }
}
