import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { proofId } from '#domain/trust/inbox.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import {
  addCredits,
  evidenceOf,
  freshKey,
  handoff,
  inbox,
  openTrustWallet,
  packFor,
  type TrustWallet,
} from '../../../support/trust-wallet.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ apis: 2, env: { LIMIT_WALLET_PER_MINUTE: '5000' } })
})
afterAll(async () => {
  await apis?.stop()
})

const list = { mode: 'list', offset: 0, limit: 25 }
const usedOf = async (wallet: TrustWallet) => (await wallet.call(inbox, list)).body['used']
/** What stands in the rows of this wallet, counted by Postgres. */
const countRows = async ({ address }: TrustWallet) => {
  const { rows } = await sql<{ records: number; bytes: number }>`
    select count(*)::integer as records, coalesce(sum(octet_length(content)), 0)::integer as bytes
    from proofs where wallet = ${address.toLowerCase()}`.execute(apis.db)
  return rows[0]
}

/** Sends stores at once to both processes and repeats those that lost every attempt; the last answers. */
async function storeAll(wallet: TrustWallet, contents: readonly string[]) {
  const bodies = contents.map((content, at) => evidenceOf(content, `label ${at}`))
  return Promise.all(
    bodies.map(async (body, at) => {
      for (;;) {
        const answer = await wallet.call(inbox, body, at % 2)
        if (answer.status !== 503) return answer
      }
    }),
  )
}
const countOf = (answers: { status: number }[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length

verifies('trust.inbox.store', 'a proof has the digest as its id and is kept once', async () => {
  const wallet = await openTrustWallet(apis)
  const body = evidenceOf('paid 12 € in March', 'March')
  const proof = { kind: 'evidence' as const, content: 'paid 12 € in March', label: 'March' }
  const first = await wallet.call(inbox, body)
  expect(first).toMatchObject({
    status: 201,
    body: {
      proof_id: proofId(wallet.address.toLowerCase(), proof),
      bytes: 20,
      verified: false,
      used: { records: 1, bytes: 20 },
      inclusion_receipt: { kind: 'intake', payload: { position: 1, bytes: 20 } },
    },
  })
  const again = await wallet.call(inbox, { ...body, idempotency_key: freshKey() })
  expect(again.body).toMatchObject({
    proof_id: first.body['proof_id'],
    used: { records: 1, bytes: 20 },
    inclusion_receipt: first.body['inclusion_receipt'],
  })
})

verifies('trust.inbox.limits', '100 parallel stores fill an inbox to exactly 256', async () => {
  const wallet = await openTrustWallet(apis)
  await addCredits(apis.db, wallet.address, 320)
  const first = await storeAll(
    wallet,
    Array.from({ length: 206 }, (_, at) => `old ${at}`),
  )
  expect(countOf(first, 201)).toBe(206)
  const answers = await storeAll(
    wallet,
    Array.from({ length: 100 }, (_, at) => `new ${at}`),
  )
  expect([countOf(answers, 201), countOf(answers, 409)]).toEqual([50, 50])
  const rows = await countRows(wallet)
  expect(rows?.records).toBe(256)
  expect(await usedOf(wallet)).toEqual(rows)
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    code: 'wallet_storage_full',
    limit: 'recordsPerWallet',
    limit_value: 256,
    used: rows,
  })
})

verifies('trust.inbox.limits', '100 parallel stores end within exactly 4194304 bytes', async () => {
  const wallet = await openTrustWallet(apis)
  await addCredits(apis.db, wallet.address, 110)
  // Three of 24000 characters have one byte, the others three.
  const bytes = 3 + 3 * 23_997
  expect(Math.floor(4_194_304 / bytes)).toBe(58)
  const answers = await storeAll(
    wallet,
    Array.from({ length: 100 }, (_, at) => `${String(at).padStart(3, '0')}${'☃'.repeat(23_997)}`),
  )
  const [stored, refused] = [countOf(answers, 201), countOf(answers, 409)]
  expect([stored, refused]).toEqual([58, 42])
  const rest = 4_194_304 - 58 * bytes
  const [fits] = await storeAll(wallet, ['x'.repeat(rest)])
  expect(fits?.body).toMatchObject({ used: { records: 59, bytes: 4_194_304 } })
  const [full] = await storeAll(wallet, ['y'])
  expect(full).toMatchObject({
    status: 409,
    body: { limit: 'bytesPerWallet', used: { records: 59, bytes: 4_194_304 } },
  })
  expect(await countRows(wallet)).toEqual({ records: 59, bytes: 4_194_304 })
})

