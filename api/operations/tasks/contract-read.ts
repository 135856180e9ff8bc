import { z } from 'zod'
import { operation } from '../../operation.ts'
import { moverOf } from '../agents/caller.ts'
import { Contract, ContractId } from './shapes.ts'

/** GET /api/agents/contracts/{contract_id} on the OS host. */
export const contractRead = operation({
  id: 'contract-read',
  summary: 'Read a contract: its terms, its state, and the run contract once that is sealed.',
  http: { method: 'GET', path: '/api/agents/contracts/{contract_id}', host: 'os' },
  access: ['agent', 'status', 'operator'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk'], signed: false },
  errors: ['not_found', 'not_owner'],
  input: z.strictObject({ contract_id: ContractId }),
  output: z.strictObject({ contract: Contract }).meta({ id: 'ContractAsRead' }),
  handle: async ({ contract_id }, context) => ({
    body: await context.taskContracts.read(moverOf(context), contract_id),
  }),
})
