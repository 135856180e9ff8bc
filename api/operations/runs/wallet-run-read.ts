import { z } from 'zod'
import { operation } from '../../operation.ts'
import { feeModel } from '../credit/wallet-shapes.ts'
import { contractSchema } from '../discovery/contract-shape.ts'
import { runRead, runReader } from './run-read.ts'
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
  ...runRead,
  input: z.strictObject({ run_id: RunId.optional() }),
  output: z.union([bound, contract]),
  handle: async ({ run_id }, context) => {
    if (run_id === undefined)
      return {
        body: { ...(await context.contracts.walletRun()), fee_model: feeModel },
      }
    return { body: await context.walletRuns.read(runReader(context), run_id) }
  },
})
