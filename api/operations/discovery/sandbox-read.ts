import { z } from 'zod'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { subjectOf } from '../agents/caller.ts'
import { Rail } from '../agents/shapes.ts'
import { Run } from '../runs/shapes.ts'
import { contractSchema } from './contract-shape.ts'

const contract = contractSchema('Runs of the sandbox by state.', { rails: z.array(Rail) }).meta({
  id: 'SandboxContract',
})
const followed = z
  .strictObject({
    run: Run,
    ledger_head: z.strictObject({ sequence: z.int().min(1), hash: Digest }),
  })
  .meta({ id: 'FollowedSandboxRun' })

/** GET /api/agent-sandbox: what the sandbox takes; with the status token of a run, that run. */
export const agentSandboxRead = operation({
  id: 'agent-sandbox-read',
  summary: 'Read what the sandbox takes, or how far the run of your status token is.',
  http: { method: 'GET', path: '/api/agent-sandbox', host: 'base' },
  access: ['status', 'public'],
  statusToken: { prefixes: ['tk'], signed: false },
  output: z.union([followed, contract]),
  handle: async (_input, context) => {
    if (context.caller.kind === 'status')
      return { body: await context.sandbox.read(subjectOf(context)) }
    return { body: await context.contracts.sandbox() }
  },
})
