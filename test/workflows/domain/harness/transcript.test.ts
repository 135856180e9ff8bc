import { expect } from 'vitest'
import { canonicalJson, digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import {
  exchangeDigests,
  isIntact,
  keptBody,
  type PlayedStep,
  redacted,
  transcriptHash,
} from '#domain/harness/transcript.ts'
import { verifies } from '../../../verifies.ts'

const accessKey = `ag_${'a1'.repeat(8)}_${'b2'.repeat(32)}`
const token = (prefix: string) => `${prefix}_${'C3-_x'.repeat(8)}abc`

verifies('harness.secrets', 'access keys and tokens are replaced wherever they stand', () => {
  const given = {
    authorization: `Bearer ${accessKey}`,
    list: [token('st'), { deep: `https://h/api/agents/status/${token('tk')}?x=1` }],
    quote_token: token('qk'),
    two: `${token('wt')} ${token('pt')}`,
    receipt_id: `rc_${'0'.repeat(64)}`,
    n: 7,
    none: null,
  }
  expect(redacted(given)).toEqual({
    authorization: `Bearer ag_${'a1'.repeat(8)}_[redacted]`,
    list: ['st_[redacted]', { deep: 'https://h/api/agents/status/tk_[redacted]?x=1' }],
    quote_token: 'qk_[redacted]',
    two: 'wt_[redacted] pt_[redacted]',
    receipt_id: `rc_${'0'.repeat(64)}`,
    n: 7,
    none: null,
  })
})

verifies('harness.transcript', 'a long body is its length and digest, without its secrets', () => {
  const long = { text: 'x'.repeat(9_000), token: token('st') }
  const text = canonicalJson({ text: long.text, token: 'st_[redacted]' })
  expect(keptBody(long)).toEqual({ omitted: true, chars: text.length, sha256: sha256Hex(text) })
  expect(keptBody({ short: 1 })).toEqual({ short: 1 })
})

const exchange = (status: number | null) => ({
  request: { method: 'GET', path: '/healthz' },
  response: { status, body: 'ok' },
})
const played = (
  exchanges: PlayedStep['exchanges'],
  more: Partial<PlayedStep> = {},
): PlayedStep => ({
  step: 'discovery',
  expected: '200',
  ok: true,
  detail: 'as expected',
  status: 200,
  ms: 3,
  ...exchangeDigests(exchanges),
  exchanges,
  ...more,
})

verifies('harness.transcript', 'a reader works the digests out again; a change shows', () => {
  const step = played([exchange(200), exchange(404)])
  expect(step.request_sha256).toBe(
    digestOf([
      { method: 'GET', path: '/healthz' },
      { method: 'GET', path: '/healthz' },
    ]),
  )
  expect(isIntact(step)).toBe(true)
  expect(isIntact({ ...step, exchanges: [exchange(200), exchange(500)] })).toBe(false)
  const hash = transcriptHash('a', [step])
  expect(hash).toBe(digestOf({ type: 'service.test-transcript.v1', suite: 'a', steps: [step] }))
  for (const other of [
    transcriptHash('b', [step]),
    transcriptHash('a', []),
    transcriptHash('a', [{ ...step, ok: false }]),
    transcriptHash('a', [played([exchange(null)])]),
  ])
    expect(other).not.toBe(hash)
})
