import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { bodySha256 } from '#domain/payouts/wallet-proof.ts'
import { post, proofOf } from '../../../support/agent.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import {
  addCredits,
  evidenceOf,
  freshKey,
  handoff,
  inbox,
  openTrustWallet,
  packFor,
  passport,
  settledPayment,
  type TrustWallet,
} from '../../../support/trust-wallet.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ apis: 2, env: { LIMIT_WALLET_PER_MINUTE: '2000' } })
})
afterAll(async () => {
  await apis?.stop()
})

const issueOf = (work: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  mode: 'issue',
  idempotency_key: freshKey(),
  work,
  usage: 'synthetic',
  ...more,
})
const freeCall = (nonce: string) => ({ kind: 'wallet_free_call', nonce })
const verifyOf = (text: unknown) => ({ mode: 'verify', passport: text })
const issue = (wallet: TrustWallet, work: Record<string, unknown>) =>
  wallet.call(passport, issueOf(work))

verifies(
  'trust.passport.issue',
  'a free call becomes a passport that says what it was',
  async () => {
    const wallet = await openTrustWallet(apis)
    const body = evidenceOf('seen')
    const { nonce } = await wallet.call(inbox, body)
    const answer = await issue(wallet, freeCall(nonce))
    expect(answer.status).toBe(201)
    const claims = {
      iss: `${apis.config.BASE_URL}/api/trust-contract`,
      sub: `eip155:8453:${wallet.address.toLowerCase()}`,
      kind: 'receipt_passport',
      usage: 'synthetic',
      work: freeCall(nonce),
      proven: {
        outcome: 'succeeded',
        operation: 'proof-store',
        path: inbox,
        body_sha256: bodySha256(body),
        status: 201,
        payment: null,
      },
    }
    expect(answer.body).toMatchObject({
      passport_id: expect.stringMatching(/^pp_[0-9a-f]{64}$/),
      claims,
      receipt: { kind: 'passport', subject: answer.body['passport_id'] },
    })
  },
)

verifies('trust.passport.label', 'synthetic work gets no operational passport', async () => {
  const wallet = await openTrustWallet(apis)
  const labelOf = async (work: Record<string, unknown>, usage: string) => {
    const answer = await wallet.call(passport, issueOf(work, { usage }))
    expect(answer.status).toBe(201)
    const { claims, receipt } = answer.body as Record<string, Record<string, unknown>>
    expect(receipt?.['payload']).toMatchObject({ usage: claims?.['usage'] })
    return { usage: claims?.['usage'], nonce: answer.nonce }
  }
  const built = async (usage: string) => {
    const answer = await wallet.call(handoff, packFor(`0x${'b1'.repeat(20)}`, { usage }))
    expect(answer.status).toBe(201)
    return answer
  }
  const synthetic = await labelOf(freeCall((await built('synthetic')).nonce), 'operational')
  expect(synthetic.usage).toBe('synthetic')
  // The passport is work of its own, with the label that it got.
  expect((await labelOf(freeCall(synthetic.nonce), 'operational')).usage).toBe('synthetic')
  const operational = freeCall((await built('operational')).nonce)
  expect((await labelOf(operational, 'operational')).usage).toBe('operational')
  // Work that declares nothing has the label of the issue.
  const { nonce } = await wallet.call(inbox, evidenceOf('seen'))
  expect((await labelOf(freeCall(nonce), 'operational')).usage).toBe('operational')

  await addCredits(apis.db, wallet.address.toLowerCase(), 1)
  const paid = await built('synthetic')
  const { call_id } = await apis.db
    .selectFrom('calls')
    .select('call_id')
    .where('proof_nonce', '=', paid.nonce)
    .executeTakeFirstOrThrow()
  const row = { ...settledPayment(wallet.address.toLowerCase()), call_id }
  await apis.db
    .insertInto('payments')
    .values(row as never)
    .execute()
  const payment = { kind: 'settled_payment', payment_id: row.payment_id }
  expect((await labelOf(payment, 'operational')).usage).toBe('synthetic')
})

verifies('trust.passport.issue', 'a settled payment becomes a passport with its hash', async () => {
  const wallet = await openTrustWallet(apis)
  const row = settledPayment(wallet.address.toLowerCase())
  await apis.db
    .insertInto('payments')
    .values(row as never)
    .execute()
  const answer = await issue(wallet, { kind: 'settled_payment', payment_id: row.payment_id })
  expect(answer.status).toBe(201)
  expect(answer.body).toMatchObject({
    claims: {
      proven: {
        outcome: 'settled',
        payment: {
          payment_id: row.payment_id,
          payer: wallet.address.toLowerCase(),
          amount_atomic: '100000',
          transaction_hash: row.transaction_hash,
          block_number: 7,
        },
      },
    },
  })
})

