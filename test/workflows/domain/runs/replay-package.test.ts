import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compactVerify, importJWK, type JWK } from 'jose'
import { expect } from 'vitest'
import { rails } from '#domain/rails/index.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { REPLAY_TYP } from '#domain/receipts/dated-back.ts'
import { type ReplayFile, type ReplayPackage, replayClaims } from '#domain/runs/replay-package.ts'
import { verifyReplayFile } from '#domain/verification/replay-package.ts'
import { packageRoot } from '../../../../activities/config/package-root.ts'
import { signCompact } from '../../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../../activities/keys/generate.ts'
import { keyRings } from '../../../../activities/keys/key-ring.ts'
import {
  finishedTask,
  keySet,
  receiptKey,
  signedAgain,
  withoutResult,
} from '../../../support/finished-task.ts'
import { verifies } from '../../../verifies.ts'

const file = await finishedTask(packetops)
const made = file.replay_package
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const faults = (report: { checks: { check: string; ok: boolean }[] }) =>
  report.checks.filter(({ ok }) => !ok).map(({ check }) => check)
const verifyAgain = (changed: ReplayFile, settings = {}) =>
  verifyReplayFile(JSON.parse(JSON.stringify(changed)), settings)
const resigned = (change: Partial<ReplayPackage>) => signedAgain({ ...made, ...change })

verifies(
  'replay.verified',
  'every rail’s task is proven, and repeating its work agrees',
  async () => {
    for (const rail of rails) {
      const report = verifyAgain(await finishedTask(rail), { keys: keySet() })
      expect(faults(report), rail.key).toEqual([])
      expect(report).toMatchObject({
        verdict: 'proven',
        keys: [{ kid: receiptKey.kid, standing: 'active' }],
      })
      expect(report.checks.at(-1)).toMatchObject({
        check: 'replay',
        detail: expect.stringContaining(`${rail.key} gives`),
      })
    }
  },
)

verifies('replay.keys', 'a package alone is indeterminate, since anyone can make one', () => {
  const alone = verifyAgain(file)
  expect(faults(alone)).toEqual([])
  expect(alone.verdict).toBe('indeterminate')
})

verifies('replay.verified', 'the same task always has the same package and signature', async () => {
  expect(await finishedTask(packetops)).toEqual(file)
})

verifies(
  'replay.tampered',
  'any change after signing is found by the package’s digest',
  async () => {
    const changes: Partial<ReplayPackage>[] = [
      { rail: 'tokenops' },
      { code_version: '9.9.9' },
      { resume_state: 'queued' },
      { from_step: 'worker' },
      { exception_id: null },
      { keys: keySet({ retired_at: '2026-11-22T00:00:00Z' }) },
    ]
    for (const change of changes)
      expect(
        faults(verifyAgain({ ...file, replay_package: { ...made, ...change } })),
        JSON.stringify(change),
      ).toEqual(expect.arrayContaining(['package', 'package signature']))
    const signature = { ...file, jws: (await finishedTask(tokenops)).jws }
    expect(faults(verifyAgain(signature))).toEqual(['package signature'])
    expect(verifyReplayFile({ ...file, surplus: 1 }).verdict).toBe('refused')
    expect(verifyReplayFile('nothing of the kind').verdict).toBe('refused')
  },
)

