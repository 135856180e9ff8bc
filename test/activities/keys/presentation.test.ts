import { createHash } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc'
import { hashMessage } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  holderBindingHeaders,
  keyBindingPayload,
  sha256Base64url,
} from '#domain/payouts/holder-binding.ts'
import { type SigningKey, signCompact } from '../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import {
  type PresentationContext,
  verifyPresentation,
} from '../../../activities/keys/presentation.ts'
import { presentVersion1, presentVersion2 } from '../../../api/http/present.ts'
import { active } from '../../support/key-status.ts'
import { verifies } from '../../verifies.ts'
import {
  bindingOf,
  type Challenge,
  contextOf,
  digest,
  holder,
  keys,
  newChallenge,
  newMandate,
  nowSeconds,
  origin,
  present,
  refusal,
  treasuryHolder,
} from './treasury.ts'

const b64u = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const parse = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
const check = (
  challenge: Challenge,
  presentation: string,
  more: Partial<PresentationContext> = {},
) => verifyPresentation({ ...contextOf(challenge, presentation), ...more })
const stranger = privateKeyToAccount(`0x${'44'.repeat(32)}`)

const strangerPoint = Buffer.from(stranger.publicKey.slice(4), 'hex')
const strangerCnf = {
  jwk: {
    kty: 'EC',
    crv: 'secp256k1',
    x: strangerPoint.subarray(0, 32).toString('base64url'),
    y: strangerPoint.subarray(32).toString('base64url'),
  },
}

const challenge = await newChallenge()
const challengeOfAnother = await newChallenge('00'.repeat(32))
const mandates = { 1: '', 2: '' }
const presentations = { 1: '', 2: '' }
beforeAll(async () => {
  for (const version of [1, 2] as const) {
    mandates[version] = await newMandate(challenge, version)
    presentations[version] = await present(version, challenge, mandates[version])
  }
})

/** A mandate of our authority with anything in it; `sd` are disclosed claims. */
async function forged({
  header = {},
  payload = {},
  sd = { checkout_jwt: challenge.checkout_jwt },
  sign = keys.authority.active,
}: {
  header?: object
  payload?: object
  sd?: Record<string, unknown>
  sign?: Pick<SigningKey, 'sign'>
}): Promise<{ jwt: string; disclosures: string[] }> {
  const disclosures = Object.entries(sd).map(([name, value], index) =>
    b64u([`salt-${index}`, name, value]),
  )
  const claims = {
    iss: origin,
    vct: 'mandate.checkout.1',
    jti: 'mdt_2',
    iat: nowSeconds,
    exp: challenge.expires_at,
    cnf: { kid: `did:pkh:eip155:8453:${treasuryHolder}` },
    checkout_hash: challenge.checkout_hash,
    _sd: disclosures.map((text) => createHash('sha256').update(text).digest('base64url')).sort(),
    _sd_alg: 'sha-256',
  }
  const input = `${b64u({ alg: 'EdDSA', typ: 'dc+sd-jwt', kid: keys.authority.active.kid, ...header })}.${b64u({ ...claims, ...payload })}`
  return {
    jwt: `${input}.${Buffer.from(await sign.sign(input)).toString('base64url')}`,
    disclosures,
  }
}
const joined = ({ jwt, disclosures }: { jwt: string; disclosures: string[] }): string =>
  [jwt, ...disclosures, ''].join('~')

/** A version 2 presentation of a mandate whose binding is right for exactly these bytes. */
const bound = (mandate: string, more: object = {}) => present(2, challenge, mandate, more)

/** A version 1 binding with anything in header and payload, signed raw by the holder; `written` changes the JSON of the payload. */
async function boundByHand({
  header = {},
  payload = {},
  written = (json) => json,
}: {
  header?: object
  payload?: object
  written?: (json: string) => string
}): Promise<string> {
  const mandate = mandates[1]
  const facts = keyBindingPayload(bindingOf(challenge), sha256Base64url(mandate), nowSeconds)
  const claims = Buffer.from(written(JSON.stringify({ ...facts, ...payload })))
  const input = `${b64u({ ...holderBindingHeaders[1], ...header })}.${claims.toString('base64url')}`
  const hash = `0x${createHash('sha256').update(input).digest('hex')}` as const
  const signature = Buffer.from((await holder.sign({ hash })).slice(2), 'hex').subarray(0, 64)
  return `${mandate}${input}.${signature.toString('base64url')}`
}

