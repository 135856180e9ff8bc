import type { Hex } from 'viem'
import { expect } from 'vitest'
import { AGENT_STATEMENT_TYP } from '#domain/agents/statement.ts'
import { authorityContexts } from '#domain/authority/artifacts.ts'
import { checkpointText } from '#domain/log/checkpoint.ts'
import { coseSigned } from '#domain/log/cose.ts'
import { REPLAY_TYP } from '#domain/receipts/dated-back.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { STATEMENT_TYP } from '#domain/receipts/statement.ts'
import { AUDIT_PACK_TYP } from '#domain/reviews/audit-pack.ts'
import { COMPLETION_TYP } from '#domain/runs/return-package.ts'
import { HANDOFF_TYP } from '#domain/trust/handoff-pack.ts'
import { PASSPORT_TYP } from '#domain/trust/passport.ts'
import { AP2_TYP } from '../../../activities/keys/ap2-chain.ts'
import { CHALLENGE_TYP } from '../../../activities/keys/challenge.ts'
import { CHECKOUT_TYP } from '../../../activities/keys/checkout.ts'
import { type Ring, ringAlgs } from '../../../activities/keys/key-ring.ts'
import { MANDATE_TYP, MANDATE_VCT } from '../../../activities/keys/sd-jwt.ts'
import { type Side, sides } from '../../../activities/signer/receipt-rules.ts'
import { type Judgement, judgeRequest } from '../../../activities/signer/ring-policy.ts'
import { payoutWallet, signingPolicy } from '../../support/signing-order.ts'
import { verifies } from '../../verifies.ts'

const baseUrl = 'https://svc.example'
const trust = `${baseUrl}/api/trust-contract`
const now = 1_795_255_200
const kid = 'key-1'
const payouts = { ...signingPolicy, payoutWallet: payoutWallet.address.toLowerCase() as Hex }
const facts = {
  baseUrl,
  logContinues: '',
  nowSeconds: now,
  proof: {},
  claimsOfOurs: () => undefined,
  payouts,
}
const otherSocket = 'this socket does not get it'

const b64u = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const inputOf = (header: object, payload: object) => `${b64u(header)}.${b64u(payload)}`
const judgeFor = (side: Side, ring: Ring, bytes: string | Uint8Array, name = kid) =>
  judgeRequest({ ring, kid: name }, Buffer.from(bytes), { ...facts, side })
/** The judgement for the caller that gets it, or why neither does. */
const judge = (ring: Ring, bytes: string | Uint8Array, name = kid): Judgement => {
  const judged = sides.map((side) => judgeFor(side, ring, bytes, name))
  const isOther = (one: Judgement) => 'refused' in one && one.refused === otherSocket
  return judged.find((one) => 'budget' in one) ?? judged.find((one) => !isOther(one)) ?? judged[0]!
}
const jws = (ring: Ring, typ: unknown, payload: object, header: object = {}) =>
  judge(ring, inputOf({ alg: ringAlgs[ring], kid, typ, ...header }, { iat: now, ...payload }))

/** Every type of JWS that the service signs: its ring, issuer and budget. */
const signed: [ring: Ring, typ: string, payload: object, budget: string][] = [
  ['receipt', RECEIPT_TYP, { iss: trust }, 'receipts'],
  ['receipt', COMPLETION_TYP, { iss: trust }, 'receipts'],
  ['receipt', STATEMENT_TYP, { iss: trust }, 'receipts'],
  ['receipt', PASSPORT_TYP, { iss: trust }, 'artifacts'],
  ['receipt', HANDOFF_TYP, { iss: trust }, 'artifacts'],
  ['receipt', AUDIT_PACK_TYP, { iss: trust }, 'artifacts'],
  ['receipt', REPLAY_TYP, { iss: trust }, 'artifacts'],
  ['authority', CHALLENGE_TYP, { iss: baseUrl }, 'challenges'],
  ['authority', MANDATE_TYP, { iss: baseUrl, vct: MANDATE_VCT }, 'authority'],
  ['authority', AP2_TYP, { iss: baseUrl }, 'authority'],
  ['checkout', CHECKOUT_TYP, { iss: baseUrl }, 'challenges'],
  ['agent-statement', AGENT_STATEMENT_TYP, { iss: trust }, 'statements'],
]

