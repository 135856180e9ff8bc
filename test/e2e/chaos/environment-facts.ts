import type { Rail } from '../../support/agent.ts'
import type { TestStack } from '../../support/stack.ts'
import type { PayoutConstraints } from './run-record.ts'

/** Where the checker finds the real servers. */
export async function environmentFacts({
  stack,
  rail,
}: {
  stack: TestStack
  rail: Rail
}): Promise<PayoutConstraints> {
  const jwks = await fetch(`${stack.baseUrls[0]}/.well-known/jwks.json`)
  return {
    databaseUrl: stack.databaseUrl,
    rpcUrl: stack.rpcUrl,
    temporalAddress: stack.temporalAddress,
    asset: rail.asset,
    payoutWallet: rail.service.payoutWallet.address,
    payTo: rail.service.payTo.address,
    receiptJwks: await jwks.json(),
    since: { block: '0' },
  }
}