/** The same presentation with another signature on its binding. */
const resigned = (
  presentation: string,
  change: (signature: Buffer, input: string) => Buffer,
): string => {
  const cut = presentation.lastIndexOf('.')
  const input = presentation.slice(presentation.lastIndexOf('~') + 1, cut)
  return `${presentation.slice(0, cut)}.${change(Buffer.from(presentation.slice(cut + 1), 'base64url'), input).toString('base64url')}`
}

describe('a presentation', () => {
  test.each([1, 2] as const)(
    'of version %i is bound to holder, mandate, checkout and request',
    async (version) => {
      const sdPart = presentations[version].slice(0, presentations[version].lastIndexOf('~') + 1)
      expect(await check(challenge, presentations[version])).toEqual({
        version,
        holder: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
        mandateIssuer: origin,
        mandateJti: 'mdt_1',
        kbNonce: challenge.nonce,
        checkoutHash: challenge.checkout_hash,
        requestSha256: digest,
        mandateRef: createHash('sha256').update(sdPart).digest('base64url'),
      })
    },
  )

  verifies('binding.v1', 'of version 1 made by the npm library itself is accepted', async () => {
    const library = new SDJwtVcInstance({
      hasher: (data) =>
        createHash('sha256')
          .update(data as string)
          .digest(),
      kbSignAlg: 'ES256K',
      kbSigner: async (input) => {
        const hash = `0x${createHash('sha256').update(input).digest('hex')}` as const
        return Buffer.from((await holder.sign({ hash })).slice(2), 'hex')
          .subarray(0, 64)
          .toString('base64url')
      },
    })
    const { sd_hash: _, ...payload } = keyBindingPayload(bindingOf(challenge), '', nowSeconds)
    const presentation = await library.present(mandates[1], undefined, { kb: { payload } })
    expect(await check(challenge, presentation)).toMatchObject({ version: 1 })
  })

  test('is checked for an earlier use after its proof, before its terms', async () => {
    const asked: object[] = []
    const context = {
      requestSha256: '00'.repeat(32),
      assertUnused: async (proven: object) => void asked.push(proven),
    }
    await expect(check(challenge, presentations[2], context)).rejects.toMatchObject(
      refusal('request_digest_mismatch'),
    )
    expect(asked).toEqual([
      { mandateIssuer: origin, mandateJti: 'mdt_1', kbNonce: challenge.nonce },
    ])
    await expect(check(challenge, resigned(presentations[2], flip), context)).rejects.toBeDefined()
    expect(asked).toHaveLength(1)
  })

  test('of a hand-made mandate is accepted, as a control for the forgeries', async () => {
    expect(await check(challenge, await bound(joined(await forged({}))))).toMatchObject({
      version: 2,
      mandateJti: 'mdt_2',
    })
    expect(await check(challenge, await boundByHand({}))).toMatchObject({ version: 1 })
  })

  test('of another trusted issuer with ES256 is accepted with its one key', async () => {
    const other = keyRings(generateSigningKeys(new Date(nowSeconds * 1000))).checkout.active
    const anchor = {
      iss: 'https://issuer.example',
      kid: 'k1',
      alg: 'ES256',
      publicJwk: other.publicJwk,
    } as const
    const made = await forged({
      header: { alg: 'ES256', kid: 'k1' },
      payload: { iss: anchor.iss },
      sign: other,
    })
    const presentation = await bound(joined(made))
    expect(
      await check(challenge, presentation, { anchors: [{ ...anchor, ...active }] }),
    ).toMatchObject({
      mandateIssuer: anchor.iss,
    })
    await expect(check(challenge, presentation)).rejects.toMatchObject(refusal('issuer_untrusted'))
  })

  test('may disclose what another disclosure references', async () => {
    const inner = b64u(['salt-x', 'note', 'x'])
    const made = await forged({
      sd: { checkout_jwt: challenge.checkout_jwt, extra: { _sd: [sha256Base64url(inner)] } },
    })
    made.disclosures.push(inner)
    expect(await check(challenge, await bound(joined(made)))).toMatchObject({ version: 2 })
  })
})

