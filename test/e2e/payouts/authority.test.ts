import { setTimeout } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { principalTypedData } from '#domain/payouts/principal-authorization.ts'
import { challengeSigners, issueChallenge } from '../../../activities/keys/challenge.ts'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import type { ProblemError } from '../../../api/http/client.ts'
import { layoutOf } from '../../../worker/stack/layout.ts'
import { type Payout, principalTermsOf, signPrincipal } from '../../../worker/stack/treasury.ts'
import { type Agent, nowSeconds, openRail, post, type Rail } from '../../support/agent.ts'
import { newWallet } from '../../support/chain.ts'
import { claimsOf, refusalOf } from '../../support/faults.ts'
import { keyStatus } from '../../support/key-status.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { type AuthorizeInput, treasurySteps } from '../../support/treasury-steps.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
let steps: ReturnType<typeof treasurySteps>
beforeAll(async () => {
  stack = await startStack({ runWorkers: 0 })
  rail = await openRail(stack)
  steps = treasurySteps(rail)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const newTerms = () => ({ expiresAt: nowSeconds() + 3600, idempotencyKey: 'authorize' })
type Case = [name: string, input: AuthorizeInput, status: number, code: string]

/** Everything that an authorize of this agent could have written. */
async function written({ address }: Agent) {
  const { db } = rail
  const payouts = await db
    .selectFrom('payouts')
    .selectAll()
    .where('creator', '=', address)
    .execute()
  const ids = payouts.map(({ payout_id }) => payout_id)
  const [ledger, receipts, calls, proofs] = await Promise.all([
    db.selectFrom('replay_ledger').selectAll().where('subject', 'in', ids).execute(),
    db.selectFrom('receipts').select('receipt_id').where('subject', 'in', ids).execute(),
    db
      .selectFrom('calls')
      .select(['operation', 'funding', 'grant_state'])
      .where('caller', '=', `wallet:${address}`)
      .where('grant_state', '<>', 'released')
      .execute(),
    db.selectFrom('proof_nonces').select('nonce').where('wallet', '=', address).execute(),
  ])
  return { payouts, ledger, receipts, calls, proofs }
}

/** Each is refused with exactly its status and code, and none of them writes anything. */
async function expectRefused(agent: Agent, cases: readonly Case[]): Promise<void> {
  const before = await written(agent)
  for (const [name, input, status, code] of cases) {
    const refusal = await refusalOf(agent.client.call('payout-authorize', input))
    expect([name, refusal.status, refusal.code, refusal.money_moved]).toEqual([
      name,
      status,
      code,
      'no',
    ])
  }
  expect(await written(agent)).toEqual(before)
}

async function expectAuthorized(agent: Agent, input: AuthorizeInput): Promise<void> {
  const { body } = await agent.client.call('payout-authorize', input)
  expect(body.payout).toMatchObject({ state: 'authorized', expires_at: input.expires_at })
  expect(claimsOf(body.receipt as string)).toMatchObject({
    kind: 'payout_authorized',
    state: 'authorized',
  })
}

const flipped = (text: string, at: number) => {
  const index = at < 0 ? text.length + at : at
  return `${text.slice(0, index)}${text[index] === 'A' ? 'B' : 'A'}${text.slice(index + 1)}`
}

verifies(
  [
    'authorize.presentation-consumed',
    'authorize.challenge-consumed',
    'authorize.mandate-consumed',
    'authorize.refusal-changes-nothing',
    'authorize.authorized',
  ],
  'what authorized one payout authorizes no other, each by its own code',
  async () => {
    const [agent, terms] = [await rail.openAgent(), newTerms()]
    const [used, payout] = [await rail.create(agent), await rail.create(agent)]
    const first = await steps.prepare(used, terms)
    const secondMandate = await steps.mandateFor(used, terms, first.challenge)
    await expectAuthorized(agent, first.input)

    const other = { ...terms, idempotencyKey: 'authorize-other' }
    const right = await steps.prepare(payout, other)
    const { challenge_token } = first.input
    await expectRefused(agent, [
      [
        'used presentation',
        { ...right.input, challenge_token, presentation: first.input.presentation },
        409,
        'presentation_consumed',
      ],
      [
        'used challenge, second mandate of its checkout',
        {
          ...right.input,
          challenge_token,
          presentation: await steps.present(secondMandate, first.challenge, first.digest),
        },
        409,
        'challenge_consumed',
      ],
      [
        'used mandate, new challenge',
        {
          ...right.input,
          presentation: await steps.present(first.mandate, right.challenge, right.digest),
        },
        409,
        'mandate_consumed',
      ],
    ])
    await expectAuthorized(agent, right.input)
  },
)

verifies(
  'authorize.mandate-consumed',
  'a mandate presented for two payouts authorizes only its own',
  async () => {
    const [agent, terms] = [await rail.openAgent(), newTerms()]
    const [own, foreign] = [await rail.create(agent), await rail.create(agent)]
    const { input } = await steps.prepare(own, terms)
    const elsewhere = { ...input, payout_id: foreign.payout_id, idempotency_key: 'elsewhere' }
    const [authorized, refused] = await Promise.all([
      agent.client.call('payout-authorize', input),
      refusalOf(agent.client.call('payout-authorize', elsewhere)),
    ])
    expect(authorized.body.payout.state).toBe('authorized')
    expect(['request_digest_mismatch', 'presentation_consumed']).toContain(refused.code)
    const { body } = await agent.client.call('payout-status', { payout_id: foreign.payout_id })
    expect(body.payout.state).toBe('created')
  },
)

verifies(
  ['authorize.retry', 'authorize.refusal-changes-nothing'],
  'ten authorizes against ten rivals: one authorization and one charge',
  async () => {
    const agent = await rail.openAgent()
    const payout = await rail.create(agent)
    const rivals = await Promise.all(
      ['one', 'other'].map((idempotencyKey) =>
        steps.prepare(payout, { ...newTerms(), idempotencyKey }),
      ),
    )
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => rivals[index % 2]?.input as AuthorizeInput).map(
        (input) =>
          agent.client.call('payout-authorize', input).then(
            ({ body }) => JSON.stringify(body),
            (error: ProblemError) => error.problem,
          ),
      ),
    )
    const authorized = answers.filter((answer) => typeof answer === 'string')
    const refused = answers.filter((answer) => typeof answer !== 'string')
    expect([authorized.length, new Set(authorized).size, refused.length]).toEqual([10, 1, 10])
    for (const problem of refused)
      expect(problem).toMatchObject({ status: 409, code: 'wrong_state' })
    const { calls, ledger, receipts } = await written(agent)
    expect(calls.map(({ operation }) => operation).sort()).toEqual([
      'payout-authorize',
      'payout-create',
    ])
    expect([ledger.length, receipts.length]).toEqual([5, 2])
  },
)

