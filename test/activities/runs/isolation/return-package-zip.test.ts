import { createHash } from 'node:crypto'
import { crc32, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { unzipSync } from 'fflate'
import { compactVerify, importJWK, type JWK } from 'jose'
import { expect } from 'vitest'
import { rails } from '#domain/rails/index.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import type { Citation, Rail } from '#domain/rails/rail.ts'
import { buildReturnPackage, packageTexts } from '#domain/runs/package-files.ts'
import { COMPLETION_TYP, ReturnPackage } from '#domain/runs/return-package.ts'
import { verifyPackageParts, verifyPackageView } from '#domain/verification/return-package.ts'
import {
  returnPackageView,
  zipTexts,
} from '../../../../activities/runs/isolation/return-package-zip.ts'
import { openPackageThreads } from '../../../../activities/runs/package-threads.ts'
import { unzipPackage } from '../../../../activities/runs/unzip-package.ts'
import { finishedPackage, keySet, receiptKey, signedBy } from '../../../support/finished-task.ts'
import { verifies } from '../../../verifies.ts'

const keys = keySet()
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const receipts = { settlement_receipt_id: null, usage_receipt_id: null }
const viewOf = async (rail: Rail) => {
  const { made, signature } = await finishedPackage(rail)
  return returnPackageView(made, signature, receipts)
}
const faults = (report: { checks: { check: string; ok: boolean }[] }) =>
  report.checks.filter(({ ok }) => !ok).map(({ check }) => check)

verifies(
  ['package.built', 'package.verified'],
  'the package of every rail’s sandbox input verifies as JSON and as zip',
  async () => {
    for (const rail of rails) {
      const { made, signature } = await finishedPackage(rail)
      expect(ReturnPackage.parse(await viewOf(rail))).toEqual(await viewOf(rail))
      expect(
        verifyPackageView(JSON.parse(JSON.stringify(await viewOf(rail))), keys).verdict,
        rail.key,
      ).toBe('proven')
      const parts = unzipPackage(await zipTexts(packageTexts(made, signature)))!
      expect(verifyPackageParts(parts, keys)).toMatchObject({
        verdict: 'proven',
        keys: [{ kid: receiptKey.kid, standing: 'active' }],
      })
    }
  },
)

verifies(
  'package.built',
  'equal work makes equal bytes in every time zone; other work does not',
  async () => {
    const before = process.env['TZ']
    const zips: string[] = []
    for (const zone of ['UTC', 'Asia/Kathmandu', 'America/St_Johns']) {
      process.env['TZ'] = zone
      const { made, signature } = await finishedPackage(packetops)
      zips.push(sha256(await zipTexts(packageTexts(made, signature))))
    }
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
    expect(new Set(zips).size).toBe(1)
    const { made } = await finishedPackage(packetops)
    const { result, findings, gaps } = made
    const others = [
      buildReturnPackage({ ...made, partial: true }, { result, findings, gaps }),
      buildReturnPackage(made, { result, findings: [], gaps }),
      buildReturnPackage(made, { result: {}, findings, gaps }),
    ]
    expect(new Set([made, ...others].map(({ proof_hash }) => proof_hash)).size).toBe(4)
  },
)

verifies(
  'package.verified',
  'any JSON of a work is built into a package that verifies',
  async () => {
    const note = fc.record({
      code: fc.string(),
      detail: fc.string(),
      citations: fc.constant<Citation[]>([]),
    })
    const work = fc.record({
      result: fc.jsonValue(),
      findings: fc.array(note),
      gaps: fc.array(
        note.map((one) => ({ ...one, kind: 'needed' as const, pointer: '/a', filled_by: 'b' })),
      ),
    })
    const { run_id, rail, tier, usage, partial, input_sha256, loop_sha256 } = (
      await finishedPackage(packetops)
    ).made
    const facts = { run_id, rail, tier, usage, partial, input_sha256, loop_sha256 }
    await fc.assert(
      fc.asyncProperty(work, async (any) => {
        const built = buildReturnPackage(facts, any)
        const { result: _r, findings: _f, gaps: _g, files: _l, ...proof } = built
        const signature = await signedBy(COMPLETION_TYP, {
          sub: built.run_id,
          kind: 'completion',
          iat: 1,
          ...proof,
        })
        expect(
          verifyPackageParts(unzipPackage(await zipTexts(packageTexts(built, signature)))!, keys)
            .verdict,
        ).toBe('proven')
      }),
      { numRuns: 50 },
    )
  },
)

/** The zip with these bytes before its own, and its directory moved so that it still fits. */
function behind(before: Uint8Array, zip: Uint8Array): Uint8Array {
  const moved = Buffer.concat([before, zip])
  const end = moved.length - 22
  const directory = moved.readUInt32LE(end + 16) + before.length
  moved.writeUInt32LE(directory, end + 16)
  for (let at = directory; moved.readUInt32LE(at) === 0x02014b50; ) {
    moved.writeUInt32LE(moved.readUInt32LE(at + 42) + before.length, at + 42)
    const [name, extra, note] = [28, 30, 32].map((field) => moved.readUInt16LE(at + field))
    at += 46 + (name ?? 0) + (extra ?? 0) + (note ?? 0)
  }
  return moved
}

verifies(
  'package.verified',
  'a zip with files that its directory leaves out is no package',
  async () => {
    const { made, signature } = await finishedPackage(packetops)
    const zip = await zipTexts(packageTexts(made, signature))
    expect(unzipPackage(zip)).toBeDefined()
    const forged = Buffer.from(await zipTexts({ 'report.html': 'forged' }))
    const local = forged.subarray(0, forged.readUInt32LE(forged.length - 6))
    // Readers of the directory alone see the package.
    const hiding = behind(local, zip)
    expect(Object.keys(unzipSync(hiding))).toEqual(Object.keys(unzipSync(zip)))
    expect(unzipPackage(hiding)).toBeUndefined()
    const renamed = Buffer.from(zip)
    renamed.write('x', 30)
    expect(unzipPackage(renamed)).toBeUndefined()
    const between = Buffer.from(zip)
    const directory = between.readUInt32LE(between.length - 6)
    const head = between.subarray(0, directory)
    const wider = Buffer.concat([head, local, between.subarray(directory)])
    wider.writeUInt32LE(directory + local.length, wider.length - 6)
    expect(unzipPackage(wider)).toBeUndefined()
    for (const cut of [0, 21, 22, 100, zip.length - 1])
      expect(unzipPackage(zip.subarray(0, cut))).toBeUndefined()
  },
)

verifies('package.verified', 'a changed member of the JSON is refused, and named', async () => {
  const view = await viewOf(packetops)
  const hash = sha256('other')
  const note = { code: 'x', detail: 'y', citations: [] }
  const gap = { ...note, kind: 'needed', pointer: '/items', filled_by: 'an item' }
  const changes: [Partial<Record<keyof ReturnPackage, unknown>>, string[]][] = [
    [{ result: { complete: true } }, ['result.json', 'result']],
    [{ findings: [note] }, ['findings.json']],
    [{ gaps: [gap] }, ['gaps.json']],
    [{ files: view.files.slice(1) }, ['manifest', 'files']],
    [{ partial: true }, ['claims']],
    [{ tier: 'pro' }, ['claims']],
    [{ usage: 'operational' }, ['claims']],
    [{ input_sha256: hash }, ['claims']],
    [{ proof_hash: hash }, ['claims']],
    [{ run_id: `run_${hash}` }, ['claims']],
    [{ result_contract: { ...view.result_contract, version: 'v1' } }, ['form']],
    [
      { completion_signature: `${view.completion_signature.slice(0, -6)}AAAAAA` },
      ['completion signature', 'claims', 'manifest', 'result'],
    ],
    [{ surplus: 1 } as object, ['form']],
  ]
  for (const [change, named] of changes) {
    const report = verifyPackageView({ ...view, ...change }, keys)
    expect(report.verdict).toBe('refused')
    expect(faults(report).sort(), JSON.stringify(change)).toEqual(named.sort())
  }
})

verifies(
  'package.verified',
  'a changed, missing or surplus file in the zip is refused by name',
  async () => {
    const { made, signature } = await finishedPackage(packetops)
    const parts = unzipPackage(await zipTexts(packageTexts(made, signature)))!
    const changed = (files: Record<string, string>) =>
      faults(verifyPackageParts({ ...parts, files }, keys))
    const { 'gaps.json': _gaps, ...fewer } = parts.files
    expect(changed(fewer)).toEqual(['gaps.json'])
    expect(changed({ ...parts.files, 'result.json': '{}' })).toEqual(['result.json', 'result'])
    expect(changed({ ...parts.files, 'more.json': '{}' })).toEqual(['files'])
    expect(changed({ ...parts.files, 'manifest.json': '[]' })).toEqual(['manifest', 'files'])
  },
)

verifies(
  'package.verified',
  'a signature of another purpose, key or claim is no signature',
  async () => {
    const { made, signature } = await finishedPackage(packetops)
    const { result: _r, findings: _f, gaps: _g, files: _l, ...proof } = made
    const parts = unzipPackage(await zipTexts(packageTexts(made, signature)))!
    const claims = { iat: 1_795_255_200, sub: made.run_id, kind: 'completion', ...proof }
    const by = (completionSignature: string, set = keys) =>
      verifyPackageParts({ ...parts, completionSignature }, set)
    expect(by(await signedBy(COMPLETION_TYP, claims)).verdict).toBe('proven')
    expect(by(await signedBy(COMPLETION_TYP, { ...claims, iat: null })).verdict).toBe('refused')
    expect(faults(by(await signedBy('receipt+jwt', claims)))).toContain('completion signature')
    expect(
      faults(by(await signedBy(COMPLETION_TYP, { ...claims, proof_hash: sha256('other') }))),
    ).toEqual(['proof hash'])
    expect(faults(by(signature, keySet({ use_for: 'callback' })))).toContain('completion signature')
    expect(faults(by(signature, { keys: [] }))).toContain('completion signature')
    expect(by(signature, keySet({ retired_at: '2030-11-20T00:00:00Z' })).verdict).toBe('proven')
    expect(by(signature, keySet({ retired_at: '2020-11-20T00:00:00Z' })).verdict).toBe('refused')
    expect(by(signature, keySet({ revoked_at: '2027-01-01T00:00:00Z' })).verdict).toBe(
      'indeterminate',
    )
  },
)

verifies(
  'isolation.packages',
  'other calls continue while a large package is checked and written',
  async () => {
    const { made } = await finishedPackage(packetops)
    const result = {
      rows: Array.from({ length: 40_000 }, (_, row) => ({ row, text: sha256(String(row)) })),
    }
    const { run_id, rail, tier, usage, partial, input_sha256, loop_sha256, findings, gaps } = made
    const facts = { run_id, rail, tier, usage, partial, input_sha256, loop_sha256 }
    const built = buildReturnPackage(facts, { result, findings, gaps })
    const { result: _result, findings: _findings, gaps: _gaps, files: _files, ...proof } = built
    const signature = await signedBy(COMPLETION_TYP, {
      sub: built.run_id,
      kind: 'completion',
      iat: 1,
      ...proof,
    })
    const view = returnPackageView(built, signature, receipts)
    const threads = openPackageThreads()
    try {
      const [report, others] = await whileCounting(threads.verify({ view, keys }))
      expect(report).toEqual(verifyPackageView(view, keys))
      expect(report.verdict).toBe('proven')
      expect(others).toBeGreaterThan(10)
      const changed = { ...view, result: { rows: [] } }
      expect(faults(await threads.verify({ view: changed, keys }))).toEqual([
        'result.json',
        'result',
      ])
      const [texts, meanwhile] = await whileCounting(threads.texts(view))
      expect(texts).toEqual(packageTexts(built, signature))
      expect(meanwhile).toBeGreaterThan(10)
      const [, zipping] = await whileCounting(zipTexts(texts))
      expect(zipping).toBeGreaterThan(10)
    } finally {
      await threads.close()
    }
  },
)

/** What a promise comes to, and how often this process came to other work meanwhile. */
async function whileCounting<Result>(work: Promise<Result>): Promise<[Result, number]> {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, 1)
  try {
    return [await work, ticks]
  } finally {
    clearInterval(timer)
  }
}

