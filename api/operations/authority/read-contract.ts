import { operation } from '../../operation.ts'
import { AuthorityContract, contractOf } from './contract.ts'
import { authorityPath } from './shapes.ts'

/** GET /api/delegated-authority. */
export const authorityContract = operation({
  id: 'authority-contract',
  summary:
    'What delegated authority supports: schemas, identities, modes, rails, rules and operations.',
  http: { method: 'GET', path: authorityPath, host: 'base' },
  access: 'public',
  output: AuthorityContract,
  handle: async (_input, context) => ({ body: await contractOf(context) }),
})
