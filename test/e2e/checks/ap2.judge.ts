import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  CheckoutMandate,
  OpenCheckoutMandate,
  OpenPaymentMandate,
  PaymentMandate,
} from '#domain/ap2/mandates.ts'
import { DomainError } from '#domain/core/errors.ts'
import { signOpenMandate, verifyAp2Chain } from '../../../activities/keys/ap2-chain.ts'
import { currentAnchors } from '../../../activities/keys/key-status.ts'
import { anchors, nowSeconds, origin, standingKeys } from '../../activities/keys/treasury.ts'
import { agentKeys, closeMandate, disclosureOf } from '../../support/ap2.ts'

/** The commit of github.com/google-agentic-commerce/AP2 that judges; AP2_SOURCE names another copy of the repository. */
const AP2_COMMIT = 'e1ea56db72a6385bce3e5c1112b3a56ce60acb43'
const AP2_SOURCE = process.env['AP2_SOURCE'] ?? 'https://github.com/google-agentic-commerce/AP2.git'
const packages = [
  'cryptography==46.0.5',
  'jwcrypto==1.5.6',
  'pydantic==2.12.5',
  'sd-jwt==0.10.4',
  'jsonschema==4.26.0',
  'referencing==0.37.0',
]

type Judged = { accepted: boolean; detail?: string; faults?: string[]; payloads?: object[] }
type Verdicts = {
  chains: Judged[]
  payments: string[]
  checkouts: string[]
  made: { presentation: string; key: Record<string, unknown> }
}

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const vectors = JSON.parse(readFileSync(here('../../vectors/ap2/constraints.json'), 'utf8')) as {
  base: { closed: object }
} & Record<'payments' | 'checkouts', { name: string; reference: string }[]>

const agent = agentKeys()
const [aud, nonce] = ['https://svc.example/pay', 'n'.repeat(22)]
const merchant = { id: 'shop', name: 'Shop', website: 'https://shop.example' }
const times = { iat: nowSeconds - 10, exp: nowSeconds + 1000 }
const cnf = { jwk: agent.jwk }
const openPayment = {
  vct: 'mandate.payment.open.1' as const,
  constraints: [
    { type: 'payment.reference', conditional_transaction_id: 'x' },
    { type: 'payment.allowed_payees', allowed: [merchant] },
    { type: 'payment.amount_range', currency: 'USD', max: 5000, min: 1 },
    { type: 'payment.budget', max: 100.5, currency: 'USD' },
    { type: 'payment.agent_recurrence', frequency: 'MONTHLY', max_occurrences: 12 },
    { type: 'payment.execution_date', not_before: '2026-11-01', not_after: '2026-12-01' },
  ],
  cnf,
  ...times,
}
const openCheckout = {
  vct: 'mandate.checkout.open.1' as const,
  constraints: [
    {
      type: 'checkout.line_items',
      items: [{ id: 'r', acceptable_items: [{ id: 'a', title: 'A' }], quantity: 1 }],
    },
    { type: 'checkout.allowed_merchants', allowed: [merchant] },
  ],
  cnf,
  ...times,
}
const closedCheckout = { vct: 'mandate.checkout.1', checkout_jwt: 'a.b.c', checkout_hash: 'h' }
const root = standingKeys.signer('authority')
const sign = (mandate: typeof openPayment | typeof openCheckout) =>
  signOpenMandate(root, { iss: origin, mandate })
const closing = { key: agent.privateKey, aud, nonce, iat: nowSeconds }
const context = {
  anchors: currentAnchors(anchors, origin, standingKeys),
  nowSeconds,
  audience: aud,
  nonce,
}
const shapes = { open: OpenPaymentMandate, closed: PaymentMandate }
const checkoutShapes = { open: OpenCheckoutMandate, closed: CheckoutMandate }

type Case = {
  name: string
  presentation: string
  accepted: boolean
  sdk?: boolean
  checkout?: true
}

const { closed } = vectors.base
/** A constraint that its issuer made selective, and that the holder withholds. */
const hiding = [
  ...openPayment.constraints,
  { '...': disclosureOf({ type: 'payment.budget', max: 1, currency: 'USD' }).digest },
] as typeof openPayment.constraints
const paying = async (more: object = {}) =>
  closeMandate(await sign(openPayment), closed, { ...closing, ...more })
const spoilt = (presentation: string) => {
  const cut = presentation.indexOf('.', presentation.indexOf('.') + 1) + 5
  const letter = presentation[cut] === 'A' ? 'B' : 'A'
  return `${presentation.slice(0, cut)}${letter}${presentation.slice(cut + 1)}`
}
const withoutDisclosure = (presentation: string) => presentation.replace(/~[\w-]+~$/, '~')

