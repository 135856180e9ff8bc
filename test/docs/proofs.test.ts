import { expect } from 'vitest'
import { authority } from '../../api/operations/authority/index.ts'
import { keys } from '../../api/operations/keys.ts'
import { transparencyLog } from '../../api/operations/log.ts'
import { receipts } from '../../api/operations/receipts.ts'
import { signing } from '../../api/operations/signing.ts'
import { trust } from '../../api/operations/trust/index.ts'
import { verifies } from '../verifies.ts'
import { proofRows, requirementsOf } from './proofs.ts'

verifies('docs.proofs', 'each call of authority, keys, trust and log names its tests', () => {
  const owed = [...authority, ...keys, ...signing, ...trust, ...transparencyLog, ...receipts]
  expect(owed.length).toBeGreaterThan(25)
  expect(owed.map(({ id }) => id).filter((id) => !(id in requirementsOf))).toEqual([])
  const rows = proofRows()
  expect(rows.length).toBeGreaterThan(Object.keys(requirementsOf).length)
  for (const [call = '', proofs = ''] of rows)
    expect(proofs, call).toMatch(/^(`[a-z0-9.-]+`: (\[[^\]]+\]\([^)]+\.test\.ts\)(, )?)+(<br>)?)+$/)
})
