import { randomBytes } from 'node:crypto'
import { type Client, createClient } from '../../api/http/client.ts'
import { decide, type Hosts, trustedAgent } from './registering-agent.ts'

const key = () => randomBytes(8).toString('hex')
const scopes = [
  'runs:read',
  'runs:write',
  'wallets:read',
  'wallets:write',
  'listings:write',
] as const

/** The receipt of one use of credit that an invoice paid for. */
export async function paidUse(
  call: Client['call'],
  approve: (paymentId: string) => Promise<unknown>,
) {
  const item = { rail: 'packetops', tier: 'standard', units: 1 } as const
  const { quote } = (await call('agent-quote', { ...item, idempotency_key: key() })).body
  const paid = await call('payment-reference-create', {
    quote_id: quote.quote_id,
    method: 'invoice_reference',
    external_reference: `INV-${key()}`,
    idempotency_key: key(),
  })
  const { payment_reference_id, entitlement_id } = paid.body.payment_reference
  await approve(payment_reference_id)
  const used = await call('usage-ledger-record', {
    kind: 'tool_call',
    entitlement_id: entitlement_id ?? '',
    units: 1,
    unit: 'usd_credit',
    idempotency_key: key(),
  })
  if (used.body.receipt === null) throw new Error('a usage receipt was expected')
  return used.body.receipt
}

/** A trusted agent with a wallet, whose usage receipt is what its listing rests on. */
export async function listedAgent(
  hosts: Hosts,
  operator: string,
  display_name = 'Packet maker',
  uses = 1,
) {
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
  const { wallet } = made.body
  const use = () =>
    paidUse(call, (paymentId) =>
      decide(hosts, operator, paymentId, 'approve', { subject_kind: 'payment_reference' }),
    )
  const receipt = await use()
  const evidence = [receipt.receipt_id]
  while (evidence.length < uses) evidence.push((await use()).receipt_id)
  const asked = (evidence_receipt_ids: string[]) => ({
    mode: 'create_trust_listing' as const,
    display_name,
    summary: 'Makes packets of evidence.',
    rails: ['packetops' as const],
    evidence_receipt_ids,
    idempotency_key: key(),
  })
  const created = (await call('create-trust-listing', asked(evidence))).body
  const { agent_id: agentId } = registered.agent
  const { trust_listing_id: listingId } = created.listing
  const otherReceipts = [made.body.receipt.receipt_id, registered.receipt.receipt_id]
  return {
    agentId,
    call,
    asked,
    created,
    listingId,
    walletId: wallet.wallet_id,
    receipt,
    otherReceipts,
  }
}