verifies('trust.passport.not-found', 'other wallets and failed calls prove nothing', async () => {
  const [wallet, other] = await Promise.all([openTrustWallet(apis), openTrustWallet(apis)])
  const { nonce } = await other.call(inbox, evidenceOf('seen'))
  const failed = await wallet.call(inbox, { mode: 'retrieve', proof_id: 'ab'.repeat(32) })
  expect(failed.status).toBe(404)
  const theirs = settledPayment(other.address.toLowerCase())
  const pending = { ...settledPayment(wallet.address.toLowerCase()), state: 'pending' }
  const rows = [theirs, { ...pending, finalized: false }]
  await apis.db
    .insertInto('payments')
    .values(rows as never)
    .execute()
  const items = [
    freeCall(nonce),
    freeCall(failed.nonce),
    freeCall(randomBytes(16).toString('hex')),
    { kind: 'settled_payment', payment_id: theirs.payment_id },
    { kind: 'settled_payment', payment_id: pending.payment_id },
    { kind: 'settled_payment', payment_id: randomBytes(32).toString('hex') },
  ]
  for (const work of items) {
    const answer = await issue(wallet, work)
    expect(answer, JSON.stringify(work)).toMatchObject({
      status: 404,
      body: { code: 'work_not_found' },
    })
  }
})

verifies(
  ['trust.passport.one', 'trust.calls'],
  '20 parallel issues for one work make one passport',
  async () => {
    const wallet = await openTrustWallet(apis)
    const { nonce } = await wallet.call(inbox, evidenceOf('seen'))
    await addCredits(apis.db, wallet.address, 20)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        wallet.call(passport, issueOf(freeCall(nonce)), at % 2),
      ),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused).toHaveLength(19)
    for (const { body } of refused)
      expect(body).toMatchObject({
        code: 'work_already_attested',
        passport_id: made[0]?.body['passport_id'],
      })
    const used = await apis.db
      .selectFrom('calls')
      .select('call_id')
      .where('caller', '=', `wallet:${wallet.address.toLowerCase()}`)
      .where('grant_state', '=', 'used')
      .execute()
    expect(used).toHaveLength(2)
  },
)

verifies('trust.calls', 'a repeat under one key gets the first passport', async () => {
  const wallet = await openTrustWallet(apis)
  const { nonce } = await wallet.call(inbox, evidenceOf('seen'))
  const body = issueOf(freeCall(nonce))
  const [first, again] = [await wallet.call(passport, body), await wallet.call(passport, body)]
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const other = await wallet.call(passport, { ...body, usage: 'operational' })
  expect(other.body['code']).toBe('idempotency_conflict')
})

verifies('trust.calls', 'after ten free calls a trust call is offered its price', async () => {
  const wallet = await openTrustWallet(apis)
  const list = { mode: 'list', offset: 0, limit: 25 }
  for (let at = 0; at < 10; at++) expect((await wallet.call(inbox, list)).status).toBe(200)
  const answer = await wallet.call(inbox, list)
  expect(answer).toMatchObject({ status: 402, body: { code: 'payment_required' } })
})

verifies('trust.passport.verify', 'any wallet verifies a passport with its key', async () => {
  const [wallet, other] = await Promise.all([openTrustWallet(apis), openTrustWallet(apis)])
  const { nonce } = await wallet.call(inbox, evidenceOf('seen'))
  const { body: issued } = await issue(wallet, freeCall(nonce))
  const answer = await other.call(passport, verifyOf(issued['passport']))
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    valid: true,
    reasons: [],
    claims: issued['claims'],
    key: { standing_at_issue: 'active', standing_now: 'active' },
    verification_packet: { verified: true, kind: 'passport' },
  })
})

verifies(
  'trust.passport.verify',
  'a passport that is not ours is 200 with the reason',
  async () => {
    const wallet = await openTrustWallet(apis)
    for (const text of ['x', 'a.b.c', 'e30.e30.e30', '☃'.repeat(24_000)]) {
      const answer = await wallet.call(passport, verifyOf(text))
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({ valid: false, claims: null, key: null })
      expect(answer.body['reasons']).toHaveLength(1)
    }
  },
)

verifies('trust.bodies', '24000 escaped characters fit, and over 300000 bytes do not', async () => {
  const wallet = await openTrustWallet(apis)
  const escaped = (count: number) => `"${'\\u2603'.repeat(count)}"`
  const { account } = wallet

  const send = async (path: string, body: Record<string, unknown>, text: string) => {
    const proof = await proofOf(account, apis.config.BASE_URL, path, body)
    return post(`${apis.hosts[0]?.base}${path}`, text, proof)
  }
  const content = '☃'.repeat(24_000)
  const stored = evidenceOf(content)
  const text = JSON.stringify(stored).replace(JSON.stringify(content), escaped(24_000))
  expect(text.length).toBeGreaterThan(144_000)
  expect((await send(inbox, stored, text)).status).toBe(201)
  const asked = verifyOf(content)
  const askedText = JSON.stringify(asked).replace(JSON.stringify(content), escaped(24_000))
  expect((await send(passport, asked, askedText)).status).toBe(200)
  const large = verifyOf('x'.repeat(300_001))
  expect((await send(passport, large, JSON.stringify(large))).status).toBe(413)
  const tooLong = verifyOf('x'.repeat(24_001))
  expect((await send(passport, tooLong, JSON.stringify(tooLong))).status).toBe(400)
})
