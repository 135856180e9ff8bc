import { serveParent } from '../child.ts'
import {
  type BaselineCall,
  type BaselineCalls,
  type MinimumBalanceSettings,
  openBaselineCalls,
} from './calls.ts'
import { listen } from './listen.ts'
import { isProven } from './proof.ts'

const state = { calls: undefined as BaselineCalls | undefined }

/** The baseline as callers of the rail would reach it: Express in front, and one signature verified for each call. */
serveParent(
  {
    open: (settings: MinimumBalanceSettings): Promise<string> => {
      const calls = openBaselineCalls(settings)
      state.calls = calls
      const { create, authorize, execute } = calls
      const steps = { create: (call: BaselineCall) => create(call, 'signing'), authorize, execute }
      return listen((app) => {
        for (const [step, run] of Object.entries(steps)) {
          app.post(`/${step}`, async (request, response) => {
            if (!isProven(request))
              return void response.status(401).json({ code: 'wallet_proof_invalid' })
            await run(request.body)
            response.json({ payout: request.body.step.payoutId })
          })
        }
      })
    },
  },
  async () => state.calls?.close(),
)
