import fc from 'fast-check'
import { expect } from 'vitest'
import {
  CheckoutMandate,
  OpenCheckoutMandate,
  OpenPaymentMandate,
  PaymentMandate,
} from '#domain/ap2/mandates.ts'
import { DomainError } from '#domain/core/errors.ts'
import { limits } from '#domain/core/limits.ts'
import { readArtifact } from '../../../activities/authority/artifacts.ts'
import { signOpenMandate, verifyAp2Chain } from '../../../activities/keys/ap2-chain.ts'
import { reveal } from '../../../activities/keys/disclosures.ts'
import { currentAnchors } from '../../../activities/keys/key-status.ts'
import { verifyPresentation } from '../../../activities/keys/presentation.ts'
import { agentKeys, closeMandate, disclosureOf, hashOf, signedJwt } from '../../support/ap2.ts'
import { neverOver50ms } from '../../support/never-over.ts'
import { verifies } from '../../verifies.ts'
import {
  anchors,
  contextOf,
  newChallenge,
  newMandate,
  nowSeconds,
  origin,
  present,
  standingKeys,
} from './treasury.ts'

const agent = agentKeys()
const audience = 'https://svc.example/pay'
const nonce = 'n'.repeat(22)
const shop = { id: 'shop', name: 'Shop', website: 'https://shop.example' }
const other = { id: 'other', name: 'Other' }
const wallet = { id: `aw_${'1'.repeat(64)}`, type: 'allowance_wallet' }
const openPayment = {
  vct: 'mandate.payment.open.1' as const,
  constraints: [
    { type: 'payment.reference', conditional_transaction_id: 'x' },
    { type: 'payment.allowed_payees', allowed: [shop, other] },
  ],
  cnf: { jwk: agent.jwk },
  iat: nowSeconds - 10,
  exp: nowSeconds + 1000,
}
const closedPayment = {
  vct: 'mandate.payment.1',
  transaction_id: 'tx',
  payee: shop,
  payment_amount: { amount: 4900, currency: 'USD' },
  payment_instrument: wallet,
}
const issuerKey = standingKeys.signer('authority')
const openOf = (mandate: Parameters<typeof signOpenMandate>[1]['mandate'] = openPayment) =>
  signOpenMandate(issuerKey, { iss: origin, mandate })
const closing = { key: agent.privateKey, aud: audience, nonce, iat: nowSeconds }
const shapes = { open: OpenPaymentMandate, closed: PaymentMandate }
const context = {
  anchors: currentAnchors(anchors, origin, standingKeys),
  nowSeconds,
  audience,
  nonce,
}
const verified = (presentation: string) => verifyAp2Chain(presentation, shapes, context)
function refusedAs(presentation: string): string | undefined {
  try {
    verified(presentation)
  } catch (error) {
    if (error instanceof DomainError) return error.refusal.code
    throw error
  }
  return undefined
}
const close = async (more: object = {}, mandate: object = closedPayment) =>
  closeMandate(await openOf(), mandate, { ...closing, ...more })

verifies('ap2.chain', 'a closed mandate verifies against its open one', async () => {
  const open = await openOf()
  const chain = verified(closeMandate(open, closedPayment, closing))
  expect(chain).toMatchObject({ issuer: origin, open: openPayment, closed: closedPayment })
  expect(chain.openHash).toBe(hashOf(open))
})

verifies(
  'ap2.hidden',
  'withheld payees permit nothing, a withheld constraint is refused',
  async () => {
    const open = await openOf()
    const [jwt = '', ...disclosures] = open.slice(0, -1).split('~')
    const withheld = disclosures.filter(
      (text) => !Buffer.from(text, 'base64url').toString().includes('"other"'),
    )
    expect(withheld).toHaveLength(2)
    const narrower = `${[jwt, ...withheld].join('~')}~`
    const chain = verified(closeMandate(narrower, closedPayment, closing))
    expect(chain.open.constraints[1]).toMatchObject({ allowed: [shop] })
    expect(chain.mandateKey).toBe(verified(closeMandate(open, closedPayment, closing)).mandateKey)

    const budget = disclosureOf({ type: 'payment.budget', max: 1, currency: 'USD' })
    const [reference] = openPayment.constraints
    const hiding = await openOf({
      ...openPayment,
      constraints: [reference ?? {}, { '...': budget.digest }],
    })
    expect(refusedAs(closeMandate(hiding, closedPayment, closing))).toBe('mandate_invalid')
    const shown = verified(closeMandate(`${hiding}${budget.disclosure}~`, closedPayment, closing))
    expect(shown.open.constraints[1]).toMatchObject({ type: 'payment.budget' })
    const hidden = await openOf({ ...openPayment, _sd: [hashOf('anything')] } as typeof openPayment)
    expect(refusedAs(closeMandate(hidden, closedPayment, closing))).toBe('mandate_invalid')
  },
)