verifies(
  'replay.tampered',
  'each part is refused by its own check, even when we signed it',
  async () => {
    const entry = made.ledger[4] as ReplayPackage['ledger'][number]
    const input = made.documents.at(-1)
    const proof = made.return_package
    if (input === undefined || proof === null) throw new Error('the task has an input and a result')
    const noReceipt = `rc_${'0'.repeat(64)}`
    const saying = (more: object) => ({ ...entry, data: { ...entry.data, ...more } })
    const changes: [Partial<ReplayPackage>, string[]][] = [
      [{ ledger: made.ledger.with(4, { ...entry, actor: 'operator:mallory' }) }, ['ledger']],
      [{ ledger: made.ledger.toSpliced(4, 1) }, ['ledger']],
      [{ ledger: made.ledger.with(4, { ...entry, data: { surplus: 1 } }) }, ['ledger data']],
      [{ ledger: made.ledger.slice(0, -1) }, ['receipt facts']],
      // What a caller wrote cites nothing; a member that names a receipt does.
      [{ ledger: made.ledger.with(4, saying({ detail: noReceipt })) }, ['ledger data']],
      [
        { ledger: made.ledger.with(4, saying({ usage_receipt_id: noReceipt })) },
        ['ledger data', 'cited receipts'],
      ],
      [{ documents: made.documents.slice(1) }, ['documents']],
      [{ documents: made.documents.slice(0, -1) }, ['replay']],
      [
        { documents: made.documents.with(-1, { ...input, content: tokenops.sandboxInput }) },
        ['documents', 'replay'],
      ],
      [{ receipts: made.receipts.slice(1) }, ['cited receipts']],
      [{ receipts: made.receipts.toSpliced(2, 1) }, ['cited receipts', 'result']],
      [{ receipts: made.receipts.with(0, `${made.receipts[0]}A`) }, ['receipts', 'cited receipts']],
      [
        { receipts: [...made.receipts, ...(await finishedTask(tokenops)).replay_package.receipts] },
        ['receipt facts'],
      ],
      [{ receipts: [...made.receipts, String(made.receipts[2])] }, ['receipt chains']],
      [{ loop_steps: made.loop_steps.slice(1) }, ['result']],
      [{ return_package: null }, ['result']],
      [{ return_package: { ...proof, result_sha256: sha256('other') } }, ['result', 'replay']],
      [{ return_package: { ...proof, partial: true } }, ['result', 'replay']],
      [
        { return_package: (await finishedTask(tokenops)).replay_package.return_package },
        ['result', 'replay'],
      ],
      [{ rail: 'tokenops' }, ['result', 'replay']],
      [{ issuer: 'http://elsewhere.example' }, ['receipt facts']],
    ]
    for (const [change, named] of changes) {
      const report = verifyAgain(await resigned(change), { keys: keySet() })
      const [[name]] = Object.entries(change) as [[string, unknown]]
      expect(report.verdict, name).toBe('refused')
      expect(
        faults(report).sort(),
        `${name} ${JSON.stringify(report.checks.filter(({ ok }) => !ok))}`,
      ).toEqual(named.sort())
    }
  },
)

verifies('package.report.verified', 'a replay makes the report again and compares it', async () => {
  const proof = made.return_package
  if (proof === null) throw new Error('the task has a result')
  const replayed = async (change: Partial<typeof proof>) => {
    const changed = await resigned({ return_package: { ...proof, ...change } })
    return verifyAgain(changed, { keys: keySet() }).checks.find(({ check }) => check === 'replay')
  }
  expect(await replayed({})).toMatchObject({ ok: true })
  expect(await replayed({ manifest_sha256: sha256('forged') })).toMatchObject({
    ok: false,
    detail: 'packetops gives other findings, gaps or another report',
  })
  expect(await replayed({ report_version: 9 })).toMatchObject({
    ok: false,
    detail: 'its report is of version 9, which this program does not make',
  })
})

verifies(
  ['replay.tampered', 'replay.keys'],
  'a forger’s keys prove a package to itself, not to a saved key set',
  async () => {
    const forger = keyRings(generateSigningKeys(new Date('2026-11-21'))).receipt.active
    const keys = {
      keys: [
        {
          kty: 'OKP',
          ...forger.publicJwk,
          kid: forger.kid,
          use_for: 'receipt',
          retired_at: null,
          revoked_at: null,
        },
      ],
    }
    const { replay_package } = await resigned({
      keys,
      receipts: [],
      return_package: null,
      ledger: made.ledger.slice(0, 8),
    })
    const forged = {
      ...file,
      replay_package,
      jws: await signCompact(forger, { typ: REPLAY_TYP, payload: replayClaims(replay_package) }),
    }
    expect(faults(verifyAgain(forged))).toEqual([])
    expect(faults(verifyAgain(forged, { keys: keySet() }))).toEqual(['package signature'])
  },
)

