import { isDeepStrictEqual } from 'node:util'
import type { CallRecord, RunRecord } from '../run-record.ts'
import { type Complaint, type Facts, indexBy, type Verdict } from './facts.ts'

type Answer = CallRecord['answers'][number]
type Body = Record<string, unknown>

/** What no repeat can change: an answer of this kind is the last word on its key. */
const finalRefusals = new Set([
  'invalid_request',
  'idempotency_conflict',
  'payout_cap_exceeded',
  'recipient_refused',
  'forbidden_material',
  'issuer_untrusted',
  'mandate_invalid',
  'key_binding_missing',
  'key_binding_invalid',
  'audience_mismatch',
  'request_digest_mismatch',
  'principal_signature_invalid',
  'presentation_consumed',
  'mandate_consumed',
  'payout_expired',
])
/** What may come between two answers of one call without contradicting either. */
const passing = new Set([
  'unavailable',
  'contention',
  'settlement_pending',
  'rate_limited',
  'provider_failed',
  'idempotency_in_flight',
  'paused',
  'grant_released',
  'wallet_proof_expired',
])
/** How long ago an answer may have been made up before it arrives. */
const ANSWER_AGE_MS = 3_000

/** Each caller got one consistent answer for each of its keys, and it is what the store says. */
export const checkAnswers: Verdict = (facts) =>
  facts.runs.flatMap((run) =>
    run.calls.flatMap((call) =>
      [...contradictions(call), ...untruths(call, run, facts)].map((what): Complaint => {
        const evidence = {
          operation: call.operation,
          key: call.key,
          answers: call.answers.map(brief),
        }
        return { as: 'disagreements', what, evidence, run: run.index }
      }),
    ),
  )

const isSuccess = ({ status }: Answer) => status >= 200 && status < 300
const isFinal = (answer: Answer) => isSuccess(answer) && answer.status !== 202
const codeOf = ({ body }: Answer) => String((body as Body | null)?.['code'])
const payoutOf = ({ body }: Answer) => ((body as Body | null)?.['payout'] ?? {}) as Body

/** Compares the answers of one call. */
function contradictions({ operation, answers }: CallRecord): string[] {
  const finals = answers.filter(isFinal)
  const firstFinal = answers.findIndex(isFinal)
  const firstRefusal = answers.findIndex((answer) => finalRefusals.has(codeOf(answer)))
  const found: string[] = []
  if (answers.some((answer) => codeOf(answer) === 'internal_error'))
    found.push('a call failed in an unforeseen way')
  // A status is read afresh each time.
  if (
    operation !== 'payout-status' &&
    finals.some(({ body }) => !isDeepStrictEqual(body, finals[0]?.body))
  )
    found.push('two final answers of one call differ')
  if (firstFinal >= 0) {
    const later = answers.slice(firstFinal + 1)
    if (later.some((answer) => answer.status >= 400 && !passing.has(codeOf(answer))))
      found.push('a call was refused after it had succeeded')
    // Of two that were under way at once either may arrive first.
    const heardMs = Math.min(...finals.map(({ atMs }) => atMs))
    if (answers.some(({ status, askedMs }) => status === 202 && askedMs >= heardMs))
      found.push('a call was open again after its final answer')
  }
  if (firstRefusal >= 0 && answers.slice(firstRefusal).some(isSuccess))
    found.push('a call succeeded after it had been refused for good')
  return found
}

/** Compares the answers of one call with the store. */
function untruths(call: CallRecord, run: RunRecord, { store }: Facts): string[] {
  const payouts = indexBy(store.payouts, ({ payout_id }) => payout_id)
  const receipts = new Set(store.receipts.map(({ jws }) => jws))
  const found = call.answers.filter(isSuccess).flatMap((answer) => {
    const notified = payoutOf(answer)
    const stored = payouts.get(String(notified['payout_id']))
    const shown = ((answer.body as Body)['receipts'] ?? []) as string[]
    const same = ['creator', 'recipient', 'amount_atomic', 'terms_sha256', 'payout_wallet'] as const
    return [
      stored !== undefined &&
        same.some((name) => notified[name] !== stored[name]) &&
        'an answer has other terms than the store',
      stored !== undefined &&
        notified['state'] === 'executed' &&
        stored.state !== 'executed' &&
        'an answer says executed and the store does not',
      shown.some((jws) => !receipts.has(jws)) && 'an answer shows a receipt that is not stored',
    ].filter((what) => what !== false)
  })
  return saidNo(call, run, store)
    ? [...found, 'money_moved: no was said of a payout that then moved']
    : found
}

/** A "no" is a lie when the transfer was reserved already, or when the caller went away with it and was paid for after all. */
function saidNo(
  { operation, answers }: CallRecord,
  run: RunRecord,
  store: Facts['store'],
): boolean {
  const transfer = store.transfers.find(({ payout_id }) => payout_id === run.payoutId)
  if (operation !== 'payout-execute' || transfer === undefined || transfer.status === 'dead')
    return false
  const nos = answers.filter(
    (answer) => !isSuccess(answer) && (answer.body as Body)['money_moved'] === 'no',
  )
  const last = answers.at(-1)
  return nos.some(
    (answer) =>
      answer === last ||
      Math.max(answer.askedMs, answer.atMs - ANSWER_AGE_MS) > transfer.reserved_ms,
  )
}

const brief = (answer: Answer) => ({
  status: answer.status,
  askedMs: answer.askedMs,
  atMs: answer.atMs,
  replayed: answer.replayed,
  ...(answer.status >= 400 ? { problem: answer.body } : { payout: payoutOf(answer) }),
})