verifies('ap2.chain', 'each wrong claim of the closed mandate has its reason', async () => {
  const cases: [string, string][] = [
    [await close({ aud: 'https://other.example' }), 'audience_mismatch'],
    [await close({ nonce: 'm'.repeat(22) }), 'key_binding_invalid'],
    [await close({ iat: nowSeconds - 301 }), 'key_binding_expired'],
    [await close({ iat: nowSeconds + 301 }), 'key_binding_expired'],
    [await close({ key: agentKeys().privateKey }), 'key_binding_invalid'],
    [await close({ header: { typ: 'kb+sd-jwt+kb' } }), 'key_binding_invalid'],
    [await close({ header: { alg: 'none' } }), 'key_binding_invalid'],
    [await close({ header: { crit: ['x'] } }), 'key_binding_invalid'],
    [await close({ payload: { sd_hash: 'x' } }), 'key_binding_invalid'],
    [await close({ payload: { issuer_jwt_hash: 'x' } }), 'key_binding_invalid'],
    [await close({ payload: { _sd_alg: 'sha-512' } }), 'key_binding_invalid'],
    [await close({}, { ...closedPayment, vct: 'mandate.checkout.1' }), 'mandate_invalid'],
    [await close({}, { ...closedPayment, exp: nowSeconds }), 'mandate_invalid'],
    [await close({}, { ...closedPayment, cnf: { jwk: agent.jwk } }), 'mandate_invalid'],
    [await close({}, { ...closedPayment, payee: { id: 'shop' } }), 'mandate_invalid'],
    [closeMandate(await close(), closedPayment, closing), 'mandate_invalid'],
    [`${await close()}x`, 'mandate_invalid'],
    [await openOf(), 'mandate_invalid'],
    ['~', 'mandate_invalid'],
  ]
  for (const [presentation, code] of cases)
    expect([code, refusedAs(presentation)]).toEqual([code, code])
})

verifies('ap2.chain', 'each wrong claim of the open mandate has its reason', async () => {
  const root = (header: object, payload: object) => {
    const { disclosure, digest } = disclosureOf(openPayment)
    const claims = { iss: origin, delegate_payload: [{ '...': digest }], ...payload }
    const jwt = signedJwt({ alg: 'ES256', typ: 'ap2+sd-jwt', ...header }, claims, agent.privateKey)
    return closeMandate(`${jwt}~${disclosure}~`, closedPayment, closing)
  }
  const { kid } = issuerKey
  const cases: [string, string][] = [
    [root({ kid: 'unknown' }, {}), 'issuer_untrusted'],
    [root({ kid }, { iss: 'https://other.example' }), 'issuer_untrusted'],
    [root({ kid }, {}), 'mandate_invalid'],
    [root({ kid, alg: issuerKey.alg }, {}), 'mandate_invalid'],
    [root({ kid, typ: 'dc+sd-jwt' }, {}), 'mandate_invalid'],
    [root({ kid }, { status: {} }), 'mandate_invalid'],
  ]
  const changes = [
    { exp: nowSeconds },
    { iat: nowSeconds + 31 },
    { cnf: { jwk: { ...agent.jwk, crv: 'P-384' } } },
    { constraints: [] },
    { constraints: [...openPayment.constraints, { type: 'payment.unknown' }] },
  ]
  for (const change of changes) {
    const open = await openOf({ ...openPayment, ...change } as typeof openPayment)
    cases.push([closeMandate(open, closedPayment, closing), 'mandate_invalid'])
  }
  for (const [presentation, code] of cases)
    expect([code, refusedAs(presentation)]).toEqual([code, code])
})

