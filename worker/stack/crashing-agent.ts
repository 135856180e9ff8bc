import { openPayingAgent } from './paying-agent.ts'

// The demo's agent in a process of its own: it sends its execute call and dies before it can read the answer.
const { AGENT_KEY, BASE_URL = '', ASSET, EXECUTE = '{}' } = process.env
const agent = openPayingAgent({
  baseUrl: BASE_URL,
  origin: BASE_URL,
  privateKey: AGENT_KEY as `0x${string}`,
  asset: ASSET as `0x${string}`,
})
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 400)
await agent.client.call('payout-execute', JSON.parse(EXECUTE))
