import { describe, expect, test } from 'vitest'
import { errorCodes } from '#domain/core/error-codes.ts'
import { errorHelp } from '#domain/core/error-help.ts'
import { refuse } from '#domain/core/errors.ts'
import { commonErrors, problemAnswer } from '../../../api/calls/problem.ts'
import { withUnknownOutcome } from '../../../api/calls/settle.ts'
import { operations } from '../../../api/operations/index.ts'
import { verifies } from '../../verifies.ts'

const context = { baseUrl: 'https://svc.example', requestId: 'req_1', traceId: '1f'.repeat(16) }

describe('a refusal as an answer', () => {
  verifies('pipeline.problem-json', 'has exactly the documented members', () => {
    const { refusal } = refuse('payout_cap_exceeded', {
      detail: 'over 25000000',
      next_action: 'Create a smaller one.',
      errors: [{ pointer: '/amount_usdc', message: 'at most 25' }],
    })
    expect(problemAnswer(refusal, context)).toEqual({
      status: 422,
      headers: { 'Content-Type': 'application/problem+json' },
      body: {
        type: 'https://svc.example/problems/payout_cap_exceeded',
        title: 'The payout is larger than the cap',
        status: 422,
        code: 'payout_cap_exceeded',
        detail: 'over 25000000',
        retryable: false,
        retry_after_ms: null,
        money_moved: 'no',
        next_action: 'Create a smaller one.',
        errors: [{ pointer: '/amount_usdc', message: 'at most 25' }],
        request_id: 'req_1',
        trace_id: '1f'.repeat(16),
      },
    })
  })

  verifies(
    'pipeline.error-codes',
    'says when to come back wherever the same call is worth repeating',
    () => {
      for (const [code, { status }] of Object.entries(errorCodes)) {
        const answer = problemAnswer(
          refuse(code as keyof typeof errorCodes, { detail: 'd', next_action: 'n' }).refusal,
          context,
        )
        const retryable = [429, 500, 502, 503].includes(status) || code === 'idempotency_in_flight'
        expect(answer.headers['Retry-After'], code).toBe(retryable ? '1' : undefined)
        expect(answer.body, code).toMatchObject({
          status,
          retryable,
          retry_after_ms: retryable ? 1000 : null,
        })
      }
    },
  )

  test('rounds the wait up to whole seconds and says it where a cap frees up', () => {
    const wait = (code: 'rate_limited' | 'daily_cap_exceeded') =>
      problemAnswer(
        refuse(code, { detail: 'd', next_action: 'n', retry_after_ms: 1500 }).refusal,
        context,
      )
    expect(wait('rate_limited').headers).toMatchObject({
      'Retry-After': '2',
      RateLimit: '"calls";r=0;t=2',
    })
    expect(wait('daily_cap_exceeded').headers).toMatchObject({ 'Retry-After': '2' })
    expect(wait('daily_cap_exceeded').headers).not.toHaveProperty('RateLimit')
  })

  verifies('x402.unknown-outcome', 'with an unknown outcome asks for no new payment', () => {
    const asked = refuse('payment_required', {
      detail: 'the effect happened, and its payment failed',
      extra: { accepts: [{ scheme: 'exact' }], debt: { payment_id: 'pay_1' } },
    }).refusal
    const { status, headers, body } = problemAnswer(withUnknownOutcome(asked), context)
    expect([status, headers['Retry-After']]).toEqual([503, '1'])
    expect(headers).not.toHaveProperty('PAYMENT-REQUIRED')
    expect(body).toMatchObject({
      code: 'settlement_pending',
      money_moved: 'unknown',
      retryable: true,
      next_action: errorHelp.settlement_pending.action,
    })
    expect(body).not.toHaveProperty('accepts')
    expect(body).not.toHaveProperty('debt')
    const { refusal } = refuse('not_found', { detail: 'no such payout' })
    expect(withUnknownOutcome(refusal)).toEqual({ ...refusal, money_moved: 'unknown' })
  })

  verifies('pipeline.operator', 'of a 401 names how to prove oneself', () => {
    const challenge = (code: keyof typeof errorCodes, access: 'wallet' | 'operator') =>
      problemAnswer(refuse(code, { detail: 'd', next_action: 'n' }).refusal, { ...context, access })
        .headers['WWW-Authenticate']
    expect(challenge('wallet_proof_expired', 'wallet')).toBe(
      'ServiceWalletProof error="wallet_proof_expired"',
    )
    expect(challenge('operator_required', 'operator')).toBe('Bearer')
    expect(challenge('credential_invalid', 'operator')).toBe('Bearer error="invalid_token"')
    expect(challenge('scope_denied', 'operator')).toBeUndefined()
  })

  test('has members of its own that never hide the standing ones', () => {
    const { refusal } = refuse('wrong_state', {
      detail: 'd',
      next_action: 'n',
      extra: { allowed_events: ['execute'], code: 'forged', status: 200 },
    })
    expect(problemAnswer(refusal, context).body).toMatchObject({
      allowed_events: ['execute'],
      code: 'wrong_state',
      status: 409,
    })
  })

  test('of a 402 with an offer has the offer in PAYMENT-REQUIRED', () => {
    const extra = {
      x402Version: 2,
      resource: { url: 'https://svc.example/api/payout-create' },
      accepts: [{ scheme: 'exact', amount: '100000' }],
      accepted_methods: ['x402_reference'],
    }
    const { headers, body } = problemAnswer(
      refuse('payment_required', { detail: 'payment is required', next_action: 'n', extra })
        .refusal,
      context,
    )
    const offer = JSON.parse(Buffer.from(String(headers['PAYMENT-REQUIRED']), 'base64').toString())
    expect(offer).toEqual({
      x402Version: 2,
      error: 'payment is required',
      resource: extra.resource,
      accepts: extra.accepts,
    })
    expect(body).toMatchObject({
      code: 'payment_required',
      accepts: extra.accepts,
      accepted_methods: ['x402_reference'],
    })
  })
})

test('standing codes follow from access, price, method and idempotency', () => {
  const standing = (id: string) =>
    operations.filter((operation) => operation.id === id).flatMap(commonErrors)
  expect(standing('payout-create')).toEqual(
    expect.arrayContaining([
      'wallet_proof_replayed',
      'payment_required',
      'idempotency_conflict',
      'settlement_pending',
      'contention',
    ]),
  )
  expect(standing('jwks')).toEqual([
    'invalid_request',
    'method_not_allowed',
    'internal_error',
    'rate_limited',
    'unavailable',
  ])
  expect(standing('healthz')).not.toContain('rate_limited')
  expect(standing('issue-mandate')).toEqual(
    expect.arrayContaining(['unknown_mode', 'operator_required', 'credential_invalid']),
  )
  expect(standing('issue-mandate')).not.toContain('payment_required')
})
