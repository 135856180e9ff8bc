import { serveParent } from '../child.ts'
import { type FloorCall, type FloorCalls, type FloorSettings, openFloorCalls } from './calls.ts'
import { listen } from './listen.ts'
import { isProven } from './proof.ts'

const state = { calls: undefined as FloorCalls | undefined }

/** The floor as callers of the rail would reach it: Express in front, and one signature verified for each call. */
serveParent(
  {
    open: (settings: FloorSettings): Promise<string> => {
      const calls = openFloorCalls(settings)
      state.calls = calls
      const { create, authorize, execute } = calls
      const steps = { create: (call: FloorCall) => create(call, 'signing'), authorize, execute }
      return listen((app) => {
        for (const [step, run] of Object.entries(steps)) {
          app.post(`/${step}`, async (request, response) => {
            if (!isProven(request)) return void response.status(401).json({ code: 'wallet_proof_invalid' })
            await run(request.body)
            response.json({ payout: request.body.step.payoutId })
          })
        }
      })
    },
  },
  async () => state.calls?.close(),
)
