import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { HANDOFF_TYP, PackClaims } from '#domain/trust/handoff-pack.ts'
import { PASSPORT_TYP, PassportClaims } from '#domain/trust/passport.ts'
import {
  decodeCompact,
  encodeBase64url,
  type SigningKey,
  signCompact,
} from '../../../../activities/keys/compact.ts'
import { loadKeyRings } from '../../../../activities/keys/key-ring.ts'
import { judgeArtifact } from '../../../../activities/keys/signed-artifact.ts'
import {
  listPublicKeys,
  type SigningKeyRow,
} from '../../../../activities/store/keys/signing-keys.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { neverOver50ms } from '../../../support/never-over.ts'
import {
  addCredits,
  evidenceOf,
  freshKey,
  handoff,
  inbox,
  onceMore,
  openTrustWallet,
  packFor,
  passport,
  scorecard,
  type TrustWallet,
} from '../../../support/trust-wallet.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
let wallet: TrustWallet
let keys: SigningKeyRow[]
let signer: SigningKey
let issued: { passport: string; pack: string; receipt: string }
beforeAll(async () => {
  apis = await startComposed({ env: { LIMIT_WALLET_PER_MINUTE: '5000' } })
  wallet = await openTrustWallet(apis)
  const stored = await wallet.call(inbox, evidenceOf('seen'))
  const work = { kind: 'wallet_free_call', nonce: stored.nonce }
  const asked = { mode: 'issue', idempotency_key: freshKey(), work, usage: 'synthetic' }
  const made = await wallet.call(passport, asked)
  const built = await wallet.call(handoff, packFor(wallet.address))
  await addCredits(apis.db, wallet.address, 400)
  keys = await listPublicKeys(apis.db)
  signer = loadKeyRings(apis.config.SIGNING_KEYS_FILE).receipt.active
  issued = {
    passport: String(made.body['passport']),
    pack: String(built.body['handoff_pack']),
    receipt: String((made.body['receipt'] as { jws: string }).jws),
  }
})
afterAll(async () => {
  await apis?.stop()
})

const issuer = () => `${apis.config.BASE_URL}/api/trust-contract`
const judgePassport = (jws: string) =>
  judgeArtifact(jws, {
    typ: PASSPORT_TYP,
    issuer: issuer(),
    claims: PassportClaims,
    keys,
    storedAt: null,
  }).reasons
const judgePack = (jws: string) =>
  judgeArtifact(jws, {
    typ: HANDOFF_TYP,
    issuer: issuer(),
    claims: PackClaims,
    keys,
    storedAt: null,
  }).reasons
const kinds = () => [
  { jws: issued.passport, typ: PASSPORT_TYP, judge: judgePassport },
  { jws: issued.pack, typ: HANDOFF_TYP, judge: judgePack },
]

type Json = Record<string, unknown>
/** Each member of an object at any depth with another value, and without it. */
function changesOf(value: Json): Json[] {
  return Object.entries(value).flatMap(([name, part]) => {
    const { [name]: _dropped, ...without } = value
    const inner =
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? changesOf(part as Json).map((changed) => ({ ...value, [name]: changed }))
        : []
    return [without, { ...value, [name]: other(part) }, ...inner]
  })
}
function other(part: unknown): unknown {
  if (typeof part === 'string') return `${part}x`
  if (typeof part === 'number') return part + 1
  if (typeof part === 'boolean') return !part
  return part === null ? 0 : null
}
const withPart = (jws: string, at: number, part: string) => jws.split('.').with(at, part).join('.')
const encoded = (value: unknown) => encodeBase64url(Buffer.from(JSON.stringify(value)))

verifies('trust.artifacts.tampered', 'each claim that is changed or dropped is refused', () => {
  for (const { jws, judge } of kinds()) {
    const { payload } = decodeCompact(jws)
    const changes = [...changesOf(payload), { ...payload, surplus: 1 }]
    expect(changes.length).toBeGreaterThan(30)
    expect(judge(jws)).toEqual([])
    for (const changed of changes)
      expect(judge(withPart(jws, 1, encoded(changed))), JSON.stringify(changed)).toEqual([
        'signature_invalid',
      ])
  }
})