verifies('ap2.chain', 'a flip of any member of a presented chain has its code', async () => {
  const presentation = await close()
  const [open = '', closed = ''] = presentation.slice(0, -1).split('~~')
  const [openJwt = '', ...openDisclosures] = open.split('~')
  const [closedJwt = '', ...closedDisclosures] = closed.split('~')
  // What the agent has signed of the open mandate is checked before the mandate itself.
  const ofHop = (jwt: string, disclosures: string[], codes: readonly (readonly string[])[]) => [
    ...jwt.split('.').map((part, at) => [part, codes[at] ?? []] as const),
    ...disclosures.map((part) => [part, codes[3] ?? []] as const),
  ]
  const bound = ['key_binding_invalid']
  const parts = [
    ...ofHop(openJwt, openDisclosures, [bound, bound, bound, bound]),
    ...ofHop(closedJwt, closedDisclosures, [
      bound,
      ['key_binding_invalid', 'audience_mismatch', 'key_binding_expired'],
      bound,
      ['mandate_invalid'],
    ]),
  ]
  let flips = 0
  for (const [part, codes] of parts)
    for (const flipped of flipsOf(part)) {
      const bytes = Buffer.from(flipped, 'base64url')
      const isCanonical = bytes.toString('base64url') === flipped
      const found = refusedAs(presentation.replace(part, flipped))
      expect(isCanonical ? codes : ['mandate_invalid'], `${bytes}`).toContain(found)
      flips += 1
    }
  expect(flips).toBeGreaterThan(40)
})

verifies('ap2.chain', 'a flip in an open mandate that its agent closes has its code', async () => {
  const [jwt = '', ...disclosures] = (await openOf()).slice(0, -1).split('~')
  const [head = '', body = '', signature = ''] = jwt.split('.')
  const refusedOpen = (parts: string[], of = disclosures) =>
    refusedAs(closeMandate(`${[parts.join('.'), ...of].join('~')}~`, closedPayment, closing))
  for (const flipped of flipsOf(head))
    expect(['mandate_invalid', 'issuer_untrusted']).toContain(
      refusedOpen([flipped, body, signature]),
    )
  for (const flipped of flipsOf(body)) {
    const { iss } = JSON.parse(Buffer.from(flipped, 'base64url').toString())
    const code = iss === undefined || iss === origin ? 'mandate_invalid' : 'issuer_untrusted'
    expect(refusedOpen([head, flipped, signature])).toBe(code)
  }
  for (let index = 0; index < signature.length; index++) {
    const other = signature[index] === 'A' ? 'Q' : 'A'
    const changed = signature.slice(0, index) + other + signature.slice(index + 1)
    expect(refusedOpen([head, body, changed])).toBe('mandate_invalid')
  }
  for (const [at, disclosure] of disclosures.entries())
    for (const flipped of flipsOf(disclosure))
      expect(refusedOpen([head, body, signature], disclosures.with(at, flipped))).toBe(
        'mandate_invalid',
      )
})

const reasons = [
  'mandate_invalid',
  'key_binding_invalid',
  'key_binding_expired',
  'issuer_untrusted',
  'audience_mismatch',
]

/** The part with each JSON member changed or left out, or with a byte of a signature changed. */
function flipsOf(part: string): string[] {
  const bytes = Buffer.from(part, 'base64url')
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  try {
    return variants(JSON.parse(bytes.toString())).map(encoded)
  } catch {
    bytes[3] = (bytes[3] ?? 0) ^ 1
    return [bytes.toString('base64url'), `${part.slice(0, -1)}${part.endsWith('B') ? 'C' : 'B'}`]
  }
}

function variants(value: unknown): unknown[] {
  if (typeof value === 'string') return [`${value}x`]
  if (typeof value === 'number') return [value + 1]
  if (Array.isArray(value))
    return value.flatMap((element, index) => [
      value.toSpliced(index, 1),
      ...variants(element).map((one) => value.with(index, one)),
    ])
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    const { [name]: _left, ...rest } = value as Record<string, unknown>
    return [rest, ...variants(member).map((one) => ({ ...value, [name]: one }))]
  })
}

