import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  type KeySet,
  verifyReceipt,
  verifyReceiptChain,
} from '../../../clients/typescript/src/index.ts'
import { verifies } from '../../verifies.ts'

type Saved = { jwks: KeySet; payout: string[]; task: string[] }

/** Receipts of one payout and one task, and the keys published for them, of build 107cde8. */
const saved: Saved = JSON.parse(
  readFileSync(join(import.meta.dirname, 'saved-receipts.json'), 'utf8'),
)

verifies('client.receipts', 'receipts of an earlier build verify from a file', async () => {
  const chain = await verifyReceiptChain(saved.payout, saved.jwks)
  expect(chain.map(({ kind }) => kind)).toEqual([
    'payout_created',
    'payout_authorized',
    'payout_executed',
    'payout_final',
  ])
  const task = await Promise.all(saved.task.map((jws) => verifyReceipt(jws, saved.jwks)))
  expect(task.map(({ kind }) => kind)).toEqual([
    'settlement_receipt',
    'usage_receipt',
    'attestation',
    'attestation',
  ])
})

verifies('client.receipts', 'an altered receipt of an earlier build is refused', async () => {
  const [head, payload = '', signature] = saved.task[0]?.split('.') ?? []
  const altered = Buffer.from(payload, 'base64url').toString().replace('"iat":1', '"iat":2')
  const forged = [head, Buffer.from(altered).toString('base64url'), signature].join('.')
  expect(forged).not.toBe(saved.task[0])
  await expect(verifyReceipt(forged, saved.jwks)).rejects.toThrow('signature verification failed')
})
