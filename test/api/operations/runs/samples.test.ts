import { afterAll, beforeAll, expect } from 'vitest'
import { rails } from '#domain/rails/index.ts'
import { isCurrent } from '#domain/rails/rail.ts'
import type { KeySet } from '#domain/receipts/key-set.ts'
import { complianceSampleKeys } from '#domain/runs/compliance-samples.ts'
import { verifyPackageView } from '#domain/verification/return-package.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../../activities/keys/publish-keys.ts'
import { createClient, type OutputOf } from '../../../../api/http/client.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { rotateKeysFile } from '../../../support/rotated-keys.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
const client = (at = 0) => createClient({ baseUrl: apis.hosts[at]?.base ?? '' })
let keys: KeySet
beforeAll(async () => {
  apis = await startComposed({ apis: 2 })
  keys = (await client().call('jwks', {})).body as unknown as KeySet
})
afterAll(() => apis?.stop())

verifies('samples.packages', 'each rail shows a package of its own that verifies', async () => {
  const { items, total } = (await client().call('sample-return-packages', {})).body
  const current = rails.filter(isCurrent).map(({ key }) => key)
  expect(items.map((item) => item.return_package.rail)).toEqual(current)
  expect(total).toBe(current.length)
  for (const { return_package, receipt, persisted, sample } of items) {
    expect(verifyPackageView(return_package, keys).verdict, return_package.rail).toBe('proven')
    expect({ persisted, sample }).toEqual({ persisted: false, sample: true })
    expect(receipt.payload).toMatchObject({
      kind: 'sample',
      proof_hash: return_package.proof_hash,
    })
  }
  expect(new Set(items.map((item) => item.return_package.proof_hash)).size).toBe(current.length)
  const page = await client().call('sample-return-packages', { offset: '1', limit: '2' })
  expect(page.body.items).toEqual(items.slice(1, 3))
})

verifies('samples.packages', 'another rail or tier is another package, made once', async () => {
  const read = async (input: { rail: 'tokenops'; tier: 'entry' | 'pro' }) =>
    (await client().call('sample-return-packages', input)).body.items[0]
  const [entry, pro] = [
    await read({ rail: 'tokenops', tier: 'entry' }),
    await read({ rail: 'tokenops', tier: 'pro' }),
  ]
  expect(entry?.return_package.files.length).toBeLessThan(pro?.return_package.files.length ?? 0)
  expect(await read({ rail: 'tokenops', tier: 'entry' })).toEqual(entry)
})

verifies('samples.compliance', 'three kinds of evidence are listed and read', async () => {
  const listed = (await client().call('compliance-samples-read', {})).body
  if (!('samples' in listed)) throw new Error('it is the list')
  expect(listed.samples.map(({ key }) => key)).toEqual([...complianceSampleKeys])
  for (const { key, rail, section_count, url } of listed.samples) {
    expect(section_count).toBeGreaterThan(5)
    expect(url).toContain(`?sample=${key}`)
    const one = (await client().call('compliance-samples-read', { sample: key })).body as Extract<
      OutputOf<'compliance-samples-read'>,
      { sample: true }
    >
    expect(one.return_package.rail).toBe(rail)
    expect(verifyPackageView(one.return_package, keys).verdict).toBe('proven')
    expect(one.verification_packet).toMatchObject({ verified: true, log_state: 'exempt' })
    expect(one.input).toBeTypeOf('object')
  }
})

verifies('samples.packages', 'nothing of a sample is stored', async () => {
  const counts = async () =>
    Promise.all(
      (['tasks', 'runs', 'return_packages', 'receipts'] as const).map((table) =>
        apis.db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll().as('rows'))
          .executeTakeFirst(),
      ),
    )
  const before = await counts()
  await client().call('sample-return-packages', { rail: 'financeops', tier: 'pro' })
  expect(await counts()).toEqual(before)
})

/** Every sample of the service, by its operation. */
async function samplesAt(at: number) {
  const by = client(at)
  const [packages, clearing, analysis, proof, relay, tour, completion, usage, callbacks] =
    await Promise.all([
      by.call('sample-return-packages', { limit: '2' }),
      by.call('clearing-read', {}),
      by.call('model-analysis-read', {}),
      by.call('free-proof-read', {}),
      by.call('model-relay-read', {}),
      by.call('investor-demo-read', {}),
      by.call('receipt-completion-read', {}),
      by.call('usage-ledger-read', {}),
      by.call('callback-examples', {}),
    ])
  const evidence = await by.call('compliance-samples-read', { sample: complianceSampleKeys[0] })
  const bodies = [clearing, analysis, proof, relay, tour, completion, usage, evidence]
  const signed = [...packages.body.items, ...bodies.map(({ body }) => body)]
  return {
    receipts: signed.map((body) => ('receipt' in body ? body.receipt.jws : '')),
    packages: packages.body.items.map(({ return_package }) => return_package),
    callbacks: callbacks.body.events.map(({ signature }) => signature),
  }
}

verifies(
  'samples.once',
  'every read shows what was signed once, until the key changes',
  async () => {
    const first = await samplesAt(0)
    expect(await samplesAt(0)).toEqual(first)
    const { receipts, callbacks } = await samplesAt(1)
    expect({ receipts, callbacks }).toEqual({
      receipts: first.receipts,
      callbacks: first.callbacks,
    })
    expect(new Set(receipts).size).toBe(receipts.length - 1)
    const file = String(apis.env['SIGNING_KEYS_FILE'])
    rotateKeysFile(file)
    await publishKeys(apis.db, loadKeyRings(file))
    const rotated = await samplesAt(0)
    expect(await samplesAt(0)).toEqual(rotated)
    expect(rotated.receipts.filter((jws) => first.receipts.includes(jws))).toEqual([])
    expect(rotated.callbacks).not.toEqual(first.callbacks)
    expect((await samplesAt(1)).receipts).toEqual(rotated.receipts)
    const { body } = await client().call('verify-receipt', { receipt: rotated.receipts[0] ?? '' })
    expect(body).toMatchObject({ verified: true, log_state: 'exempt' })
  },
)
