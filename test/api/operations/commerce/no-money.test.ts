import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../../api/http/client.ts'
import { startChain, type TestChain } from '../../../support/chain.ts'
import { freeProof, missionOf } from '../../../support/commerce.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { patiently } from '../../../support/problems.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

let chain: TestChain
let apis: ComposedApis
beforeAll(async () => {
  chain = await startChain()
  const { rpcUrl, asset, payoutWallet } = chain
  apis = await startComposed({
    env: {
      CHAIN_RPC_URL: rpcUrl,
      ASSET_CONTRACT_ADDRESS: asset,
      PAYOUT_WALLET_ADDRESS: payoutWallet.address,
      LIMIT_AGENT_PER_MINUTE: '6000',
    },
  })
})
afterAll(async () => {
  await apis?.stop()
  await chain?.stop()
})

/** Every log of the token, and how many transactions each wallet of the service sent. */
async function chainState() {
  const { client, asset, owner, gasWallets, payoutWallet } = chain
  const wallets = [owner, payoutWallet, ...gasWallets]
  const logs = await client.getLogs({ address: asset, fromBlock: 0n })
  const sent = await Promise.all(
    wallets.map(({ address }) => client.getTransactionCount({ address })),
  )
  return { logs: logs.map(({ transactionHash, logIndex }) => [transactionHash, logIndex]), sent }
}

verifies(
  'commerce.moves-no-money',
  'proofs of every decision leave the chain as it was',
  async () => {
    const host = apis.hosts[0]!
    const { credential } = await trustedAgent(host, apis.operator, {
      rails: ['packetops'],
      requested_scopes: ['runs:read', 'runs:write', 'proofs:publish'],
    })
    const agent = createClient({ baseUrl: host.base, agent: credential })
    const before = await chainState()
    expect(before.logs.length).toBeGreaterThan(0)
    const kinds = ['pilot_delivery', 'agent_handoff', 'free_proof'] as const
    const inputs = Array.from({ length: 30 }, (_, at) =>
      freeProof({
        mission: missionOf(kinds[at % 3] ?? 'free_proof', { publication_consent: true }),
      }),
    )
    const proofs = await Promise.all(
      inputs.map((input) =>
        patiently(async () => (await agent.call('commerce-proof-evaluate', input)).body),
      ),
    )
    expect(new Set(proofs.map(({ decision }) => decision)).size).toBe(3)
    for (const { money_movement } of proofs) expect(money_movement).toBe(false)
    expect(await chainState()).toEqual(before)
  },
)
