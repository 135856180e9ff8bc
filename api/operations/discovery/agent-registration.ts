import { operation } from '../../operation.ts'
import { IdentityRegistration } from '../../registry/identity-registration-shape.ts'

/** GET /.well-known/agent-registration.json: the registration file of ERC-8004, which also proves the domain. */
export const agentRegistrationRead = operation({
  id: 'agent-registration',
  summary:
    'The registration file of ERC-8004: the endpoints that answer, and the identity on chain.',
  http: {
    method: 'GET',
    path: '/.well-known/agent-registration.json',
    host: 'base',
    cacheable: true,
  },
  access: 'public',
  output: IdentityRegistration,
  handle: async (_input, { discovery }) => ({ body: discovery.identityRegistration() }),
})
