import { afterAll, beforeAll, expect } from 'vitest'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import {
  addCredits,
  freshKey,
  handoff,
  openTrustWallet,
  packFor,
  type TrustWallet,
} from '../../../support/trust-wallet.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let builder: TrustWallet
let recipient: TrustWallet
beforeAll(async () => {
  apis = await startComposed({ apis: 2, env: { LIMIT_WALLET_PER_MINUTE: '2000' } })
  ;[builder, recipient] = await Promise.all([openTrustWallet(apis), openTrustWallet(apis)])
  for (const { address } of [builder, recipient]) await addCredits(apis.db, address, 100)
})
afterAll(async () => {
  await apis?.stop()
})

const build = (more: Record<string, unknown> = {}) =>
  builder.call(handoff, packFor(recipient.address, more))
const permissions = (more: Record<string, unknown>) => ({
  permissions: { ...(packFor(recipient.address)['permissions'] as object), ...more },
})
const state = (status: string, more: Record<string, unknown> = {}) => ({
  state: { status, checkpoint: 'c', evidence_sha256: [], ...more },
})
const account = ({ address }: TrustWallet) => `eip155:8453:${address.toLowerCase()}`
const verify = (wallet: TrustWallet, pack: unknown) =>
  wallet.call(handoff, { mode: 'verify', handoff_pack: pack })

verifies(
  ['trust.pack.build', 'trust.calls'],
  'a pack names builder, recipient and expiry',
  async () => {
    const body = packFor(recipient.address)
    const first = await builder.call(handoff, body)
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({
      pack_id: expect.stringMatching(/^hp_[0-9a-f]{64}$/),
      expires_at: 4_000_000_000,
      receipt: { kind: 'handoff', payload: { pack_sha256: first.body['pack_sha256'] } },
    })
    const checked = await verify(recipient, first.body['handoff_pack'])
    const { task, permissions: allowed, state: where } = body
    expect(checked.body['pack']).toMatchObject({
      sub: account(builder),
      aud: account(recipient),
      exp: 4_000_000_000,
      task,
      permissions: allowed,
      state: where,
    })
    expect((await builder.call(handoff, body, 1)).body).toEqual(first.body)
  },
)

verifies('trust.pack.verify', 'only the recipient is permitted anything', async () => {
  const { body } = await build()
  const [theirs, ours] = await Promise.all([
    verify(recipient, body['handoff_pack']),
    verify(builder, body['handoff_pack']),
  ])
  expect(theirs.body).toMatchObject({
    valid: true,
    expired: false,
    recipient_matches: true,
    permitted: {
      allowed_actions: ['read', 'comment'],
      resources: ['https://example.com/books/march'],
    },
    key: { standing_at_issue: 'active', standing_now: 'active' },
    verification_packet: { verified: true, kind: 'handoff' },
  })
  expect(ours.body).toMatchObject({
    valid: true,
    recipient_matches: false,
    permitted: { allowed_actions: [], resources: [] },
  })
})

verifies('trust.pack.verify', 'a pack permits nothing once it has expired', async () => {
  const expires_at = Math.floor(Date.now() / 1000) + 6
  const { status, body } = await build(permissions({ expires_at }))
  expect(status).toBe(201)
  await new Promise((resolve) => setTimeout(resolve, (expires_at + 1) * 1000 - Date.now()))
  const checked = await verify(recipient, body['handoff_pack'])
  expect(checked.body).toMatchObject({
    valid: false,
    reasons: ['expired'],
    expired: true,
    recipient_matches: true,
    permitted: { allowed_actions: [], resources: [] },
  })
})

verifies('trust.pack.build', 'an expiry that is not in the future is 410', async () => {
  for (const expires_at of [1, Math.floor(Date.now() / 1000) - 1])
    expect(await build(permissions({ expires_at }))).toMatchObject({
      status: 410,
      body: { code: 'expired', errors: [{ pointer: '/permissions/expires_at' }] },
    })
})

verifies('trust.pack.build', '12000 bytes of canonical JSON pass and 12001 are 413', async () => {
  const texts = (context: number, checkpoint: number) => ({
    task: { task_id: freshKey(), objective: 'ä'.repeat(1_000), context: 'x'.repeat(context) },
    ...state('pending', { checkpoint: 'ä'.repeat(checkpoint) }),
  })
  const bytesOf = (body: unknown) => Buffer.byteLength(canonicalJson(body))
  const fitted = (bytes: number) => {
    const body = packFor(recipient.address, texts(1, 2_900))
    const missing = bytes - bytesOf(body)
    return { ...body, task: { ...(body['task'] as object), context: 'x'.repeat(1 + missing) } }
  }
  const [fits, over] = [fitted(12_000), fitted(12_001)]
  expect([bytesOf(fits), bytesOf(over)]).toEqual([12_000, 12_001])
  expect((await builder.call(handoff, fits)).status).toBe(201)
  expect(await builder.call(handoff, over)).toMatchObject({
    status: 413,
    body: { code: 'payload_too_large' },
  })
})

verifies('trust.pack.build', 'fields outside the schema are 400', async () => {
  const digest = 'ab'.repeat(32)
  const wrong = [
    { recipient_wallet: `0x${'0'.repeat(40)}` },
    permissions({ may_redelegate: true }),
    permissions({ allowed_actions: ['read', 'read'] }),
    permissions({ resources: Array.from({ length: 17 }, (_, at) => `r${at}`) }),
    permissions({ expires_at: 4_102_444_801 }),
    state('pending', { evidence_sha256: [digest.toUpperCase()] }),
    state('pending', { evidence_sha256: [digest, digest] }),
    state('done'),
    { usage: 'unspecified' },
    { surplus: 1 },
    { idempotency_key: 'a.b' },
  ]
  for (const more of wrong) expect((await build(more)).status, JSON.stringify(more)).toBe(400)
})

verifies('trust.pack.series', 'packs of a task follow the statuses and end completed', async () => {
  const task = { task_id: freshKey(), objective: 'o', context: 'c' }
  const next = async (status: string) => (await build({ task, ...state(status) })).status
  const asked: [string, number][] = [
    ['pending', 201],
    ['blocked', 409],
    ['in_progress', 201],
    ['pending', 409],
    ['blocked', 201],
    ['completed', 409],
    ['in_progress', 201],
    ['completed', 201],
    ['completed', 409],
    ['in_progress', 409],
  ]
  for (const [status, answer] of asked)
    expect([status, await next(status)]).toEqual([status, answer])
  const refused = await build({ task, ...state('pending') })
  expect(refused.body['code']).toBe('wrong_state')
  const others = await recipient.call(handoff, packFor(builder.address, { task }))
  expect(others.status).toBe(201)
})

verifies('trust.pack.series', 'of 10 parallel completions of a task one is built', async () => {
  const task = { task_id: freshKey(), objective: 'o', context: 'c' }
  await build({ task, ...state('in_progress') })
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      builder.call(handoff, packFor(recipient.address, { task, ...state('completed') }), at % 2),
    ),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
})
