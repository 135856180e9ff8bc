import { setTimeout as sleep } from 'node:timers/promises'
import { openTreasury } from '../../../worker/stack/treasury.ts'
import { within } from '../../support/slowness.ts'
import { openTemporal } from './aftermath.ts'
import type { Service } from './caller.ts'
import type { ChaosStack } from './chaos-stack.ts'

/** How long callers have once everything is mended. */
const CALLERS_WITHIN_MS = within(360_000)

/** The service as its callers know it; `hurry` begins the time after which they give up. */
export function openService(
  { stack, asset }: Pick<ChaosStack, 'stack' | 'asset'>,
  begunAt: number,
) {
  const origin = stack.baseUrls[0] as string
  const { treasury: accounts, operator } = stack.accounts
  const temporal = openTemporal(stack)
  let giveUpAt = Number.POSITIVE_INFINITY
  const service: Service = {
    baseUrls: stack.baseUrls,
    origin,
    asset,
    begunAt,
    giveUpAt: () => giveUpAt,
    treasuries: stack.baseUrls.map((baseUrl) =>
      openTreasury({ baseUrl, origin, accounts, operator: operator.credential }),
    ),
    wake: async (payoutId) => {
      for (let times = 0; times < 3; times++) {
        await temporal.client.workflow
          .getHandle(payoutId)
          .signal('wake')
          .catch(() => undefined)
        await sleep(400)
      }
    },
  }
  const hurry = () => {
    giveUpAt = Date.now() + CALLERS_WITHIN_MS
  }
  return { service, hurry, close: temporal.close }
}
