import { z } from 'zod'
import { sandboxFaults } from '#domain/runs/sandbox.ts'
import { callerIn } from '../../caller.ts'
import { Digest } from '../../fields.ts'
import { operation } from '../../operation.ts'
import { Rail } from '../../shapes/agents.ts'
import { contractSchema } from '../../shapes/contract.ts'
import { Run, sandboxFields, sandboxStart, sandboxStarted } from '../../shapes/runs.ts'
import { Quickstart, QuickstartCall } from '../../shapes/start-here.ts'

/** GET /api/agent-api-quickstart: three calls to a result, also for a shell. */
export const agentQuickstartRead = operation({
  id: 'agent-quickstart-read',
  summary:
    'The rails of the quickstart, and the calls of a first run without an agent, also for curl.',
  http: { method: 'GET', path: '/api/agent-api-quickstart', host: 'base', cacheable: true },
  access: 'public',
  input: z.strictObject({
    rail: Rail.default('packetops').meta({ description: 'One of `allowed_rails`.' }),
  }),
  output: Quickstart,
  handle: async ({ rail }, { discovery }) => ({ body: discovery.quickstart(rail) }),
})

/** POST /api/agent-api-quickstart: a sandbox run, and the calls that do the same work for an agent. */
export const agentQuickstartRun = operation({
  id: 'agent-quickstart-run',
  summary:
    'Start a sandbox run on a rail of the quickstart; the answer has the calls for an agent.',
  http: { method: 'POST', path: '/api/agent-api-quickstart', host: 'base' },
  ...sandboxStart,
  input: z.strictObject(sandboxFields),
  output: z
    .strictObject({
      ...sandboxStarted,
      calls: z.array(QuickstartCall).meta({ description: 'The same work for an agent, in order.' }),
    })
    .meta({ id: 'QuickstartRun' }),
  handle: async ({ idempotency_key: _key, ...asked }, { sandbox, discovery, callId, network }) => {
    const started = await sandbox.start(
      { ...asked, network, fault: 'none', among: sandbox.quickstarts },
      callId,
    )
    return { body: { ...started, calls: discovery.quickstartOfAgent(asked) } }
  },
})

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
      return { body: await context.sandbox.read(callerIn(context).subjectId) }
    return { body: await context.contracts.sandbox() }
  },
})

/** POST /api/agent-sandbox: a synthetic run for any caller, with the fault that it asks for on the path of a real one. */
export const agentSandboxRun = operation({
  id: 'agent-sandbox-run',
  summary:
    'Start a synthetic run without an agent and without money, with a fault if you ask for one.',
  http: { method: 'POST', path: '/api/agent-sandbox', host: 'base' },
  ...sandboxStart,
  input: z.strictObject({
    ...sandboxFields,
    fault: z.enum(sandboxFaults).default('none').meta({
      description:
        'missing_evidence: the sample has gaps and the run waits for evidence; worker_exception: the worker fails and an exception stops the task, once; callback_failure: the demo receiver refuses the first attempt.',
    }),
  }),
  output: z.strictObject(sandboxStarted).meta({ id: 'SandboxRun' }),
  handle: async ({ idempotency_key: _key, ...asked }, { sandbox, callId, network }) => ({
    body: await sandbox.start({ ...asked, network, among: sandbox.runs }, callId),
  }),
})
