import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { z } from 'zod'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import type { KeySet } from '#domain/receipts/key-set.ts'
import { AUDIT_PACK_TYP, packClaims } from '#domain/reviews/audit-pack.ts'
import { openFile, receiptIn } from '#domain/verification/file.ts'
import { withLogState } from '#domain/verification/log-state.ts'
import { settle } from '#domain/verification/signed.ts'
import { readJsonFile } from '../../../../activities/config/config.ts'
import { receiptView } from '../../../../activities/keys/receipt-view.ts'
import { finishedTask, keySet, withoutResult } from '../../../support/finished-task.ts'
import { goodToken, headerFor, signToken } from '../../../vectors/artifacts.ts'
import { isoTime, keySets, signedAt } from '../../../vectors/keys.ts'
import { verifies } from '../../../verifies.ts'

const verifyAnswer = (answer: unknown, keys: KeySet = keySets.current) =>
  settle(openFile({ content: JSON.stringify(answer), keys, at: signedAt + 60 }))
/** Kind, verdict and reasons of an answer, by the keys of the vectors or by others. */
const judged = (answer: unknown, keys?: KeySet) => {
  const { kind, verdict, reasons } = verifyAnswer(answer, keys)
  return [kind, verdict, ...reasons]
}

verifies('verify.bodies', 'a replay package is as it was signed, or invalid', async () => {
  const file = await finishedTask(tokenops)
  const of = keySet()
  for (const one of [file, await withoutResult(file, 'result_attested')])
    expect(judged(one, of)).toEqual(['replay_package', 'valid'])
  const made = file.replay_package
  const changes = [{ rail: 'packetops' }, { receipts: [] }, { package_sha256: '0'.repeat(64) }]
  for (const change of changes)
    expect(judged({ ...file, replay_package: { ...made, ...change } }, of)).toEqual([
      'replay_package',
      'invalid',
      'claims_mismatch',
    ])
  const foreign = { ...file, jws: goodToken('receipt') }
  expect(judged(foreign)).toEqual(['replay_package', 'invalid', 'wrong_type'])
  expect(judged({ replay_package: made })).toEqual(['replay_package', 'invalid', 'malformed'])
  for (const alone of [file.jws, { jws: file.jws }])
    expect(judged(alone, of)).toEqual(['replay_package', 'indeterminate', 'body_missing'])
})

verifies('verify.bodies', 'an audit pack is as it was signed, or invalid', () => {
  const parts = { decisions: [{ note: 'ok' }], loops: [], ledger_heads: [], receipts: [] }
  const page = { offset: 0, limit: 50, total: 1 }
  const about = { asked: { run_id: 'run_1', from: undefined }, page, parts }
  const claims = packClaims(about, { issuer: 'https://service.example', iat: signedAt })
  const jws = signToken({ ...headerFor('receipt'), typ: AUDIT_PACK_TYP }, claims)
  const pack = { ...parts, ...page, pack_sha256: claims.sub, jws }
  expect(judged(pack)).toEqual(['audit_pack', 'valid'])
  const changes = [
    { decisions: [] },
    { decisions: [{ note: 'no' }] },
    { total: 0 },
    { loops: null },
    { summary: 'all was approved' },
    { total: 0, page },
    { pack_sha256: '0'.repeat(64) },
  ]
  for (const change of changes)
    expect(judged({ ...pack, ...change })).toEqual(['audit_pack', 'invalid', 'claims_mismatch'])
  expect(judged(jws)).toEqual(['audit_pack', 'indeterminate', 'body_missing'])
})

/** A receipt of this kind that is signed by the key of the vectors, as answers show it. */
function viewOf(kind: string) {
  const { payload } = receiptView(goodToken('receipt'))
  return receiptView(signToken(headerFor('receipt'), { ...payload, kind }))
}

verifies('verify.bodies', 'an attestation says what was signed, or is invalid', () => {
  const attestation = viewOf('attestation')
  const answer = { attestation, verification_packet: { verified: true } }
  expect(judged(answer)).toEqual(['attestation', 'valid'])
  const logged = withLogState(verifyAnswer(answer))
  expect(logged.log_state).toBe('not_checked')
  const changes = [
    { payload: { ...attestation.payload, more: 1 } },
    { subject: 'another' },
    { issued_at: isoTime(signedAt + 1) },
    { receipt_id: `rc_${'0'.repeat(64)}` },
    { key_id: 'another-key' },
    { result: 'approved' },
  ]
  for (const change of changes)
    expect(judged({ attestation: { ...attestation, ...change } })).toEqual([
      'attestation',
      'invalid',
      'claims_mismatch',
    ])
})

verifies('verify.bodies', 'a receipt of another kind is no attestation', () => {
  for (const kind of ['sample', 'onboarding', 'payout_executed'])
    for (const attestation of [viewOf(kind), { jws: viewOf(kind).jws }])
      expect(judged({ attestation })).toEqual(['attestation', 'invalid', 'claims_invalid'])
})

verifies('verify.one-reading', 'a file that names a member twice is malformed', () => {
  const text = JSON.stringify({ attestation: viewOf('attestation') })
  const twice = text.replace('"payload":', '"payload":{"forged":true},"payload":')
  expect(JSON.parse(twice)).toEqual(JSON.parse(text))
  const judgedText = (content: string) =>
    settle(openFile({ content, keys: keySets.current, at: signedAt + 60 }))
  expect(judgedText(text).verdict).toBe('valid')
  expect(judgedText(twice)).toMatchObject({ verdict: 'invalid', reasons: ['malformed'] })
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  expect(judgedText(deep).verdict).not.toBe('valid')
  expect(receiptIn(twice)).toBeUndefined()
  const directory = mkdtempSync(join(tmpdir(), 'one-reading-'))
  const file = join(directory, 'replay.json')
  writeFileSync(file, twice)
  expect(() => readJsonFile(file, z.unknown())).toThrow('names a member twice')
  rmSync(directory, { recursive: true })
})
