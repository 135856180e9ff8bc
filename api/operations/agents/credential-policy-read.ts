import { agentExamples } from '../../examples/agents.ts'
import { operation } from '../../operation.ts'
import { CredentialPolicy } from '../../registry/credential-policy-shape.ts'

/** GET /api/credential-enforcement-middleware: printed from the registry and from the checks that every call makes. */
export const credentialPolicyRead = operation({
  id: 'credential-policy-read',
  summary:
    'Read what each operation needs of its caller, and the checks of an access key in their order.',
  http: { method: 'GET', path: '/api/credential-enforcement-middleware', host: 'base' },
  access: 'public',
  output: CredentialPolicy,
  example: agentExamples['credential-policy-read'],
  handle: async (_input, context) => ({ body: await context.enforcement.policy() }),
})