verifies(
  'signer.reads-bytes',
  'each ring signs its own types, and no other ring signs them',
  () => {
    for (const [ring, typ, payload, budget] of signed) {
      expect(jws(ring, typ, payload), typ).toEqual({ budget })
      for (const other of (Object.keys(ringAlgs) as Ring[]).filter((one) => one !== ring))
        expect(jws(other, typ, payload), `${typ} by ${other}`).toHaveProperty('refused')
    }
    for (const typ of ['JWT', 'kb+sd-jwt', '', undefined, null, 'toString', 'constructor'])
      expect(jws('receipt', typ, { iss: trust }), String(typ)).toHaveProperty('refused')
  },
)

verifies('signer.reads-bytes', 'issuer, key, algorithm and time are those of the service', () => {
  for (const [ring, typ, payload] of signed) {
    for (const iss of ['https://other.example', `${baseUrl}/`, undefined])
      expect(jws(ring, typ, { ...payload, iss }), typ).toEqual({
        refused: 'the issuer is another service',
      })
    for (const header of [{ kid: 'key-2' }, { alg: 'none' }, { crit: ['b64'] }, { jwk: {} }])
      expect(jws(ring, typ, payload, header), typ).toEqual({
        refused: 'the header does not name this key, or has further members',
      })
    for (const [iat, isSigned] of [
      [now - 300, true],
      [now + 60, true],
      [now - 301, typ === REPLAY_TYP],
      [now + 61, false],
      [String(now), false],
      [undefined, false],
    ] as const)
      expect('budget' in jws(ring, typ, { ...payload, iat }), `${typ} ${iat}`).toBe(isSigned)
  }
  expect(jws('authority', MANDATE_TYP, { iss: baseUrl, vct: 'mandate.payment.1' })).toHaveProperty(
    'refused',
  )
})

verifies(
  ['signer.reads-bytes', 'signer.budgets'],
  'a sample of any time counts apart, if it says of itself that it is one',
  () => {
    const sample = { iss: trust, iat: 1, kind: 'sample', usage: 'synthetic', sub: 'sample:1' }
    expect(jws('receipt', RECEIPT_TYP, sample)).toEqual({ budget: 'samples' })
    for (const change of [{ kind: 'payout_executed' }, { usage: 'operational' }, { sub: 'po_1' }])
      expect(jws('receipt', RECEIPT_TYP, { ...sample, ...change })).toHaveProperty('refused')
  },
)

verifies('signer.reads-bytes', 'bytes that are no signing input are refused', () => {
  const head = b64u({ alg: 'EdDSA', kid, typ: RECEIPT_TYP })
  const payload = b64u({ iss: trust, iat: now })
  for (const bytes of [
    '',
    head,
    `${head}.`,
    `${head}.${payload}.x`,
    `${head}.${payload}=`,
    `${head}.${b64u([1])}`,
    `${head} .${payload}`,
    Buffer.from([0xff, 0xfe]),
  ])
    expect(judge('receipt', bytes), String(bytes)).toHaveProperty('refused')
})

verifies('signer.reads-bytes', 'an artifact names its context, its key and this service', () => {
  const context = authorityContexts.grant
  const text = (change: object = {}, named: string = context) =>
    `${named}\0${JSON.stringify({ context, key_id: kid, issuer: baseUrl, ...change })}`
  expect(judge('authority', text())).toEqual({ budget: 'authority' })
  for (const faulty of [
    text({ context: authorityContexts.action }),
    text({}, 'service.other.v1'),
    text({ key_id: 'key-2' }),
    text({ issuer: 'https://other.example' }),
    `${text()}\0`,
    `${context}\0[]`,
    `${context}\0`,
  ])
    expect(judge('authority', faulty), faulty).toHaveProperty('refused')
  expect(judge('receipt', text())).toHaveProperty('refused')
})

verifies('signer.reads-bytes', 'a callback names its delivery in its body, and is of now', () => {
  const delivery = `cb_${'a'.repeat(64)}`
  const text = (seconds = now, body: unknown = { delivery_id: delivery }, id = delivery) =>
    `${id}.${seconds}.${JSON.stringify(body)}`
  expect(judge('callback', text())).toEqual({ budget: 'callbacks' })
  const example = `cb_${'1'.repeat(64)}`
  expect(judge('callback', text(1_700_000_000, { delivery_id: example }, example))).toEqual({
    budget: 'samples',
  })
  for (const faulty of [
    text(now - 301),
    text(now + 61),
    text(now, { delivery_id: example }),
    text(now, []),
    text(now, { delivery_id: 'x' }, 'x'),
    text().slice(0, -1),
    inputOf({ alg: 'EdDSA', kid, typ: RECEIPT_TYP }, { iss: trust, iat: now }),
  ])
    expect(judge('callback', faulty), faulty).toHaveProperty('refused')
})

