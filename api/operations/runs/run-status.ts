import { z } from 'zod'
import { WAIT_SECONDS_MAX } from '#domain/core/preference.ts'
import { operation } from '../../operation.ts'
import { moverOf } from '../agents/caller.ts'
import { AgentUsePack, agentUsePack } from './pack.ts'
import { runReader } from './run-read.ts'
import { Run, RunId } from './shapes.ts'

/** The longest that a call waits for a run. */
const WAIT_MS_MAX = WAIT_SECONDS_MAX * 1000

const output = z.strictObject({ run: Run }).meta({ id: 'RunStatus' })

const reading = {
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk', 'wt'], signed: false },
  idempotency: { kind: 'read' },
} as const

/** POST /api/agent-use, mode `get_run_status`: a run as it is, or once it has moved. */
export const getRunStatus = operation({
  id: 'get-run-status',
  summary:
    'Read a run of your own; with wait_ms the answer comes when it moves, at the latest after that time.',
  http: { method: 'POST', path: '/api/agent-use', host: 'base' },
  tool: 'get_run_status',
  access: ['agent', 'status'],
  ...reading,
  errors: ['not_found'],
  input: z.strictObject({
    mode: z.literal('get_run_status'),
    run_id: RunId,
    wait_ms: z.int().min(0).max(WAIT_MS_MAX).default(0),
  }),
  output,
  handle: async ({ run_id, wait_ms }, context) => ({
    body: { run: await context.runs.runMoved(moverOf(context), run_id, wait_ms) },
  }),
})

const read = z.union([output, AgentUsePack])

/** GET /api/agent-use: the pack; with a run id the caller's own run. */
export const agentUseRead = operation({
  id: 'agent-use-read',
  summary: 'Read what agents can buy and run by themselves, or a run of your own.',
  http: { method: 'GET', path: '/api/agent-use', host: 'base' },
  access: ['agent', 'status', 'public'],
  ...reading,
  errors: ['credential_required', 'not_found'],
  input: z.strictObject({ run_id: RunId.optional() }),
  output: read,
  handle: async ({ run_id }, context) => {
    if (run_id === undefined) return { body: await agentUsePack(context) }
    return { body: { run: await context.runs.run(runReader(context), run_id) } }
  },
})