describe('a key binding', () => {
  const rows: [string, string, () => Promise<string> | string][] = [
    ['stripped', 'key_binding_missing', () => mandates[1]],
    ['that is no token', 'key_binding_invalid', () => `${mandates[1]}x`],
    [
      'version 1 with a broken signature',
      'key_binding_invalid',
      () => resigned(presentations[1], flip),
    ],
    [
      'version 2 with a broken signature',
      'key_binding_invalid',
      () => resigned(presentations[2], flip),
    ],
    [
      'version 1 for another audience',
      'audience_mismatch',
      () => present(1, challenge, mandates[1], { audience: origin }),
    ],
    [
      'version 2 for another audience',
      'audience_mismatch',
      () => present(2, challenge, mandates[2], { audience: origin }),
    ],
    [
      '301 s old',
      'key_binding_expired',
      () => present(2, challenge, mandates[2], { issuedAt: nowSeconds - 301 }),
    ],
    [
      '301 s ahead',
      'key_binding_expired',
      () => present(1, challenge, mandates[1], { issuedAt: nowSeconds + 301 }),
    ],
    [
      'for another nonce',
      'key_binding_invalid',
      async () => present(2, challenge, mandates[2], { nonce: (await newChallenge()).nonce }),
    ],
    [
      'over other transaction data',
      'key_binding_invalid',
      () => present(2, challenge, mandates[2], { requestSha256: '00'.repeat(32) }),
    ],
    [
      'over the text of another origin',
      'key_binding_invalid',
      () => present(2, challenge, mandates[2], { origin: 'https://x.example' }),
    ],
    [
      'over the text with another expiry',
      'key_binding_invalid',
      () => present(2, challenge, mandates[2], { expiresAt: 1 }),
    ],
    [
      'with a further member',
      'key_binding_invalid',
      () => boundByHand({ payload: { scope: 'all' } }),
    ],
    [
      'with two transaction data hashes',
      'key_binding_invalid',
      () => boundByHand({ payload: { transaction_data_hashes: ['a', 'b'] } }),
    ],
    [
      'without the hash algorithm',
      'key_binding_invalid',
      () => boundByHand({ payload: { transaction_data_hashes_alg: undefined } }),
    ],
    [
      'over no transaction data of the challenge',
      'key_binding_invalid',
      () => boundByHand({ payload: { transaction_data_hashes: [sha256Base64url('x')] } }),
    ],
    [
      'by the key of another wallet in cnf',
      'key_binding_invalid',
      async () =>
        presentVersion1(stranger, {
          ...bindingOf(challenge),
          mandate: joined(await forged({ payload: { cnf: strangerCnf } })),
        }),
    ],
    [
      'over another mandate',
      'key_binding_invalid',
      () => boundByHand({ payload: { sd_hash: sha256Base64url(mandates[2]) } }),
    ],
    [
      'of version 2 with a version 1 cnf',
      'key_binding_invalid',
      () => present(2, challenge, mandates[1]),
    ],
    [
      'of version 1 with a version 2 cnf',
      'key_binding_invalid',
      () => present(1, challenge, mandates[2]),
    ],
    ['with alg none', 'key_binding_invalid', () => boundByHand({ header: { alg: 'none' } })],
    ['with alg ES256', 'key_binding_invalid', () => boundByHand({ header: { alg: 'ES256' } })],
    [
      'with typ kb+sd-jwt',
      'key_binding_invalid',
      () => boundByHand({ header: { typ: 'kb+sd-jwt' } }),
    ],
    [
      'with a critical header',
      'key_binding_invalid',
      () => boundByHand({ header: { crit: ['b64'] } }),
    ],
    [
      'of another wallet, version 1',
      'key_binding_invalid',
      () => presentVersion1(stranger, { ...bindingOf(challenge), mandate: mandates[1] }),
    ],
    [
      'of another wallet, version 2',
      'key_binding_invalid',
      () => presentVersion2(stranger, { ...bindingOf(challenge), mandate: mandates[2] }),
    ],
    [
      'of another wallet that names the holder',
      'key_binding_invalid',
      () =>
        presentVersion2(
          { address: holder.address, signMessage: stranger.signMessage },
          { ...bindingOf(challenge), mandate: mandates[2] },
        ),
    ],
    [
      'of version 1 made with a prefixed eth_sign',
      'key_binding_invalid',
      () =>
        presentVersion1(
          { sign: ({ hash }) => holder.sign({ hash: hashMessage({ raw: hash }) }) },
          { ...bindingOf(challenge), mandate: mandates[1] },
        ),
    ],
    ['of version 1 with a high s', 'key_binding_invalid', () => resigned(presentations[1], highS)],
    [
      'of version 1 with its recovery byte',
      'key_binding_invalid',
      () => resigned(presentations[1], (bytes) => Buffer.concat([bytes, Buffer.from([27])])),
    ],
    [
      'of version 1 in DER',
      'key_binding_invalid',
      () =>
        resigned(presentations[1], (bytes) =>
          Buffer.from(secp256k1.Signature.fromCompact(new Uint8Array(bytes)).toBytes('der')),
        ),
    ],
    [
      'of the other challenge of one holder',
      'key_binding_invalid',
      async () => present(2, await newChallenge(), mandates[2]),
    ],
  ]

  for (const [name, code, presentation] of rows) {
    verifies(
      [
        'authorize.key-binding-missing',
        'authorize.key-binding-invalid',
        'authorize.key-binding-expired',
        'authorize.audience',
      ],
      `${name} is refused (${code})`,
      async () => {
        await expect(check(challenge, await presentation())).rejects.toMatchObject(refusal(code))
      },
    )
  }

  verifies('calls.one-reader', 'that can be read in two ways is refused', async () => {
    const twice = (json: string) => json.replace('"iat"', '"iat":1,"iat"')
    const marked = (json: string) => `\ufeff${json}`
    for (const written of [twice, marked])
      await expect(check(challenge, await boundByHand({ written }))).rejects.toMatchObject(
        refusal('key_binding_invalid'),
      )
    expect(await check(challenge, await boundByHand({}))).toMatchObject({ version: 1 })
  })

  test.each([-300, 300])('whose iat is %i s from now is accepted', async (offset) => {
    const presentation = await present(2, challenge, mandates[2], { issuedAt: nowSeconds + offset })
    expect(await check(challenge, presentation)).toMatchObject({ version: 2 })
  })

  test('for a contract wallet is handed over whole; no answer is no refusal', async () => {
    const long = resigned(presentations[2], () => Buffer.alloc(130, 7))
    const asked: string[] = []
    const verifyWalletMessage = async (_: string, __: string, signature: string) =>
      asked.push(signature) > 0
    expect(await check(challenge, long, { verifyWalletMessage })).toMatchObject({ version: 2 })
    expect(asked).toEqual([`0x${'07'.repeat(130)}`])
    const down = check(challenge, long, {
      verifyWalletMessage: () => Promise.reject(new Error('rpc down')),
    })
    await expect(down).rejects.toThrow('rpc down')
  })
})

