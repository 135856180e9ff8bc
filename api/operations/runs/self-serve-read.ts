import { z } from 'zod'
import { operation } from '../../operation.ts'
import { contractSchema } from '../discovery/contract-shape.ts'
import { runRead, runReader } from './run-read.ts'
import { Criterion, Run, RunId } from './shapes.ts'

const contract = contractSchema('Tasks by state.', { sequence: z.array(z.string()) }).meta({
  id: 'SelfServeLoopContract',
})

const followed = z
  .strictObject({
    run: Run,
    completion: z.strictObject({
      criteria: z.array(Criterion),
    }),
  })
  .meta({ id: 'SelfServeRun' })

const sequence = [
  'POST {base_url}/api/agents/register: submit_manifest; the answer has the trust state and the status URL',
  'POST {base_url}/api/agents/quote: request_quote',
  'POST {os_url}/api/agents/preflight: what is to be run, on which inputs by their digests',
  'POST {os_url}/api/agents/contracts, then …/contracts/{contract_id}: the registered key accepts the digest of the terms',
  'PUT {base_url}/api/agent-inputs/{sha256}: lists that are too long for a body',
  'POST {base_url}/api/agent-self-serve-rail-loop: submit_agent_run',
  'GET {base_url}/api/agent-self-serve-rail-loop?run_id=…: the verdict on each criterion',
]

/** GET /api/agent-self-serve-rail-loop: how an agent gets a run without help; with a run id, its progress. */
export const selfServeLoopRead = operation({
  id: 'self-serve-loop-read',
  summary:
    'Read how a run is submitted without help, or how far a run of your own meets what was agreed.',
  http: { method: 'GET', path: '/api/agent-self-serve-rail-loop', host: 'base' },
  ...runRead,
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([followed, contract]),
  handle: async ({ run_id }, context) => {
    if (run_id === undefined) return { body: { ...(await context.contracts.loop()), sequence } }
    return { body: await context.runs.completion(runReader(context), run_id) }
  },
})
