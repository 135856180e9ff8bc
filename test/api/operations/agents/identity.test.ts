import { afterAll, beforeAll, expect } from 'vitest'
import { identityText } from '#domain/agents/signature.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { newWallet, startChain, type TestChain, type TestWallet } from '../../../support/chain.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { deployContractWallet } from '../../../support/contract-wallet.ts'
import { deployIdentityRegistry } from '../../../support/identity-registry.ts'
import { type Hosts, newAgentClient } from '../../../support/registering-agent.ts'
import { verifies } from '../../../verifies.ts'

type Claim = NonNullable<InputOf<'agent-register'>['identity']>
const owner = newWallet()
const other = newWallet()
let chain: TestChain
let registry: Awaited<ReturnType<typeof deployIdentityRegistry>>
let contractOwner: `0x${string}`
let apis: ComposedApis
beforeAll(async () => {
  chain = await startChain()
  registry = await deployIdentityRegistry(chain.client)
  contractOwner = await deployContractWallet(chain.client, owner.address)
  for (const to of [owner.address, other.address, contractOwner]) await registry.mint(to)
  apis = await startComposed({
    env: {
      CHAIN_RPC_URL: chain.rpcUrl,
      IDENTITY_REGISTRY_ADDRESS: registry.address,
      IDENTITY_TOKEN_ID: '3',
    },
  })
})
afterAll(async () => {
  await apis?.stop()
  await chain?.stop()
})

const hosts = () => apis.hosts[0] as Hosts
const originOf = () => apis.config.BASE_URL

/** A claim for the key, signed by `by` over the terms with `changes`. */
async function claimOf(
  publicKey: object,
  claimed: Partial<Claim> = {},
  { by = owner, ...changes }: { by?: TestWallet; origin?: string; keySha256?: string } = {},
): Promise<Claim> {
  const identity = {
    chain_id: CHAIN_ID,
    registry: registry.address,
    token_id: '1',
    owner: owner.address,
    ...claimed,
  }
  const terms = { origin: originOf(), keySha256: digestOf(publicKey), ...identity, ...changes }
  const message = identityText(terms)
  return { signature: await by.account.signMessage({ message }), ...identity }
}

const stored = () => apis.db.selectFrom('agent_identities').selectAll().execute()

verifies('agent.identity', 'the owner of a token registers with it', async () => {
  const agent = newAgentClient(hosts())
  const registered = await agent.register({ identity: await claimOf(agent.publicKey) })
  const identity = {
    chain_id: CHAIN_ID,
    registry: registry.address,
    token_id: '1',
    owner: owner.address.toLowerCase(),
  }
  expect(registered.identity).toEqual(identity)
  expect(registered.receipt.payload).toMatchObject({ identity })
  const { agent_id } = registered.agent
  expect(await stored()).toEqual([{ agent_id, ...identity, verified_at: expect.any(Date) }])
  const operator = createClient({ baseUrl: hosts().base, operator: apis.operator })
  const shown = (await operator.call('loop-review-console', { subject_id: agent_id })).body
  expect(JSON.stringify(shown.evidence)).toContain(registry.address)
})

verifies('agent.identity', 'a contract wallet claims the token that it owns', async () => {
  const agent = newAgentClient(hosts())
  const claim = await claimOf(agent.publicKey, { token_id: '3', owner: contractOwner })
  const { identity } = await agent.register({ identity: claim })
  expect(identity).toMatchObject({ token_id: '3', owner: contractOwner })
})

verifies('agent.identity-refused', 'a claim that does not match stores nothing', async () => {
  const agent = newAgentClient(hosts())
  const { publicKey } = agent
  const before = await stored()
  const refused: [Claim, string][] = [
    [await claimOf(publicKey, { registry: other.address }), 'unsupported_request'],
    [await claimOf(publicKey, { chain_id: 1 }), 'unsupported_request'],
    [await claimOf(publicKey, {}, { by: other }), 'proof_invalid'],
    [await claimOf(publicKey, {}, { origin: 'https://elsewhere.example' }), 'proof_invalid'],
    [await claimOf(publicKey, {}, { keySha256: 'f'.repeat(64) }), 'proof_invalid'],
    [{ ...(await claimOf(publicKey)), token_id: '2' }, 'proof_invalid'],
    [await claimOf(publicKey, { token_id: '2' }), 'proof_invalid'],
    [await claimOf(publicKey, { token_id: '77' }), 'proof_invalid'],
    [await claimOf(publicKey, { token_id: (2n ** 256n - 1n).toString() }), 'proof_invalid'],
    [{ ...(await claimOf(publicKey)), token_id: (2n ** 256n).toString() }, 'invalid_request'],
  ]
  for (const [identity, code] of refused)
    await expect(agent.register({ identity }), code).rejects.toMatchObject({ code })
  expect(await stored()).toEqual(before)
  expect((await agent.register()).identity).toBeNull()
})

verifies('agent.identity-refused', 'without the chain the claim is 503, and not lost', async () => {
  const agent = newAgentClient(hosts())
  const claim = { identity: await claimOf(agent.publicKey), idempotency_key: 'chain-down' }
  await chain.part.stop()
  await expect(agent.register(claim)).rejects.toMatchObject({ code: 'unavailable' })
  await chain.part.start()
  await chain.part.waitReady()
  expect((await agent.register(claim)).identity).toMatchObject({ token_id: '1' })
})

verifies('agent.identity-file', 'the registration file names what answers', async () => {
  const anyone = createClient({ baseUrl: hosts().base })
  const { body } = await anyone.call('agent-registration', {})
  expect(body.registrations).toEqual([
    { agentId: 3, agentRegistry: `eip155:${CHAIN_ID}:${registry.address}` },
  ])
  expect(body).toMatchObject({ x402Support: true, active: true, supportedTrust: [] })
  const here = (url: string) => url.replace(originOf(), hosts().base)
  const pages = body.services.filter(({ name }) => name !== 'MCP').map(({ endpoint }) => endpoint)
  for (const url of pages) expect((await fetch(here(url))).status, url).toBe(200)
  const { endpoint } = (await anyone.call('mcp-descriptor', {})).body
  expect(body.services).toContainEqual(expect.objectContaining({ name: 'MCP', endpoint }))
})