verifies(
  ['authorize.principal-signature', 'authority.eip712', 'authorize.refusal-changes-nothing'],
  'a principal signature over other terms or by another key is refused',
  async () => {
    const [agent, terms] = [await rail.openAgent(), newTerms()]
    const payout = await rail.create(agent)
    const { input, principalTerms } = await steps.prepare(payout, terms)
    const { principal, holder } = steps
    const payoutWallet = privateKeyToAccount(rail.service.payoutWallet.private_key)
    const typed = principalTypedData(principalTerms)
    const inDomain = (domain: object) =>
      principal.signTypedData({ ...typed, domain: { ...typed.domain, ...domain } })
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const right = input.principal_signature
    const highS = (order - BigInt(`0x${right.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const twin = `${right.slice(0, 66)}${highS}${right.endsWith('1b') ? '1c' : '1b'}`
    const signed = (more: object) => signPrincipal(principal, { ...principalTerms, ...more })
    const signatures: Record<string, string> = {
      'other recipient': await signed({ recipient: newWallet().address }),
      'amount + 1': await signed({ amountAtomic: '1000001' }),
      'other expiry': await signed({ expiresAt: terms.expiresAt + 1 }),
      'other key': await signed({ idempotencyKey: 'authorize2' }),
      'other payout': await signed({ payoutId: `po_${'0'.repeat(64)}` }),
      'other payout wallet': await signed({ payoutWallet: newWallet().address }),
      'the token’s own domain': await inDomain({ name: 'USD Coin', version: '2' }),
      'chain 84532': await inDomain({ chainId: 84532 }),
      'other contract': await inDomain({ verifyingContract: newWallet().address }),
      'the payout wallet signs': await signPrincipal(payoutWallet, principalTerms),
      'the holder signs': await signPrincipal(holder, principalTerms),
      'a stranger signs': await signPrincipal(newWallet().account, principalTerms),
      'high s': twin,
      'v of 0 or 1': `${right.slice(0, 130)}${right.endsWith('1b') ? '00' : '01'}`,
    }
    await expectRefused(
      agent,
      Object.entries(signatures).map(
        ([name, principal_signature]): Case => [
          name,
          { ...input, principal_signature },
          403,
          'principal_signature_invalid',
        ],
      ),
    )
    await expectAuthorized(agent, input)
  },
)

for (const version of [1, 2] as const) {
  verifies(
    [
      'authorize.key-binding-missing',
      'authorize.key-binding-invalid',
      'authorize.key-binding-expired',
      'authorize.audience',
      'authorize.refusal-changes-nothing',
      'binding.v1',
      'binding.v2',
    ],
    `binding ${version}: only a valid and timely one authorizes`,
    async () => {
      const [agent, terms] = [await rail.openAgent(), newTerms()]
      const payout = await rail.create(agent)
      const { input, mandate, challenge, digest } = await steps.prepare(payout, terms, version)
      const bent = async (bend: Parameters<typeof steps.present>[4], as = version) => ({
        ...input,
        presentation: await steps.present(mandate, challenge, digest, as, bend),
      })
      const { presentation } = input
      const stranger = newWallet().account
      await expectRefused(agent, [
        ['absent', { ...input, presentation: mandate }, 403, 'key_binding_missing'],
        [
          'broken signature',
          { ...input, presentation: flipped(presentation, -20) },
          403,
          'key_binding_invalid',
        ],
        ['signed by a stranger', await bent({ holder: stranger }), 403, 'key_binding_invalid'],
        ['the other version', await bent({}, version === 1 ? 2 : 1), 403, 'key_binding_invalid'],
        [
          'other audience',
          await bent({ audience: 'https://evil.example' }),
          403,
          'audience_mismatch',
        ],
        ['310 s old', await bent({ issuedAt: nowSeconds() - 310 }), 403, 'key_binding_expired'],
        ['310 s ahead', await bent({ issuedAt: nowSeconds() + 310 }), 403, 'key_binding_expired'],
      ])
      await expectAuthorized(agent, await bent({ issuedAt: nowSeconds() - 280 }))
    },
  )
}

verifies(
  [
    'authorize.request-digest',
    'authorize.expired',
    'authorize.issuer-untrusted',
    'authorize.mandate-invalid',
    'authorize.refusal-changes-nothing',
  ],
  'other terms and foreign or expired proofs are refused by their codes',
  async () => {
    const [agent, terms] = [await rail.openAgent(), newTerms()]
    const [payout, other] = [
      await rail.create(agent),
      await rail.create(agent, { amount_usdc: '2' }),
    ]
    const { input, challenge, digest, mandate } = await steps.prepare(payout, terms)
    const keys = loadKeyRings(layoutOf(stack.dataDirectory).signingKeys)
    const { origin, holder } = steps
    const old = async (at: number, { who = holder.address, ttlSeconds = 900 } = {}) =>
      (
        await issueChallenge({
          ...challengeSigners(keyStatus(keys, at)),
          origin,
          ttlSeconds,
          treasuryHolder: who,
          holder: who,
          requestSha256: digest,
        })
      ).challenge_token
    const header = Buffer.from('{"typ":"dc+sd-jwt","alg":"EdDSA","kid":"unknown"}').toString(
      'base64url',
    )
    const foreign = input.presentation.replace(/^[^.]+/, header)
    const cut = mandate.indexOf('~')
    const forged = input.presentation.replace(mandate, flipped(mandate, cut - 10))
    const undisclosed = input.presentation.replace(mandate, `${mandate.slice(0, cut)}~`)
    await expectRefused(agent, [
      [
        'other expires_at',
        { ...input, expires_at: terms.expiresAt + 1 },
        403,
        'request_digest_mismatch',
      ],
      ['other key', { ...input, idempotency_key: 'authorize2' }, 403, 'request_digest_mismatch'],
      ['other payout', { ...input, payout_id: other.payout_id }, 403, 'request_digest_mismatch'],
      ['expired expires_at', { ...input, expires_at: nowSeconds() - 1 }, 410, 'payout_expired'],
      ['no time to execute', { ...input, expires_at: nowSeconds() + 25 }, 410, 'payout_expired'],
      [
        'expired challenge',
        { ...input, challenge_token: await old(nowSeconds() - 1, { ttlSeconds: 1 }) },
        410,
        'challenge_expired',
      ],
      [
        'challenge dated before its key was active',
        { ...input, challenge_token: await old(nowSeconds() - 901) },
        403,
        'authority_denied',
      ],
      [
        'challenge of another holder',
        { ...input, challenge_token: await old(nowSeconds(), { who: newWallet().address }) },
        403,
        'holder_unknown',
      ],
      [
        'forged challenge',
        { ...input, challenge_token: flipped(challenge.challenge_token, -20) },
        403,
        'authority_denied',
      ],
      ['unknown kid', { ...input, presentation: foreign }, 403, 'issuer_untrusted'],
      ['forged mandate', { ...input, presentation: forged }, 403, 'mandate_invalid'],
      ['checkout not disclosed', { ...input, presentation: undisclosed }, 403, 'mandate_invalid'],
    ])
    await expectAuthorized(agent, input)
  },
)

const asCaller = (body: unknown, authorization?: string) =>
  post(
    `${stack.baseUrls[0]}/api/delegated-authority`,
    body,
    authorization ? { Authorization: authorization } : {},
  )

verifies(
  [
    'mandate.issue',
    'mandate.issue.operator-only',
    'mandate.issue.digest-mismatch',
    'mandate.issue.holder-proof',
    'pipeline.operator',
  ],
  'an operator alone issues a mandate, and a repeat gets the same one',
  async () => {
    const [agent, terms] = [await rail.openAgent(), newTerms()]
    const [payout, other] = [
      await rail.create(agent),
      await rail.create(agent, { amount_usdc: '2.50' }),
    ]
    const credential = stack.accounts.operator.credential
    const challenge = await steps.challengeFor(payout, terms)
    const body = await steps.issueBody(payout, terms, challenge)
    const wrong = `${credential.slice(0, -4)}${credential.endsWith('0000') ? '1111' : '0000'}`
    for (const [authorization, code] of [
      [undefined, 'operator_required'],
      ['Bearer op_0', 'credential_invalid'],
      [`Bearer ${wrong}`, 'credential_invalid'],
    ] as const) {
      const answer = await asCaller(body, authorization)
      expect(answer).toMatchObject({ status: 401, body: { code } })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
    }
    const asOperator = (request: unknown) => asCaller(request, `Bearer ${credential}`)
    const issue = async (of: Payout, at = terms) =>
      asOperator(await steps.issueBody(of, at, challenge))
    const mismatch = { status: 403, body: { code: 'request_digest_mismatch' } }
    expect(await issue(other)).toMatchObject(mismatch)
    expect(await issue(payout, { ...terms, expiresAt: terms.expiresAt + 1 })).toMatchObject(
      mismatch,
    )
    expect(await issue(payout, { ...terms, idempotencyKey: 'other' })).toMatchObject(mismatch)
    const { holder_proof } = body.action
    const signature = await newWallet().account.signMessage({ message: 'not the proof' })
    const unproven = {
      ...body,
      action: { ...body.action, holder_proof: { ...holder_proof, signature } },
    }
    expect(await asOperator(unproven)).toMatchObject({
      status: 403,
      body: { code: 'authority_denied' },
    })

    const [first, ...repeats] = await Promise.all([1, 2, 3, 4].map(() => asOperator(body)))
    expect(first).toMatchObject({
      status: 201,
      body: { recipient: payout.recipient, amount_usdc: '1', amount_atomic: '1000000' },
    })
    for (const repeat of [...repeats, await asOperator(body)])
      expect(repeat.body).toEqual(first?.body)
    expect(claimsOf(first?.body['receipt'] as string)).toMatchObject({
      kind: 'mandate',
      payout_id: payout.payout_id,
    })
    const changed = {
      ...body,
      action: { ...body.action, payout: { ...body.action.payout, expires_at: 5 } },
    }
    expect(await asOperator(changed)).toMatchObject({
      status: 422,
      body: { code: 'idempotency_conflict' },
    })
    const issued = await rail.db
      .selectFrom('mandates')
      .select('mandate_id')
      .where('payout_id', '=', payout.payout_id)
      .execute()
    expect(issued).toEqual([{ mandate_id: first?.body['mandate_id'] }])

    const presentation = await steps.present(
      first?.body['ap2_mandate'] as string,
      challenge,
      steps.digestOf(payout, terms),
    )
    const principal_signature = await signPrincipal(
      steps.principal,
      principalTermsOf(payout, terms.expiresAt, terms.idempotencyKey),
    )
    const { challenge_token } = challenge
    const { payout_id } = payout
    await expectAuthorized(agent, {
      payout_id,
      idempotency_key: terms.idempotencyKey,
      presentation,
      challenge_token,
      expires_at: terms.expiresAt,
      principal_signature,
    })
    expect(await issue(payout)).toMatchObject({ status: 409, body: { code: 'wrong_state' } })
  },
)

/** The mandates for a payout as an operator finds them. */
const mandatesOf = async ({ payout_id }: Payout) =>
  (await steps.client.call('mandates-list', { kind: 'payout', q: payout_id })).body.items
const revoke = async ({ mandate_id }: { mandate_id: string }) => {
  const action = { mandate_id, reason: 'the invoice was wrong' }
  return (await steps.client.call('revoke-mandate', { mode: 'revoke_mandate', action })).body
}
async function onlyMandateOf(payout: Payout) {
  const [mandate, ...others] = await mandatesOf(payout)
  if (mandate === undefined) throw new Error('the mandate is not listed')
  expect(others).toEqual([])
  return mandate
}

verifies(
  ['mandate.found', 'mandate.revoke'],
  'a mandate is found, read and revoked, and authorizes nothing then',
  async () => {
    const [agent, terms] = [await rail.openAgent(), newTerms()]
    const payout = await rail.create(agent, { amount_usdc: '2.50' })
    const { input } = await steps.prepare(payout, terms)
    const mandate = await onlyMandateOf(payout)
    expect(mandate).toMatchObject({
      kind: 'payout',
      agent_id: null,
      principal: agent.address,
      state: 'active',
      budget: { currency: 'USDC', total: '2.5', used: '0', left: '2.5' },
      uses: 0,
      uses_max: 1,
    })
    const { mandate_id } = mandate
    const revoked = await revoke(mandate)
    expect(revoked).toMatchObject({ mandate_id, state: 'revoked', revoked_grants: 0 })
    expect(claimsOf(revoked.receipt.jws)).toMatchObject({
      kind: 'mandate_revoked',
      sub: mandate_id,
      usage: 'synthetic',
      reason: 'the invoice was wrong',
      revoked_by: mandate.issued_by,
    })
    expect(await revoke(mandate)).toEqual(revoked)
    const read = (await steps.client.call('mandate-read', { mandate_id })).body
    expect(read).toMatchObject({
      state: 'revoked',
      revocation: { by: mandate.issued_by, reason: 'the invoice was wrong' },
      document: {
        payout_id: payout.payout_id,
        recipient: payout.recipient,
        request_sha256: steps.digestOf(payout, terms),
      },
      decisions: [],
      grants: [],
      actions: [],
      payments: [],
    })
    await expectRefused(agent, [['revoked mandate', input, 403, 'authority_denied']])
    // The payout itself is open: another mandate authorizes it.
    await expectAuthorized(agent, (await steps.prepare(payout, terms)).input)
    expect((await mandatesOf(payout)).map(({ state }) => state)).toEqual(['exhausted', 'revoked'])
  },
)

verifies('mandate.revoke', 'an authorized payout is not executed once revoked', async () => {
  const agent = await rail.openAgent()
  const payout = await rail.authorized(agent)
  const mandate = await onlyMandateOf(payout)
  expect(mandate).toMatchObject({ state: 'exhausted', uses: 1, budget: { used: '1', left: '0' } })
  await revoke(mandate)
  const { payout_id } = payout
  const execute = { payout_id, idempotency_key: 'execute' }
  const before = await written(agent)
  expect(await refusalOf(agent.client.call('payout-execute', execute))).toMatchObject({
    status: 403,
    code: 'authority_denied',
    money_moved: 'no',
  })
  expect(await written(agent)).toEqual(before)
  const { body } = await agent.client.call('payout-status', { payout_id })
  expect(body.payout).toMatchObject({ state: 'authorized', transfer: { status: 'none' } })
  expect(body.payout.next_action).toContain('revoked')
})

verifies('mandate.revoke', 'of a revocation and a use at once, one comes first', async () => {
  const race = async (delayMs: number) => {
    const agent = await rail.openAgent()
    const payout = await rail.create(agent)
    const { input } = await steps.prepare(payout, newTerms())
    const mandate = await onlyMandateOf(payout)
    const { payout_id } = payout
    const use = async () => {
      await agent.client.call('payout-authorize', input)
      return agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })
    }
    const [used] = await Promise.allSettled([
      use(),
      setTimeout(delayMs).then(() => revoke(mandate)),
    ])
    if (used.status === 'rejected') expect(used.reason).toMatchObject({ code: 'authority_denied' })
    const row = await rail.db
      .selectFrom('mandates')
      .innerJoin('payouts', 'payouts.payout_id', 'mandates.payout_id')
      .leftJoin('transfers', 'transfers.payout_id', 'mandates.payout_id')
      .select(['authorized_at', 'revoked_at', 'reserved_at'])
      .where('mandate_id', '=', mandate.mandate_id)
      .executeTakeFirstOrThrow()
    for (const at of [row.authorized_at, row.reserved_at])
      if (at !== null) expect(at.getTime()).toBeLessThanOrEqual(row.revoked_at?.getTime() ?? 0)
    expect(row.reserved_at === null).toBe(used.status === 'rejected')
  }
  await Promise.all([0, 30, 60, 100, 150, 250, 400, 600].map(race))
})
