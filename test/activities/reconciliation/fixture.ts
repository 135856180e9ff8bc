import type { Kysely } from 'kysely'
import { STATEMENT_TYP } from '#domain/receipts/statement.ts'
import { createChain } from '../../../activities/chain/client.ts'
import { openLedger } from '../../../activities/chain/ledger.ts'
import { receiptSigner, signerOf } from '../../../activities/container.ts'
import type { SigningKey } from '../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import type { ReconciliationDeps } from '../../../activities/reconciliation/deps.ts'
import type { Database } from '../../../activities/store/schema/schema.ts'
import { newWallet, startChain, type TestChain } from '../../support/chain.ts'
import { startDatabase } from '../../support/postgres.ts'

/** A chain and a database with what reconciliation needs of them; there is no Temporal, so that a test says what it shows. */
export type Books = {
  db: Kysely<Database>
  chain: TestChain
  key: SigningKey
  deps: ReconciliationDeps
  stop(): Promise<void>
}

export async function startBooks(): Promise<Books> {
  const [database, chain] = await Promise.all([startDatabase(), startChain()])
  const { db } = database
  const rings = keyRings(generateSigningKeys(new Date()))
  await publishKeys(db, rings)
  const key = rings.receipt.active
  const { views } = createChain({ rpcUrls: [chain.rpcUrl], confirmRpcUrls: [], timeoutMs: 2_000 })
  const deps: ReconciliationDeps = {
    db,
    rail: {
      asset: chain.asset,
      payoutWallet: chain.payoutWallet.address,
      issuer: 'https://svc.example/api/trust-contract',
      environment: 'local',
    },
    payTo: newWallet().address,
    ledger: openLedger(views[0], chain.asset),
    findOutcome: async () => ({ kind: 'unknown', code: 'unused', reason: 'not asked' }),
    watch: {
      see: async () => ({ status: 'NONE', view: null }),
      failed: async () => [],
      show: async () => undefined,
    },
    log: { error: () => undefined },
    signReceipt: receiptSigner(rings),
    signStatement: signerOf(rings, STATEMENT_TYP),
    settleMs: 1,
  }
  const stop = async () => void (await Promise.all([chain.stop(), database.stop()]))
  return { db, chain, key, deps, stop }
}
