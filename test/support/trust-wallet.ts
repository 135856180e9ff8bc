import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { paymentId } from '#domain/core/ids.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { post, proofOf, type RawAnswer } from './agent.ts'
import { newWallet, type TestWallet } from './chain.ts'
import type { ComposedApis } from './composed-api.ts'

/** A wallet that calls the trust operations, each time with a fresh proof. */
export type TrustWallet = TestWallet & {
  address: `0x${string}`
  /** A call, and the nonce of its proof. */
  call(path: string, body: Body, api?: number): Promise<RawAnswer & { nonce: string }>
}
type Body = Record<string, unknown>

export const freshKey = () => `key-${randomBytes(8).toString('hex')}`
export const passport = '/api/receipt-passport'
export const inbox = '/api/proof-inbox'
export const scorecard = '/api/agent-trust-scorecard'
export const handoff = '/api/agent-to-agent-handoff-pack'

/** A new wallet with its ten free calls. */
export async function openTrustWallet({
  hosts,
  config,
}: Pick<ComposedApis, 'hosts' | 'config'>): Promise<TrustWallet> {
  const wallet = newWallet()
  return {
    ...wallet,
    call: async (path, body, api = 0) => {
      const proof = await proofOf(wallet.account, config.BASE_URL, path, body)
      const answer = await onceMore(() => post(`${hosts[api]?.base}${path}`, body, proof))
      return { ...answer, nonce: nonceOf(proof) }
    },
  }
}

/** Sends again over a new connection when the server closed an idle one meanwhile; a repeat of a call is safe. */
export const onceMore = <T>(send: () => Promise<T>): Promise<T> => send().catch(send)

const nonceOf = ({ 'X-Service-Wallet-Proof': header = '' }: Record<string, string>): string =>
  JSON.parse(Buffer.from(header, 'base64url').toString('utf8')).nonce

/** Settled payments whose calls were given up, each of which pays for one call before the free calls do. */
export async function addCredits(
  db: Kysely<Database>,
  address: string,
  count: number,
): Promise<void> {
  await db
    .insertInto('payments')
    .values(Array.from({ length: count }, () => settledPayment(address, 'available')) as never)
    .execute()
}

/** A settled payment of this wallet, as its row. */
export function settledPayment(payer: string, credit: 'none' | 'available' = 'none') {
  const nonce = `0x${randomBytes(32).toString('hex')}`
  const asset = `0x${'a1'.repeat(20)}`
  return {
    payment_id: paymentId(asset, payer, nonce),
    asset,
    payer,
    authorization_nonce: nonce,
    pay_to: `0x${'a3'.repeat(20)}`,
    amount_atomic: '100000',
    valid_after: '0',
    valid_before: '9999999999',
    signature: '0x11',
    requirements: '{}',
    proof_wallet: payer,
    state: 'settled' as const,
    credit,
    from_block: '0',
    transaction_hash: `0x${randomBytes(32).toString('hex')}`,
    block_number: '7',
    block_hash: `0x${randomBytes(32).toString('hex')}`,
    finalized: true,
  }
}

/** The input of a handoff to this wallet. */
export const packFor = (recipient: string, more: Body = {}): Body => ({
  mode: 'build',
  idempotency_key: freshKey(),
  recipient_wallet: recipient,
  task: { task_id: freshKey(), objective: 'Reconcile the invoices', context: 'March, 12 open' },
  permissions: {
    allowed_actions: ['read', 'comment'],
    resources: ['https://example.com/books/march'],
    expires_at: 4_000_000_000,
    may_redelegate: false,
  },
  state: { status: 'pending', checkpoint: 'nothing done', evidence_sha256: ['ab'.repeat(32)] },
  usage: 'synthetic',
  ...more,
})

export const evidenceOf = (content: string, label = 'note') => ({
  mode: 'store',
  idempotency_key: freshKey(),
  proof: { kind: 'evidence', content, label },
})