verifies(
  'trust.artifacts.tampered',
  'each header that is changed is refused with its reason',
  () => {
    for (const { jws, judge } of kinds()) {
      const { header } = decodeCompact(jws)
      const cases: [Json, string][] = [
        [{ ...header, alg: 'none' }, 'signature_invalid'],
        [{ ...header, alg: 'HS256' }, 'signature_invalid'],
        [{ ...header, kid: 'another' }, 'unknown_key'],
        [{ ...header, kid: undefined }, 'unknown_key'],
        [{ ...header, typ: 'JWT' }, 'wrong_type'],
        [{ ...header, typ: undefined }, 'wrong_type'],
        [{ ...header, crit: ['exp'] }, 'signature_invalid'],
        [{ ...header, jwk: {} }, 'signature_invalid'],
      ]
      for (const [changed, reason] of cases)
        expect(judge(withPart(jws, 0, encoded(changed))), JSON.stringify(changed)).toEqual([reason])
    }
  },
)

verifies('trust.artifacts.tampered', 'no character can be changed, dropped or added', () => {
  for (const { jws, judge } of kinds())
    for (let at = 0; at < jws.length; at++) {
      const swapped = jws[at] === 'A' ? 'B' : 'A'
      const [head, tail] = [jws.slice(0, at), jws.slice(at + 1)]
      for (const text of [`${head}${swapped}${tail}`, `${head}${tail}`, `${head}.${tail}`])
        if (text !== jws) expect(judge(text), `${at}`).not.toEqual([])
    }
})

verifies(
  'trust.artifacts.tampered',
  'signed claims of another form or issuer are refused',
  async () => {
    for (const { jws, typ, judge } of kinds()) {
      const { payload } = decodeCompact(jws)
      const sign = (changed: object) => signCompact(signer, { typ, payload: changed })
      expect(judge(await sign(payload))).toEqual([])
      expect(judge(await sign({ ...payload, iss: 'https://other.example' }))).toEqual([
        'issuer_mismatch',
      ])
      expect(judge(await sign({ ...payload, surplus: 1 }))).toEqual(['claims_invalid'])
      expect(judge(await sign({ ...payload, kind: 'other' }))).toEqual(['claims_invalid'])
    }
  },
)

verifies(
  ['trust.artifacts.tampered', 'trust.passport.verify'],
  'a retired or revoked key is judged by the time of issue',
  () => {
    for (const { jws, typ } of kinds()) {
      const iat = Number(decodeCompact(jws).payload['iat'])
      const judged = (ends: Partial<SigningKeyRow>, storedAt: number | null) => {
        const ended = keys.map((key) => (key.ring === 'receipt' ? { ...key, ...ends } : key))
        const claims = typ === PASSPORT_TYP ? PassportClaims : PackClaims
        const expected = { typ, issuer: issuer(), keys: ended, storedAt }
        const { reasons, key } = judgeArtifact<{ iat: number; iss: string }>(jws, {
          ...expected,
          claims,
        })
        return [reasons, key?.standing_at_issue, key?.standing_now]
      }
      const at = (seconds: number) => new Date(seconds * 1000)
      expect(judged({ retired_at: at(iat + 1) }, null)).toEqual([[], 'active', 'retired'])
      expect(judged({ retired_at: at(iat - 1) }, null)).toEqual([
        ['key_retired'],
        'retired',
        'retired',
      ])
      expect(judged({ revoked_at: at(iat + 1) }, iat)).toEqual([[], 'active', 'revoked'])
      expect(judged({ revoked_at: at(iat + 1) }, null)).toEqual([
        ['key_revoked'],
        'active',
        'revoked',
      ])
    }
  },
)