describe('a mandate', () => {
  const other = keyRings(generateSigningKeys(new Date(nowSeconds * 1000))).authority.active
  const es256 = keys.checkout.active
  const rows: [string, string, () => Parameters<typeof forged>[0]][] = [
    ['with alg none', 'mandate_invalid', () => ({ header: { alg: 'none' } })],
    [
      'with alg ES256 over an Ed25519 signature',
      'mandate_invalid',
      () => ({ header: { alg: 'ES256' } }),
    ],
    ['with alg ES256K', 'mandate_invalid', () => ({ header: { alg: 'ES256K' } })],
    ['signed with our checkout key', 'mandate_invalid', () => ({ sign: es256 })],
    ['signed with another key under our kid', 'mandate_invalid', () => ({ sign: other })],
    ['with an unknown kid', 'issuer_untrusted', () => ({ header: { kid: 'x' } })],
    ['without a kid', 'issuer_untrusted', () => ({ header: { kid: undefined } })],
    [
      'of another issuer under our kid',
      'issuer_untrusted',
      () => ({ payload: { iss: 'https://other.example' } }),
    ],
    [
      'with our receipt key as kid',
      'issuer_untrusted',
      () => ({ header: { kid: keys.receipt.active.kid }, sign: keys.receipt.active }),
    ],
    ['with typ vc+sd-jwt', 'mandate_invalid', () => ({ header: { typ: 'vc+sd-jwt' } })],
    ['without a typ', 'mandate_invalid', () => ({ header: { typ: undefined } })],
    ['with a critical header', 'mandate_invalid', () => ({ header: { crit: ['exp'] } })],
    ['without a vct', 'mandate_invalid', () => ({ payload: { vct: undefined } })],
    [
      'with the vct of a payment',
      'mandate_invalid',
      () => ({ payload: { vct: 'mandate.payment.1' } }),
    ],
    [
      'with an open vct',
      'mandate_invalid',
      () => ({ payload: { vct: 'mandate.checkout.open.1' } }),
    ],
    ['with _sd_alg sha-1', 'mandate_invalid', () => ({ payload: { _sd_alg: 'sha-1' } })],
    [
      'with a status claim',
      'mandate_invalid',
      () => ({ payload: { status: { status_list: { idx: 0, uri: 'http://127.0.0.1:1/' } } } }),
    ],
    [
      'with a disclosed status claim',
      'mandate_invalid',
      () => ({ sd: { checkout_jwt: challenge.checkout_jwt, status: {} } }),
    ],
    ['without a jti', 'mandate_invalid', () => ({ payload: { jti: undefined } })],
    ['without a cnf', 'mandate_invalid', () => ({ payload: { cnf: undefined } })],
    [
      'with a cnf of both kinds',
      'key_binding_invalid',
      () => ({ payload: { cnf: { kid: `did:pkh:eip155:8453:${treasuryHolder}`, jwk: {} } } }),
    ],
    [
      'bound to another wallet',
      'key_binding_invalid',
      () => ({
        payload: { cnf: { kid: `did:pkh:eip155:8453:${stranger.address.toLowerCase()}` } },
      }),
    ],
    ['without an exp', 'mandate_invalid', () => ({ payload: { exp: undefined } })],
    ['without an iat', 'mandate_invalid', () => ({ payload: { iat: undefined } })],
    ['that expired 31 s ago', 'mandate_invalid', () => ({ payload: { exp: nowSeconds - 31 } })],
    ['from 31 s ahead', 'mandate_invalid', () => ({ payload: { iat: nowSeconds + 31 } })],
    [
      'not valid before 31 s from now',
      'mandate_invalid',
      () => ({ payload: { nbf: nowSeconds + 31 } }),
    ],
    [
      'without a checkout hash',
      'mandate_invalid',
      () => ({ payload: { checkout_hash: undefined } }),
    ],
    [
      'with another checkout hash',
      'mandate_invalid',
      () => ({ payload: { checkout_hash: challengeOfAnother.checkout_hash } }),
    ],
    [
      'that discloses over a plain claim',
      'mandate_invalid',
      () => ({ sd: { checkout_jwt: challenge.checkout_jwt, jti: 'x' } }),
    ],
    [
      'that discloses its expiry',
      'mandate_invalid',
      () => ({
        payload: { exp: undefined },
        sd: { checkout_jwt: challenge.checkout_jwt, exp: challenge.expires_at },
      }),
    ],
    [
      'with seventeen disclosures',
      'mandate_invalid',
      () => ({
        sd: {
          checkout_jwt: challenge.checkout_jwt,
          ...Object.fromEntries([...'abcdefghijklmnop'].map((name) => [name, 1])),
        },
      }),
    ],
  ]

  for (const [name, code, flaw] of rows) {
    verifies(
      ['authorize.mandate-invalid', 'authorize.issuer-untrusted'],
      `${name} is refused (${code})`,
      async () => {
        const presentation = await bound(joined(await forged(await flaw())))
        await expect(check(challenge, presentation)).rejects.toMatchObject(refusal(code))
      },
    )
  }

  const disclosureRows: [string, (jwt: string, disclosures: string[]) => string[]][] = [
    ['dropped', (jwt, [, second = '']) => [jwt, second]],
    ['all dropped', (jwt) => [jwt]],
    ['repeated', (jwt, [first = '', second = '']) => [jwt, first, first, second]],
    ['added', (jwt, all) => [jwt, ...all, b64u(['salt', 'admin', true])]],
    ['in another encoding', (jwt, [first = '', second = '']) => [jwt, `${first}=`, second]],
    ['empty', (jwt, all) => [jwt, ...all, '']],
  ]

  test.each(disclosureRows)('with a disclosure %s is refused', async (_, change) => {
    const { jwt, disclosures } = await forged({
      sd: { checkout_jwt: challenge.checkout_jwt, note: 'x' },
    })
    const presentation = await bound([...change(jwt, disclosures), ''].join('~'))
    await expect(check(challenge, presentation)).rejects.toMatchObject(refusal('mandate_invalid'))
  })

  test('with disclosures reordered behind the binding is refused', async () => {
    const { jwt, disclosures } = await forged({
      sd: { checkout_jwt: challenge.checkout_jwt, note: 'x' },
    })
    const presentation = await bound([jwt, ...disclosures, ''].join('~'))
    const reordered = [
      jwt,
      ...disclosures.toReversed(),
      presentation.slice(presentation.lastIndexOf('~') + 1),
    ].join('~')
    await expect(check(challenge, reordered)).rejects.toMatchObject(refusal('key_binding_invalid'))
  })

  test('that discloses one claim twice under two salts is refused', async () => {
    const twice = ['a', 'b'].map((salt) => b64u([salt, 'note', salt]))
    const sd = [...(await forged({})).disclosures, ...twice]
    const { jwt } = await forged({ payload: { _sd: sd.map(sha256Base64url) } })
    const presentation = await bound([jwt, ...sd, ''].join('~'))
    await expect(check(challenge, presentation)).rejects.toMatchObject(refusal('mandate_invalid'))
  })

  test('with a status claim is refused without asking the URL in it', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    const status = { status_list: { idx: 0, uri: 'http://127.0.0.1:1/' } }
    const presentation = await bound(joined(await forged({ payload: { status } })))
    await expect(check(challenge, presentation)).rejects.toMatchObject(refusal('mandate_invalid'))
    expect(fetched).not.toHaveBeenCalled()
    fetched.mockRestore()
  })

  test('that makes the presentation longer than 24576 letters is refused', async () => {
    const padded = async (letters: number) =>
      bound(
        joined(
          await forged({ sd: { checkout_jwt: challenge.checkout_jwt, note: 'a'.repeat(letters) } }),
        ),
      )
    expect(await check(challenge, await padded(16_000))).toMatchObject({ version: 2 })
    await expect(check(challenge, await padded(18_000))).rejects.toMatchObject(
      refusal('mandate_invalid'),
    )
  })

  test('whose digest stands twice is refused', async () => {
    const { disclosures } = await forged({})
    const twice = disclosures.flatMap((text) => [sha256Base64url(text), sha256Base64url(text)])
    const presentation = await bound(joined(await forged({ payload: { _sd: twice } })))
    await expect(check(challenge, presentation)).rejects.toMatchObject(refusal('mandate_invalid'))
  })

  test.each([
    ['nothing', ''],
    ['no tilde', 'a.b.c'],
    ['only a tilde and a token', '~a.b.c'],
    ['a deep nest', `${b64u({})}.${Buffer.from('['.repeat(9000)).toString('base64url')}.AA~x`],
    ['letters outside ASCII', 'é~é'],
    ['too many letters', `${'a'.repeat(24_577)}~x`],
  ])('that is %s is refused', async (_, text) => {
    await expect(check(challenge, text)).rejects.toMatchObject(refusal('mandate_invalid'))
  })
})

