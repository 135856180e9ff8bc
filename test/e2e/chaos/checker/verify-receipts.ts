import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import type { ReceiptFact } from './facts.ts'

/** Verifies each receipt with the published receipt keys and nothing else. */
export async function verifyReceipts(
  rows: readonly Omit<ReceiptFact, 'claims'>[],
  published: unknown,
): Promise<ReceiptFact[]> {
  const { keys } = published as JSONWebKeySet
  const keyOf = createLocalJWKSet({
    keys: keys.filter((key) => 'use_for' in key && key.use_for === 'receipt'),
  })
  return Promise.all(
    rows.map(async (row) => {
      const claims = await compactVerify(row.jws, keyOf, { algorithms: ['EdDSA'] }).then(
        ({ payload }) => JSON.parse(new TextDecoder().decode(payload)) as Record<string, unknown>,
        () => null,
      )
      return { ...row, claims }
    }),
  )
}