verifies(
  ['trust.inbox.limits', 'trust.calls'],
  'a store that loses 32 attempts is 503 and not charged',
  async () => {
    const wallet = await openTrustWallet(apis)
    await wallet.call(inbox, evidenceOf('first'))
    // As if another process had been quicker each time.
    await sql`create sequence lost_attempts`.execute(apis.db)
    await sql`create function lose_attempt() returns trigger language plpgsql security definer as $$
      begin perform nextval('lost_attempts'); return null; end $$`.execute(apis.db)
    await sql`create trigger a_lose before update on proof_inboxes for each row
      when (new.wallet = ${sql.lit(wallet.address.toLowerCase())}) execute function lose_attempt()`.execute(
      apis.db,
    )
    const body = evidenceOf('second')
    const lost = await wallet.call(inbox, body)
    const { rows } = await sql<{
      attempts: string
    }>`select last_value as attempts from lost_attempts`.execute(apis.db)
    await sql`drop trigger a_lose on proof_inboxes`.execute(apis.db)
    expect(lost).toMatchObject({
      status: 503,
      body: { code: 'contention', retryable: true, money_moved: 'no' },
    })
    expect(rows).toEqual([{ attempts: '32' }])
    const open = await apis.db
      .selectFrom('calls')
      .select('grant_state')
      .where('caller', '=', `wallet:${wallet.address.toLowerCase()}`)
      .where('key', '=', body.idempotency_key)
      .execute()
    expect(open).toEqual([{ grant_state: 'released' }])
    expect(await wallet.call(inbox, body)).toMatchObject({
      status: 201,
      body: { used: { records: 2 } },
    })
  },
)

verifies('trust.inbox.read', 'a list is newest first, in pages of at most 25', async () => {
  const wallet = await openTrustWallet(apis)
  await addCredits(apis.db, wallet.address, 40)
  const ids: unknown[] = []
  for (let at = 0; at < 30; at++)
    ids.unshift((await wallet.call(inbox, evidenceOf(`text ${at}`))).body['proof_id'])
  const idsOf = async (offset: number, limit: number) => {
    const { body } = await wallet.call(inbox, { mode: 'list', offset, limit })
    expect(body).toMatchObject({ offset, limit, total: 30 })
    return (body['proofs'] as { proof_id: string }[]).map(({ proof_id }) => proof_id)
  }
  expect(await idsOf(0, 25)).toEqual(ids.slice(0, 25))
  expect(await idsOf(25, 25)).toEqual(ids.slice(25))
  expect(await idsOf(255, 1)).toEqual([])
  for (const page of [
    { offset: 256, limit: 1 },
    { offset: -1, limit: 1 },
    { offset: 0, limit: 26 },
    { offset: 0, limit: 0 },
  ])
    expect((await wallet.call(inbox, { mode: 'list', ...page })).status).toBe(400)
})

verifies(
  'trust.inbox.read',
  'a proof is retrieved with its receipt, by its owner alone',
  async () => {
    const [wallet, other] = await Promise.all([openTrustWallet(apis), openTrustWallet(apis)])
    const { body: stored } = await wallet.call(inbox, evidenceOf('mine', 'a label'))
    const ask = { mode: 'retrieve', proof_id: stored['proof_id'] }
    expect((await wallet.call(inbox, ask)).body).toEqual({
      proof: { kind: 'evidence', content: 'mine', label: 'a label' },
      proof_id: stored['proof_id'],
      stored_at: stored['stored_at'],
      inclusion_receipt: stored['inclusion_receipt'],
    })
    expect(await other.call(inbox, ask)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect((await other.call(inbox, list)).body).toMatchObject({ proofs: [], total: 0 })
  },
)

verifies('trust.inbox.genuine', 'only genuine passports and packs are stored', async () => {
  const wallet = await openTrustWallet(apis)
  const { body: built } = await wallet.call(handoff, packFor(wallet.address))
  const pack = String(built['handoff_pack'])
  const store = (kind: string, content: string) =>
    wallet.call(inbox, {
      mode: 'store',
      idempotency_key: freshKey(),
      proof: { kind, content, label: 'l' },
    })
  expect(await store('handoff_pack', pack)).toMatchObject({ status: 201, body: { verified: true } })
  const flipped = `${pack.slice(0, -2)}${pack.at(-2) === 'A' ? 'B' : 'A'}${pack.at(-1)}`
  for (const [kind, content, reason] of [
    ['receipt_passport', pack, 'wrong_type'],
    ['handoff_pack', flipped, 'signature_invalid'],
    ['handoff_pack', 'anything', 'malformed'],
  ] as const) {
    const answer = await store(kind, content)
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'receipt_invalid', errors: [{ pointer: '/proof/content', message: reason }] },
    })
  }
  expect(await usedOf(wallet)).toMatchObject({ records: 1 })
})