verifies('trust.artifacts.cross-use', 'no artifact passes for one of another kind', async () => {
  expect(judgePassport(issued.pack)).toEqual(['wrong_type'])
  expect(judgePassport(issued.receipt)).toEqual(['wrong_type'])
  expect(judgePack(issued.passport)).toEqual(['wrong_type'])
  expect(judgePack(issued.receipt)).toEqual(['wrong_type'])
  // The claims of one kind, signed with the right key under the type of the other.
  for (const [typ, jws, judge] of [
    [PASSPORT_TYP, issued.pack, judgePassport],
    [HANDOFF_TYP, issued.passport, judgePack],
  ] as const) {
    const { payload } = decodeCompact(jws)
    expect(judge(await signCompact(signer, { typ, payload }))).toEqual(['claims_invalid'])
  }
  // A key of another ring signs neither.
  const rings = loadKeyRings(apis.config.SIGNING_KEYS_FILE)
  for (const ring of [rings.authority, rings.callback, rings['agent-statement']]) {
    const { payload } = decodeCompact(issued.passport)
    expect(judgePassport(await signCompact(ring.active, { typ: PASSPORT_TYP, payload }))).toEqual([
      'unknown_key',
    ])
  }
  for (const jws of [issued.passport, issued.pack]) {
    const answer = await onceMore(() =>
      fetch(`${apis.hosts[0]?.base}/api/verify-receipt?receipt=${jws}`),
    )
    expect(await answer.json()).toMatchObject({ verified: false, signature: { valid: false } })
  }
})

verifies('trust.foreign-input', 'no text makes a verification throw or take 50 ms', () => {
  const base64url = fc.uint8Array({ maxLength: 300 }).map((bytes) => encodeBase64url(bytes))
  const json = fc.json({ maxDepth: 6 }).map((text) => encodeBase64url(Buffer.from(text)))
  const header = fc.constantFrom(...kinds().map(({ jws }) => jws.split('.')[0] ?? ''))
  const part = fc.oneof(base64url, json, header, fc.string(), fc.string({ unit: 'binary' }))
  const deep = fc
    .integer({ min: 1, max: 8_000 })
    .map((depth) => encodeBase64url(Buffer.from(`${'['.repeat(depth)}${']'.repeat(depth)}`)))
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2_000 }),
    fc.tuple(part, part, part).map((parts) => parts.join('.')),
    fc.tuple(header, fc.oneof(part, deep), part).map((parts) => parts.join('.')),
    fc.integer({ min: 0, max: 24_000 }).map((length) => '.'.repeat(length)),
  )
  const judge = (given: string) => {
    expect(judgePassport(given)).not.toEqual([])
    expect(judgePack(given)).not.toEqual([])
  }
  neverOver50ms(text, judge, 2_000)
})

verifies('trust.foreign-input', 'no body of a stranger is answered with 500', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(issued.passport, issued.pack, issued.receipt),
    fc.json(),
  )
  const body = fc.oneof(
    text.map((passportText) => [passport, { mode: 'verify', passport: passportText }] as const),
    text.map((pack) => [handoff, { mode: 'verify', handoff_pack: pack }] as const),
    fc
      .tuple(text, text, fc.constantFrom('receipt_passport', 'handoff_pack', 'evidence'))
      .map(([content, label, kind]) => [inbox, store({ kind, content, label })] as const),
    fc
      .tuple(fc.jsonValue(), fc.jsonValue())
      .map(
        ([completed_work, payments]) =>
          [scorecard, { mode: 'compute', completed_work, payments }] as const,
      ),
  )
  await fc.assert(
    fc.asyncProperty(body, async ([path, given]) => {
      const { status, body: answer } = await wallet.call(path, given)
      // There is no chain here, so that no score is computed.
      const expected = path === scorecard ? [400, 503] : [200, 201, 400, 422]
      expect(expected, JSON.stringify(answer)).toContain(status)
    }),
    { numRuns: 150 },
  )
})

const store = (proof: unknown) => ({ mode: 'store', idempotency_key: freshKey(), proof })

