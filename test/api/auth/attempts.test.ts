import { randomBytes } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { proofOf } from '../../support/agent.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { insertAuthorizedPayout } from '../../support/payout-rows.ts'
import { within } from '../../support/slowness.ts'
import { settledPayment } from '../../support/trust-wallet.ts'
import { verifies } from '../../verifies.ts'

// No chain answers, so that a call for which it is asked is a 503.
let apis: ComposedApis
const perMinute = 12
beforeAll(async () => {
  const env = { TRUST_PROXY: '1', LIMIT_FAILED_CREDENTIALS_PER_MINUTE: '3' }
  apis = await startComposed({
    env: { ...env, LIMIT_ADDRESS_PER_MINUTE: '20', LIMIT_WALLET_PER_MINUTE: String(perMinute) },
  })
  const paid = settledPayment(payer.address.toLowerCase())
  await apis.db
    .insertInto('payments')
    .values(paid as never)
    .execute()
})
afterAll(() => apis?.stop())

const path = '/api/payout-status'
const payer = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const stranger = privateKeyToAccount(`0x${'12'.repeat(32)}`)

async function read(from: string, body: object, proof: Record<string, string>) {
  const answer = await fetch(`${apis.hosts[0]!.base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...proof },
    body: JSON.stringify(body),
  })
  const { code = 'ok' } = (await answer.json()) as { code?: string }
  return code
}
const unknown = { idempotency_key: 'never-created' }
const proofBy = (account: typeof payer, body: object = unknown) =>
  proofOf(account, apis.config.BASE_URL, path, body)

/** A proof of `payer` that another key signed: the wallet may be a contract, which only the chain knows. */
async function contractProof() {
  const own = await proofBy(payer)
  const other = await proofBy(stranger)
  const read = (headers: Record<string, string>) =>
    JSON.parse(Buffer.from(String(headers['X-Service-Wallet-Proof']), 'base64url').toString())
  const mixed = { ...read(own), signature: read(other).signature }
  return { 'X-Service-Wallet-Proof': Buffer.from(JSON.stringify(mixed)).toString('base64url') }
}

const consoleAs = async (from: string, credential: string) =>
  (
    await fetch(`${apis.hosts[0]!.base}/api/loop-review-console`, {
      headers: { 'x-forwarded-for': from, authorization: `Bearer ${credential}` },
    })
  ).status

verifies(
  'admission.other-services',
  'failed attempts stop chain reads of an address, and keys still pass',
  async () => {
    const from = '192.0.2.10'
    expect(await read(from, unknown, await contractProof())).toBe('unavailable')
    for (let attempt = 0; attempt < 4; attempt++)
      await consoleAs(from, `op_${'0'.repeat(16)}_${randomBytes(32).toString('hex')}`)
    expect(await read(from, unknown, await contractProof())).toBe('rate_limited')
    expect(await read(from, unknown, await proofBy(payer))).toBe('not_found')
    expect(await consoleAs(from, apis.operator)).toBe(200)
    expect(await read('192.0.2.11', unknown, await contractProof())).toBe('unavailable')
  },
)

verifies(
  'admission.failures-cheap',
  'an address over its limit counts no more failures, and keys pass',
  async () => {
    const from = '192.0.2.14'
    const guess = () => consoleAs(from, `op_${'0'.repeat(16)}_${randomBytes(32).toString('hex')}`)
    const counted = async () =>
      (
        await apis.db
          .selectFrom('window_counts')
          .select('points')
          .where('key', '=', `failed:address:${from}`)
          .executeTakeFirst()
      )?.points
    const statuses: number[] = []
    for (let attempt = 0; attempt < 4; attempt++) statuses.push(await guess())
    expect([statuses, await counted()]).toEqual([[401, 401, 401, 429], 4])
    const begun = performance.now()
    expect(await Promise.all(Array.from({ length: 60 }, guess))).toEqual(Array(60).fill(429))
    expect(await counted()).toBe(4)
    // Late answers block no slot: all of them waited at once.
    expect(performance.now() - begun).toBeLessThan(within(7_000))
    expect(await consoleAs(from, apis.operator)).toBe(200)
  },
)

verifies(
  ['admission.other-services', 'admission.new-wallets'],
  'an address without calls left still has its payers and operators',
  async () => {
    const from = '192.0.2.12'
    const reads = Array.from({ length: 25 }, () =>
      fetch(`${apis.hosts[0]!.base}/api/agent-pricing`, { headers: { 'x-forwarded-for': from } }),
    )
    const statuses = (await Promise.all(reads)).map(({ status }) => status)
    expect([statuses.includes(200), statuses.includes(429)]).toEqual([true, true])
    expect(await consoleAs(from, apis.operator)).toBe(200)
    expect(await read(from, unknown, await proofBy(payer))).toBe('not_found')
    expect(await read(from, unknown, await contractProof())).toBe('rate_limited')
    expect(await read(from, unknown, await proofBy(stranger))).toBe('rate_limited')
  },
)

verifies(
  'admission.repeated-read',
  'repeats of a status read with one proof count against its wallet',
  async () => {
    const payout_id = `po_${'7'.repeat(64)}`
    const creator = stranger.address.toLowerCase() as `0x${string}`
    const { ASSET_CONTRACT_ADDRESS: asset, PAYOUT_WALLET_ADDRESS: payout_wallet } = apis.config
    const facts = {
      recipient: `0x${'e5'.repeat(20)}` as const,
      amount_atomic: '1',
      memo: 'm',
      rail_reference: 'r',
    }
    const named = {
      payout_id,
      creator,
      asset,
      payout_wallet,
      idempotency_key: 'k',
      terms_sha256: 'a'.repeat(64),
    }
    await insertAuthorizedPayout(
      apis.db,
      { ...facts, ...named, usage: 'synthetic' },
      Math.floor(Date.now() / 1000) + 3600,
    )
    const body = { payout_id }
    const proof = await proofBy(stranger, body)
    const codes: string[] = []
    for (let call = 0; call < 2 * perMinute; call++)
      codes.push(await read('192.0.2.13', body, proof))
    expect(codes.slice(0, perMinute)).toEqual(Array(perMinute).fill('ok'))
    expect(codes.slice(perMinute)).toEqual(Array(perMinute).fill('rate_limited'))
  },
)