describe('a checkout', () => {
  const claims = parse(challenge.checkout_jwt.split('.')[1]!)
  /** A mandate over this checkout, presented for a challenge that names its hash, so that only the checkout is wrong. */
  async function disclosing(checkout: string, request = digest): Promise<unknown> {
    const checkoutHash = sha256Base64url(checkout)
    const claimed = {
      ...contextOf(challenge, '').challenge,
      checkout_hash: checkoutHash,
      request_sha256: request,
    }
    const mandate = joined(
      await forged({ payload: { checkout_hash: checkoutHash }, sd: { checkout_jwt: checkout } }),
    )
    const presentation = await present(2, challenge, mandate, {
      checkoutHash,
      requestSha256: request,
    })
    return check(challenge, presentation, { challenge: claimed })
  }
  const typ = 'service-checkout+jwt'

  test.each([
    [
      'signed with EdDSA',
      () =>
        signCompact(
          { ...keys.authority.active, kid: keys.checkout.active.kid },
          { typ, payload: claims },
        ),
    ],
    [
      'with alg none',
      () => `${b64u({ alg: 'none', typ, kid: keys.checkout.active.kid })}.${b64u(claims)}.`,
    ],
    [
      'that charges the principal',
      () =>
        signCompact(keys.checkout.active, {
          typ,
          payload: { ...claims, totals: [{ type: 'total', amount: 125 }] },
        }),
    ],
    [
      'without a salt',
      () => signCompact(keys.checkout.active, { typ, payload: { ...claims, salt: undefined } }),
    ],
    [
      'of another type',
      () => signCompact(keys.checkout.active, { typ: 'receipt+jwt', payload: claims }),
    ],
  ])('%s is refused', async (_, checkout) => {
    await expect(disclosing(await checkout())).rejects.toMatchObject(refusal('mandate_invalid'))
  })

  test('with another salt is the checkout of another challenge', async () => {
    const salted = await newChallenge()
    const made = await forged({
      payload: { checkout_hash: salted.checkout_hash },
      sd: { checkout_jwt: salted.checkout_jwt },
    })
    await expect(check(challenge, await bound(joined(made)))).rejects.toMatchObject(
      refusal('mandate_invalid'),
    )
  })

  verifies(
    'authorize.request-digest',
    'of another payout is refused even when challenge and binding agree',
    async () => {
      const request = '00'.repeat(32)
      const other = await newChallenge(request)
      await expect(disclosing(other.checkout_jwt, request)).rejects.toMatchObject(
        refusal('request_digest_mismatch'),
      )
    },
  )

  test('is refused when the body asks for other terms than it commits to', async () => {
    const swapped = check(challenge, presentations[2], { requestSha256: '00'.repeat(32) })
    await expect(swapped).rejects.toMatchObject(refusal('request_digest_mismatch'))
  })

  test.each([
    ['a checkout of another payout under a challenge for this one', challengeOfAnother, digest],
    ['this checkout under a challenge for another payout', challenge, '00'.repeat(32)],
  ])('%s is refused', async (_, { checkout_jwt }, request) => {
    await expect(disclosing(checkout_jwt, request)).rejects.toMatchObject(
      refusal('request_digest_mismatch'),
    )
  })

  test('other than the one whose hash the mandate claims is refused', async () => {
    const made = await forged({ sd: { checkout_jwt: (await newChallenge()).checkout_jwt } })
    await expect(check(challenge, await bound(joined(made)))).rejects.toMatchObject(
      refusal('mandate_invalid'),
    )
  })

  test('that has expired is refused', async () => {
    const expired = await signCompact(keys.checkout.active, {
      typ,
      payload: { ...claims, exp: nowSeconds },
    })
    await expect(disclosing(expired)).rejects.toMatchObject(refusal('challenge_expired'))
  })
})

function flip(bytes: Buffer): Buffer {
  bytes[10] = (bytes[10] ?? 0) ^ 1
  return bytes
}

function highS(bytes: Buffer): Buffer {
  const { r, s } = secp256k1.Signature.fromCompact(new Uint8Array(bytes))
  return Buffer.from(new secp256k1.Signature(r, secp256k1.CURVE.n - s).toBytes('compact'))
}