verifies('signer.reads-bytes', 'the log key signs checkpoints and roots of this log', () => {
  const root = new Uint8Array(32).fill(7)
  const checkpoint = checkpointText({ origin: 'svc.example/log', size: 5, root })
  expect(judge('log', checkpoint)).toEqual({ budget: 'log' })
  expect(judge('log', coseSigned(kid, root))).toEqual({ budget: 'log' })
  for (const faulty of [
    checkpointText({ origin: 'other.example/log', size: 5, root }),
    `${checkpoint}more\n`,
    checkpoint.slice(0, -1),
    root,
    coseSigned('key-2', root),
    coseSigned(kid, root.slice(1)),
  ])
    expect(judge('log', faulty)).toHaveProperty('refused')
})

verifies('signer.reads-bytes', 'an agent card has interfaces of this service alone', () => {
  const card = { name: 'Agent Rails', supportedInterfaces: [{ url: `${baseUrl}/api/mcp` }] }
  const of = (change: object, ring: Ring = 'receipt') =>
    judge(ring, inputOf({ alg: ringAlgs[ring], kid, typ: 'JOSE' }, { ...card, ...change }))
  expect(of({})).toEqual({ budget: 'artifacts' })
  for (const change of [
    { supportedInterfaces: [] },
    { supportedInterfaces: undefined },
    { supportedInterfaces: [{ url: `${baseUrl}.evil.example/api/mcp` }] },
    { supportedInterfaces: [...card.supportedInterfaces, { url: 'https://other.example/' }] },
    { supportedInterfaces: [null] },
    { iss: trust },
    { kind: 'payout_executed' },
  ])
    expect(of(change), JSON.stringify(change)).toHaveProperty('refused')
  for (const ring of ['authority', 'checkout', 'agent-statement'] as const)
    expect(of({}, ring), ring).toHaveProperty('refused')
})

verifies(
  ['signer.sockets', 'stolen.socket-api', 'stolen.socket-worker'],
  'each socket gets the types of its caller alone',
  () => {
    const root = new Uint8Array(32).fill(7)
    const artifact = (context: string) =>
      `${context}\0${JSON.stringify({ context, key_id: kid, issuer: baseUrl })}`
    const delivery = `cb_${'a'.repeat(64)}`
    const card = inputOf(
      { alg: 'EdDSA', kid, typ: 'JOSE' },
      { supportedInterfaces: [{ url: `${baseUrl}/api/mcp` }] },
    )
    const ofBoth: string[] = [RECEIPT_TYP, REPLAY_TYP]
    const ofWorkers: string[] = [STATEMENT_TYP, COMPLETION_TYP]
    const asked: [name: string, ring: Ring, bytes: string | Uint8Array, by: readonly Side[]][] = [
      ...signed.map(([ring, typ, payload]): (typeof asked)[number] => [
        typ,
        ring,
        inputOf({ alg: ringAlgs[ring], kid, typ }, { iat: now, ...payload }),
        ofBoth.includes(typ) ? sides : [ofWorkers.includes(typ) ? 'worker' : 'api'],
      ]),
      ['a mandate', 'authority', artifact(authorityContexts.mandate), ['api']],
      ['a grant', 'authority', artifact(authorityContexts.grant), ['api']],
      ['an action', 'authority', artifact(authorityContexts.action), ['worker']],
      ['a card', 'receipt', card, ['api']],
      ['a callback', 'callback', `${delivery}.${now}.{"delivery_id":"${delivery}"}`, ['worker']],
      ['a root', 'log', coseSigned(kid, root), ['worker']],
      [
        'a checkpoint',
        'log',
        checkpointText({ origin: 'svc.example/log', size: 5, root }),
        ['worker'],
      ],
    ]
    for (const [name, ring, bytes, by] of asked)
      for (const side of sides)
        expect(judgeFor(side, ring, bytes), `${name} for ${side}`).toEqual(
          by.includes(side) ? { budget: expect.any(String) } : { refused: otherSocket },
        )
  },
)
