import { randomBytes } from 'node:crypto'
import { createClient } from '../../api/http/client.ts'
import { type Hosts, trustedAgent } from './registering-agent.ts'

const key = () => randomBytes(8).toString('hex')
const scopes = [
  'runs:read',
  'runs:write',
  'wallets:read',
  'wallets:write',
  'listings:write',
] as const

/** A trusted agent with a wallet, whose receipt is what its listing rests on. */
export async function listedAgent(hosts: Hosts, operator: string) {
  const { credential, registered } = await trustedAgent(hosts, operator, {
    rails: ['packetops'],
    requested_scopes: [...scopes],
  })
  const { call } = createClient({ baseUrl: hosts.base, agent: credential })
  const made = await call('allowance-wallet-create', {
    label: 'fees',
    limits: {},
    idempotency_key: key(),
  })
  const { wallet, receipt } = made.body
  const asked = (evidence_receipt_ids: string[]) => ({
    mode: 'create_trust_listing' as const,
    display_name: 'Packet maker',
    summary: 'Makes packets of evidence.',
    rails: ['packetops' as const],
    evidence_receipt_ids,
    idempotency_key: key(),
  })
  const { listing } = (await call('create-trust-listing', asked([receipt.receipt_id]))).body
  const { agent_id: agentId } = registered.agent
  const { trust_listing_id: listingId } = listing
  return { agentId, call, asked, listingId, walletId: wallet.wallet_id, receipt }
}