verifies(
  ['replay.keys', 'keys.retired'],
  'revoked signatures are indeterminate; retired ones count if earlier',
  () => {
    expect(
      verifyAgain(file, { keys: keySet({ revoked_at: '2027-01-01T00:00:00Z' }) }),
    ).toMatchObject({
      verdict: 'indeterminate',
      keys: [{ standing: 'revoked' }],
    })
    expect(
      verifyAgain(file, { keys: keySet({ retired_at: '2030-01-01T00:00:00Z' }) }),
    ).toMatchObject({
      verdict: 'proven',
      keys: [{ standing: 'active' }],
    })
    const ended = verifyAgain(file, { keys: keySet({ retired_at: '2020-01-01T00:00:00Z' }) })
    expect(ended.verdict).toBe('refused')
    expect(JSON.stringify(ended.checks)).toContain('was retired before its date')
  },
)

verifies(
  'replay.verified',
  'an input that is packed only by its digest is given separately',
  async () => {
    const withheld = await resigned({ documents: made.documents.slice(0, -1) })
    const given = { keys: keySet(), input: packetops.sandboxInput }
    expect(verifyAgain(withheld, given).verdict).toBe('proven')
    expect(faults(verifyAgain(withheld, { input: tokenops.sandboxInput }))).toEqual(['replay'])
  },
)

verifies(
  'replay.verified',
  'a task that never had a result is proven as far as it came',
  async () => {
    const before = await resigned({
      ledger: made.ledger.slice(0, 10),
      receipts: made.receipts.slice(0, 2),
      exception_id: null,
      return_package: null,
      loop_steps: [],
      resume_state: null,
    })
    const report = verifyAgain(before, { keys: keySet() })
    expect(report.verdict).toBe('proven')
    expect(report.checks.at(-1)?.detail).toContain('no result to compare with')
  },
)

verifies(
  'replay.withheld',
  'a result is withheld before its receipts, and missing after',
  async () => {
    const without = async (last: 'result_produced' | 'result_attested' | 'receipts_issued') => {
      const report = verifyAgain(await withoutResult(file, last), { keys: keySet() })
      return { ...report, result: report.checks.find(({ check }) => check === 'result') }
    }
    const sha256 = made.return_package?.result_sha256
    for (const last of ['result_produced', 'result_attested'] as const) {
      const { verdict, checks, result } = await without(last)
      expect([verdict, faults({ checks })]).toEqual(['indeterminate', []])
      expect(result?.detail).toBe(`withheld: ${sha256} was not delivered`)
    }
    const { verdict, result } = await without('receipts_issued')
    expect([verdict, result?.detail]).toEqual([
      'refused',
      'the ledger names a result that is not here',
    ])
  },
)

verifies('replay.verified', 'a package says which version of the code made it', () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
  expect(made.code_version).toBe(version)
})

verifies(
  'package.by-strangers',
  'jose and node:crypto come to the same about signatures and ledger',
  async () => {
    const jwk = made.keys.keys.find(({ kid }) => kid === receiptKey.kid) as JsonWebKey
    const { payload } = await compactVerify(file.jws, await importJWK(jwk as JWK, 'EdDSA'))
    const head = made.ledger.at(-1)
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
      sub: made.task_id,
      ledger_head: head?.hash,
    })
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    for (const jws of made.receipts) {
      const [header, body, signature = ''] = jws.split('.')
      expect(
        verify(null, Buffer.from(`${header}.${body}`), key, Buffer.from(signature, 'base64url')),
      ).toBe(true)
    }
    let before = sha256(`{"task_id":"${made.task_id}","type":"service.task.v1"}`)
    for (const { hash, data, ...entry } of made.ledger) {
      expect(entry.prev_hash).toBe(before)
      // RFC 8785 of flat objects with ASCII names: members sorted, no spaces.
      expect(sha256(JSON.stringify(entry, Object.keys(entry).sort()))).toBe(hash)
      expect(entry.data_sha256).toBe(sha256(flat(data)))
      before = hash
    }
  },
)

const flat = (value: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))
