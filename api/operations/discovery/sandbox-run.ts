import { z } from 'zod'
import { sandboxFaults } from '#domain/runs/sandbox.ts'
import { operation } from '../../operation.ts'
import { sandboxFields, sandboxStart, sandboxStarted } from '../runs/sandbox-shapes.ts'

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