/** Chains that both accept, and chains that both refuse, except where `sdk` says what the SDK does. */
const chains: Case[] = [
  { name: 'a payment', presentation: await paying(), accepted: true },
  {
    name: 'a checkout',
    presentation: closeMandate(await sign(openCheckout), closedCheckout, closing),
    accepted: true,
    checkout: true,
  },
  { name: 'another audience', presentation: await paying({ aud: 'https://x' }), accepted: false },
  { name: 'another nonce', presentation: await paying({ nonce: 'm' }), accepted: false },
  {
    name: 'another agent',
    presentation: await paying({ key: agentKeys().privateKey }),
    accepted: false,
  },
  {
    name: 'another open mandate',
    presentation: await paying({ payload: { sd_hash: 'x' } }),
    accepted: false,
  },
  {
    name: 'two hashes',
    presentation: await paying({ payload: { issuer_jwt_hash: 'x' } }),
    accepted: false,
  },
  {
    name: 'another typ',
    presentation: await paying({ header: { typ: 'kb+jwt' } }),
    accepted: false,
  },
  { name: 'a changed signature', presentation: spoilt(await paying()), accepted: false },
  {
    name: 'a withheld constraint',
    presentation: closeMandate(
      await sign({ ...openPayment, constraints: hiding }),
      closed,
      closing,
    ),
    accepted: false,
    sdk: true,
  },
  {
    name: 'an open mandate that has expired',
    presentation: closeMandate(
      await sign({ ...openPayment, exp: nowSeconds - 301 }),
      closed,
      closing,
    ),
    accepted: false,
  },
  {
    name: 'a closed mandate with the key of a delegate',
    presentation: closeMandate(await sign(openPayment), { ...closed, cnf }, closing),
    accepted: false,
  },
]

let folder: string
let verdicts: Verdicts
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-rails-ap2-'))
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  run('git', 'init', '--quiet', 'ap2')
  run('git', '-C', 'ap2', 'fetch', '--quiet', '--depth', '1', AP2_SOURCE, AP2_COMMIT)
  run('git', '-C', 'ap2', 'checkout', '--quiet', 'FETCH_HEAD', '--', 'code/sdk')
  run('python3', '-m', 'venv', 'venv')
  run(join('venv', 'bin', 'pip'), 'install', '--quiet', ...packages)
  verdicts = judge()
}, 600_000)
afterAll(() => folder !== undefined && rmSync(folder, { recursive: true, force: true }))

// The SDK cannot sign a recurrence: its enumeration has no JSON.
const withoutRecurrence = openPayment.constraints.filter(
  ({ type }) => type !== 'payment.agent_recurrence',
)

function judge(): Verdicts {
  const facts = { key: root.publicJwk, aud, nonce, now: nowSeconds }
  const open = { ...openPayment, constraints: withoutRecurrence, iat: undefined, exp: undefined }
  const made = { open, closed, aud, nonce }
  const cases = chains.map(({ presentation }) => ({ presentation, ...facts }))
  const { status, stdout, stderr } = spawnSync(
    join(folder, 'venv', 'bin', 'python'),
    [here('ap2-judge.py'), join(folder, 'ap2', 'code', 'sdk')],
    { input: JSON.stringify({ chains: cases, vectors, made }), encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Verdicts
}

function ours(presentation: string, isCheckout = false): boolean {
  try {
    if (isCheckout) verifyAp2Chain(presentation, checkoutShapes, context)
    else verifyAp2Chain(presentation, shapes, context)
    return true
  } catch (error) {
    if (error instanceof DomainError) return false
    throw error
  }
}

test('the SDK and this service judge each chain alike, and its schemas hold', () => {
  const judged = chains.map(({ name, presentation, checkout }, index) => {
    const { accepted, faults = [] } = verdicts.chains[index] as Judged
    return { name, ours: ours(presentation, checkout), sdk: accepted, faults }
  })
  expect(judged).toEqual(
    chains.map(({ name, accepted, sdk = accepted }) => ({
      name,
      ours: accepted,
      sdk,
      faults: [],
    })),
  )
  expect(verdicts.chains[0]?.payloads).toEqual([openPayment, closed])
})

test('the SDK judges each vector as the table says', () => {
  for (const kind of ['payments', 'checkouts'] as const)
    expect(vectors[kind].map(({ name }, index) => [name, verdicts[kind][index]])).toEqual(
      vectors[kind].map(({ name, reference }) => [name, reference]),
    )
})

test('this service accepts a chain that the SDK made, once its issuer is trusted', () => {
  const { presentation, key } = verdicts.made
  const now = Math.floor(Date.now() / 1000)
  const anchor = { iss: 'sdk', kid: 'sdk-root', alg: 'ES256' as const, publicJwk: key }
  const trusting = {
    ...context,
    nowSeconds: now,
    anchors: [{ ...anchor, retiredAt: null, revokedAt: null }],
  }
  const { open, closed: paid } = verifyAp2Chain(presentation, shapes, trusting)
  expect(open.constraints).toEqual(withoutRecurrence)
  expect(paid).toEqual(closed)
  const untrusting = { ...trusting, anchors: [] }
  expect(() => verifyAp2Chain(presentation, shapes, untrusting)).toThrow(/issuer_untrusted/)
  const dropped = withoutDisclosure(presentation)
  expect(() => verifyAp2Chain(dropped, shapes, trusting)).toThrow(/mandate_invalid/)
})