verifies('trust.secrets', 'secrets in free text are 422 and are kept nowhere', async () => {
  const secret = `sk_live_${'q'.repeat(24)}`
  const task = { task_id: freshKey(), objective: 'o', context: 'c' }
  const permitting = (name: 'allowed_actions' | 'resources'): [string, Json, string] => {
    const allowed = packFor(wallet.address)['permissions'] as Json
    const permissions = { ...allowed, [name]: ['read', secret] }
    return [handoff, packFor(wallet.address, { permissions }), `/permissions/${name}/1`]
  }
  const given: [string, Json, string][] = [
    [inbox, evidenceOf(`my key ${secret}`), '/proof/content'],
    [inbox, evidenceOf('seen', secret), '/proof/label'],
    [inbox, store({ kind: 'handoff_pack', content: secret, label: 'l' }), '/proof/content'],
    [
      inbox,
      store({ kind: 'receipt_passport', content: issued.passport, label: secret }),
      '/proof/label',
    ],
    [passport, { mode: 'verify', passport: secret }, '/passport'],
    [
      handoff,
      { mode: 'verify', handoff_pack: `-----BEGIN PRIVATE KEY-----\n${secret}` },
      '/handoff_pack',
    ],
    [handoff, packFor(wallet.address, { task: { ...task, objective: secret } }), '/task/objective'],
    [handoff, packFor(wallet.address, { task: { ...task, context: secret } }), '/task/context'],
    [
      handoff,
      packFor(wallet.address, {
        state: { status: 'pending', checkpoint: secret, evidence_sha256: [] },
      }),
      '/state/checkpoint',
    ],
    permitting('allowed_actions'),
    permitting('resources'),
  ]
  for (const [path, body, pointer] of given)
    expect(await wallet.call(path, body), pointer).toMatchObject({
      status: 422,
      body: { code: 'forbidden_material', errors: [{ pointer }] },
    })
  expect(apis.logged()).not.toContain(secret)
  for (const table of ['calls', 'proofs', 'handoff_packs', 'receipt_passports', 'receipts']) {
    const { rows } = await sql<{ found: boolean }>`
      select exists (select 1 from ${sql.table(table)} t where t::text like ${`%${secret}%`}) as found`.execute(
      apis.db,
    )
    expect(rows, table).toEqual([{ found: false }])
  }
})

verifies(
  'trust.published',
  'the trust contract lists the operations and their limits',
  async () => {
    const answer = await onceMore(() => fetch(`${apis.hosts[0]?.base}/api/trust-contract`))
    const contract = (await answer.json()) as { operations: { path: string; mode: string }[] }
    expect(contract.operations.map(({ path, mode }) => `${path} ${mode}`)).toEqual([
      `${passport} issue`,
      `${passport} verify`,
      `${inbox} store`,
      `${inbox} list`,
      `${inbox} retrieve`,
      `${scorecard} compute`,
      `${handoff} build`,
      `${handoff} verify`,
    ])
    expect(contract).toMatchObject({
      limits: {
        recordsPerWallet: 256,
        bytesPerWallet: 4_194_304,
        casAttempts: 32,
        proofPageSize: 25,
        handoffInputBytes: 12_000,
        refundsPerScore: 12,
      },
      artifacts: { passport: 'passport+jwt', handoff_pack: 'handoff+jwt' },
      scorecard: { version: 'scorecard.v1', weights: { work_completed: 30 } },
    })
  },
)

verifies(
  'trust.score.chain',
  'without the chain there is no score, and no call is used',
  async () => {
    const body = { mode: 'compute', completed_work: [], payments: [] }
    const other = await openTrustWallet(apis)
    const answer = await other.call(scorecard, body)
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable', money_moved: 'no' } })
    const call = await apis.db
      .selectFrom('calls')
      .select(['grant_state', 'answer_state'])
      .where('caller', '=', `wallet:${other.address.toLowerCase()}`)
      .executeTakeFirstOrThrow()
    expect(call).toEqual({ grant_state: 'open', answer_state: 'open' })
  },
)
