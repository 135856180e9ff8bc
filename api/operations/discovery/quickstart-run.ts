import { z } from 'zod'
import { operation } from '../../operation.ts'
import { QuickstartCall } from '../../registry/start-here-shape.ts'
import { sandboxFields, sandboxStart, sandboxStarted } from '../runs/sandbox-shapes.ts'

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
