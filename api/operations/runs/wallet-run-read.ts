import { z } from 'zod'
import { runExamples } from '../../examples/runs.ts'
import { operation } from '../../operation.ts'
import { moverOf, readingAgentId } from '../agents/caller.ts'
import { feeModel } from '../credit/wallet-shapes.ts'
import { contractSchema } from '../discovery/contract-shape.ts'
import { RunId } from './shapes.ts'
import { walletRun } from './wallet-run-shapes.ts'

const contract = contractSchema('Runs by state.', { fee_model: z.string() }).meta({
  id: 'WalletRunContract',
})
const bound = z.strictObject(walletRun).meta({ id: 'WalletRun' })

/** GET /api/wallet-bound-rail-run: how a wallet pays for runs, and with a run id the caller’s own run. */
export const walletRunRead = operation({
  id: 'wallet-run-read',
  summary:
    'Read how a run is paid from an allowance wallet, or such a run of your own with its order.',
  http: { method: 'GET', path: '/api/wallet-bound-rail-run', host: 'base' },
  access: ['agent', 'status', 'public'],
  needs: { scopes: ['runs:read'] },
  statusToken: { prefixes: ['st', 'tk'], signed: false },
  errors: ['credential_required', 'not_found', 'not_owner'],
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([bound, contract]),
  example: runExamples['wallet-run-read'],
  handle: async ({ run_id }, context) => {
    if (run_id === undefined)
      return {
        body: { ...(await context.contracts.walletRun()), fee_model: feeModel },
      }
    readingAgentId(context, 'a run is read by its agent')
    return { body: await context.walletRuns.read(moverOf(context), run_id) }
  },
})