verifies(
  'package.by-strangers',
  'jose, zlib and SHA-256 come to the same about the zip',
  async () => {
    const { made, signature } = await finishedPackage(packetops)
    const files = unzippedByHand(Buffer.from(await zipTexts(packageTexts(made, signature))))
    const text = (name: string) => files.get(name) ?? ''
    expect([...files.keys()].sort()).toEqual([
      'README.md',
      'completion.jws',
      'findings.json',
      'gaps.json',
      'manifest.json',
      'report.html',
      'result.json',
      'tables/duplicates.csv',
      'tables/expired.csv',
      'tables/gaps.csv',
      'tables/hash_mismatches.csv',
      'tables/manifest.csv',
      'tables/notes.csv',
      'tables/section_coverage.csv',
      'tables/stale.csv',
      'tables/summary.csv',
      'tables/weaknesses.csv',
    ])
    const key = await importJWK(receiptKey.publicJwk as JWK, 'EdDSA')
    const { payload, protectedHeader } = await compactVerify(text('completion.jws'), key)
    expect(protectedHeader).toEqual({ alg: 'EdDSA', kid: receiptKey.kid, typ: 'completion+jwt' })
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
      manifest_sha256: sha256(text('manifest.json')),
      result_sha256: sha256(text('result.json')),
    })
    for (const { name, sha256: digest, bytes } of JSON.parse(text('manifest.json'))) {
      expect(sha256(text(name))).toBe(digest)
      expect(Buffer.byteLength(text(name))).toBe(bytes)
    }
  },
)

/** The files of a zip by its central directory (APPNOTE 4.3.12), each held against its CRC. */
function unzippedByHand(zip: Buffer): Map<string, string> {
  const files = new Map<string, string>()
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, crc, packed] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 16),
      zip.readUInt32LE(at + 20),
    ]
    const [name, extra, comment] = [at + 28, at + 30, at + 32].map((place) =>
      zip.readUInt16LE(place),
    ) as [number, number, number]
    const local = zip.readUInt32LE(at + 42)
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const bytes = zip.subarray(begin, begin + packed)
    const content = method === 8 ? inflateRawSync(bytes) : bytes
    expect(crc32(content)).toBe(crc)
    files.set(zip.toString('utf8', at + 46, at + 46 + name), content.toString('utf8'))
    at += 46 + name + extra + comment
  }
  return files
}
