import { CODE_VERSION } from '#domain/core/code-version.ts'
import type { MoneyDeps } from '../../../activities/credit/deps.ts'
import { type ReceiptView, receiptView } from '../../../activities/keys/receipt-view.ts'
import type { ReceiptIssuer } from '../../../activities/store/payouts/receipts.ts'

/** An example that a GET shows, of something that never happened. */
export type Sample<Shown> = Shown & {
  sample: true
  usage: 'synthetic'
  fixture_id: string
  code_version: string
  persisted: false
  receipt: ReceiptView
}

/** When fixed samples are dated, in Unix seconds: 2026-11-01. */
export const SAMPLED_AT = 1_793_491_200

/**
 * Signs a sample with the live key under a kind of its own, at a fixed time in Unix seconds; nothing of it is stored. The receipt
 * names all that is shown, or `claims` where that is long.
 */
export async function sampleOf<Shown extends Record<string, unknown>>(
  { db, signReceipt, issuer, environment }: Pick<MoneyDeps, 'db' | keyof ReceiptIssuer>,
  {
    fixtureId,
    at,
    shown,
    claims: named = shown,
  }: { fixtureId: string; at: number; shown: Shown; claims?: Record<string, unknown> },
): Promise<Sample<Shown>> {
  const claims = {
    kind: 'sample',
    usage: 'synthetic' as const,
    environment,
    prev: null,
    fixture_id: fixtureId,
    ...named,
  }
  const sign = await signReceipt(db)
  const { jws } = await sign({ iss: issuer, iat: at, sub: `sample:${fixtureId}`, ...claims })
  const about = { fixture_id: fixtureId, code_version: CODE_VERSION, receipt: receiptView(jws) }
  return { ...shown, ...about, sample: true, usage: 'synthetic', persisted: false }
}
