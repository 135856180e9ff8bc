import { expect } from 'vitest'
import type { AnyOperation } from '../../../../api/operation.ts'
import { operations } from '../../../../api/operations/index.ts'
import { documentedPaths } from '../../../support/documented-paths.ts'
import { verifies } from '../../../verifies.ts'
import { pathRows } from './aliases.ts'
import { payoutIds } from './payouts.ts'
import { contentOf } from './row.ts'
import { callRows, workRows } from './rows.ts'
import { changedLeaves } from './wire.ts'

const registry: readonly AnyOperation[] = operations
type Named = { readonly kept?: { readonly in: string }; readonly varies?: object }
const rows = { ...callRows, ...workRows } as Readonly<Record<string, Named | undefined>>
const at = (path: string) =>
  registry.filter(({ http }) => http.path === path || http.aliases?.includes(path))
const served = documentedPaths.flatMap(at)

verifies('conform.every-path', 'each operation at a documented path has a row', () => {
  const missing = served.map(({ id }) => id).filter((id) => rows[id] === undefined)
  expect([...new Set(missing)].sort()).toEqual(payoutIds.toSorted())
})

verifies('conform.every-path', 'each path without an operation of its own has a row', () => {
  const others = documentedPaths.filter((path) => registry.every(({ http }) => http.path !== path))
  expect(others.sort()).toEqual(Object.keys(pathRows).sort())
})

verifies('conform.every-path', 'each row of a write names where its record is read', () => {
  const unread = served.filter(({ id, idempotency }) => {
    const row = rows[id]
    return row !== undefined && idempotency.kind !== 'read' && row.kept?.in === undefined
  })
  expect(unread.map(({ id }) => id)).toEqual([])
  const itself = served.filter(({ id }) => rows[id]?.kept?.in === id)
  expect(itself.map(({ id }) => id)).toEqual([])
})

verifies('conform.every-path', 'ids, times and signatures are no content, states are', () => {
  const answer = (state: string, at: string, id: string) => ({
    expires_at: Date.parse(at) / 1_000,
    nonce: `hs_${Date.parse(at) / 1_000}_${id.repeat(32)}_${id.repeat(64)}`,
    detail: `signed ${id.charCodeAt(0)} s ago`,
    receipt: { receipt_id: `rc_${id.repeat(64)}`, issued_at: at, leaf_index: 4 },
    links: [`https://api.example/api/x?run_id=run_${id.repeat(64)}`],
    state,
  })
  const first = contentOf(answer('open', '2026-11-27T12:00:00.000Z', 'a'))
  expect(contentOf(answer('open', '2026-11-28T12:00:00.000Z', 'b'))).toEqual(first)
  expect(contentOf(answer('done', '2026-11-27T12:00:00.000Z', 'a'))).not.toEqual(first)
  const signed = (claims: object) =>
    contentOf(`eyJh.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`)
  expect(signed({ iat: 1, kind: 'fee' })).toEqual(signed({ iat: 2, kind: 'fee' }))
  expect(signed({ iat: 1, kind: 'fee' })).not.toEqual(signed({ iat: 1, kind: 'relay' }))
})

verifies('conform.every-path', 'what only one of two inputs says is no content', () => {
  const [one, other] = [
    { rail: 'packetops', units: 2, dry_run: true, tier: 'pro' },
    { rail: 'tokenops', units: 3, dry_run: false, tier: 'pro' },
  ]
  const leaves = changedLeaves(one, other).flat()
  const content = (said: typeof one, total_usd: number) =>
    contentOf(
      { ...said, is_paid: true, links: [`/api/offers?rail=${said.rail}`], total_usd },
      { names: [], leaves },
    )
  expect(content(one, 214)).toEqual(content(other, 214))
  expect(content(one, 214)).not.toEqual(content(other, 321))
  expect(content(one, 214)).toMatchObject({ tier: 'pro', is_paid: true })
})

verifies('conform.every-path', 'no row of a read leaves out what the read varies in', () => {
  const varying = served.filter(({ id }) => rows[id]?.varies !== undefined)
  expect(varying.map(({ idempotency }) => idempotency.kind)).not.toContain('read')
})