verifies(
  'ap2.cross-use',
  'AP2, payout and authority mandates never pass for each other',
  async () => {
    const challenge = await newChallenge()
    const payout = contextOf(challenge, await present(2, challenge, await newMandate(challenge, 2)))
    expect(refusedAs(payout.presentation)).toBe('mandate_invalid')
    const asPayout = verifyPresentation({ ...payout, presentation: await close() })
    await expect(asPayout).rejects.toThrow(/key_binding_missing/)
    const open = await openOf()
    const [jwt = ''] = open.split('~')
    const binding = payout.presentation.slice(payout.presentation.lastIndexOf('~') + 1)
    for (const presentation of [`${open}${binding}`, `${jwt}~${binding}`])
      await expect(verifyPresentation({ ...payout, presentation })).rejects.toThrow(
        /mandate_invalid/,
      )
    expect(readArtifact('mandate', standingKeys, open)).toEqual({ flaw: 'schema' })
    const asCheckout = { open: OpenCheckoutMandate, closed: CheckoutMandate }
    const closed = await close()
    expect(() => verifyAp2Chain(closed, asCheckout, context)).toThrow(/mandate_invalid/)
  },
)

verifies('ap2.foreign-input', 'no presentation makes a chain throw or take 50 ms', async () => {
  const good = await close()
  const base64url = (text: string) => Buffer.from(text).toString('base64url')
  const deep = fc.integer({ min: 1, max: 4_000 }).map((depth) => '['.repeat(depth))
  const disclosure = fc.oneof(
    fc.jsonValue().map((value) => disclosureOf(value).disclosure),
    fc.tuple(fc.string(), fc.string(), fc.jsonValue()).map((of) => base64url(JSON.stringify(of))),
    deep.map((text) => base64url(`["s",${text}${text.replaceAll('[', ']')}]`)),
  )
  const part = fc.oneof(
    fc.constantFrom(...good.split(/[~.]/)),
    disclosure,
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
    fc.integer({ min: 0, max: 24_000 }).map((length) => '~'.repeat(length)),
  )
  const joined = fc
    .array(fc.tuple(part, fc.constantFrom('.', '~', '~~')), { maxLength: 40 })
    .map((parts) => `${parts.flat().join('')}~`)
  const cut = fc
    .tuple(fc.nat(good.length), fc.nat(60), part)
    .map(([at, length, insert]) => good.slice(0, at) + insert + good.slice(at + length))
  expect(refusedAs(good)).toBeUndefined()
  neverOver50ms(fc.oneof(joined, cut), (given) => {
    if (given !== good) expect(reasons).toContain(refusedAs(given))
  })
})

verifies('ap2.foreign-input', 'what an issuer signs is as hostile as any other text', async () => {
  const digests = Array.from({ length: 6 }, (_, at) => disclosureOf([at]).digest)
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 9 },
      fc.constantFrom<unknown>(...digests, null, 1, 'a', '...', { '...': digests[0] }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('_sd', '...', 'allowed', '__proto__', 'a'), tie('value')),
    ),
  }))
  const given = fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 6 })
  const known = (of: unknown[]) => of.map((one) => disclosureOf(one).disclosure)
  neverOver50ms(fc.tuple(value, given), ([signed, of]) => {
    try {
      reveal(signed, [...known(of), disclosureOf([0]).disclosure], new Set(['allowed']))
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
    }
  })
})

verifies('ap2.foreign-input', 'the longest presentation takes at most 50 ms', async () => {
  const leaves = Array.from({ length: limits.ap2DisclosuresMax - 1 }, (_, at) =>
    disclosureOf({ id: `p${at}`, name: 'x' }),
  )
  const allowed = leaves.map(({ digest }) => ({ '...': digest }))
  const many = {
    ...openPayment,
    constraints: [openPayment.constraints[0] ?? {}, { type: 'payment.allowed_payees', allowed }],
  }
  const open = `${await openOf(many)}${leaves.map(({ disclosure }) => `${disclosure}~`).join('')}`
  const long = closeMandate(open, closedPayment, closing)
  const texts = [
    long,
    'a'.repeat(limits.presentationCharsMax),
    `${'a~'.repeat(limits.presentationCharsMax / 2 - 1)}~`,
    `${'~~'.repeat(limits.presentationCharsMax / 2 - 1)}~`,
    `${'a.'.repeat(limits.presentationCharsMax / 2 - 1)}~`,
  ]
  neverOver50ms(fc.constantFrom(...texts), (given) => expect(refusedAs(given)).toBeDefined(), 50)
})
