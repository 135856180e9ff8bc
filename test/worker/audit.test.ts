import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { continuationText } from '#domain/log/origin.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { runAudit } from '../../worker/audit/audit.ts'
import { runCli } from '../support/cli.ts'
import { keySet, signedBy } from '../support/finished-task.ts'
import {
  createLogKey,
  createWitnessSigner,
  inclusionOf,
  proofText,
  serveLog,
} from '../support/memory-log.ts'
import { verifies } from '../verifies.ts'

/** Half an hour ago, receipts were issued one a second. */
const START = Math.floor(Date.now() / 1000) - 1_800
const receipt = (index: number, iat = START + index) =>
  signedBy(RECEIPT_TYP, { iss: 'the service', sub: `po_${index}`, kind: 'payout_created', iat })
const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()
const entryOf = (jws: string) => new Uint8Array(sha256(sha256(jws)))
const logKey = createLogKey()
const witness = createWitnessSigner()
const receipts = await Promise.all(Array.from({ length: 300 }, (_, index) => receipt(index)))

let scratch: string
let keys: string
let material: string
/** What the log serves: it may be changed to lie. */
let log: Parameters<typeof serveLog>[0]
let server: Awaited<ReturnType<typeof serveLog>>
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-audit-'))
  keys = join(scratch, 'jwks.json')
  writeFileSync(keys, JSON.stringify(keySet()))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
beforeEach(async () => {
  material = mkdtempSync(join(scratch, 'material'))
  log = { entries: receipts.map(entryOf), key: logKey }
  server = await serveLog(log)
})
afterEach(() => server.stop())

const keep = (name: string, text: string) => writeFileSync(join(material, name), text)
/** The checkpoint of the first leaves, cosigned when the last of them came. */
const cosigned = (size: number, of = log.entries) => {
  const note = logKey.checkpoint(of.slice(0, size))
  return note + witness.cosign(note, START + size)
}
const keepProof = (index: number, size: number) => {
  const entries = log.entries.slice(0, size)
  keep(`${index}.jws`, receipts[index]!)
  keep(`${index}.tlog-proof`, proofText(index, inclusionOf(index, entries), cosigned(size)))
}
const audit = (more: { witness?: string[]; logKey?: string[] } = {}) =>
  runAudit(server.url, {
    material,
    logKey: [logKey.text],
    witnessKey: [witness.text],
    witness: [],
    keys,
    keep: false,
    ...more,
  })
const found = async () =>
  (await audit()).findings.map(({ deception, subject }) => [deception, subject])
const idOf = (jws: string) => `rc_${sha256(jws).toString('hex')}`

verifies('log.audit.honest', 'an honest log agrees with all that was kept of it', async () => {
  keep('10.checkpoint', cosigned(10))
  keep('answer.json', JSON.stringify({ receipts: [{ jws: receipts[7] }, { jws: receipts[299] }] }))
  keepProof(40, 280)
  const proof = proofText(41, inclusionOf(41, log.entries.slice(0, 290)), cosigned(290))
  keep('bundle.json', JSON.stringify({ receipt: receipts[41], tlog_proof: proof }))
  keep('fresh.jws', await receipt(1, Math.floor(Date.now() / 1000)))
  expect(await audit()).toMatchObject({
    verdict: 'honest',
    findings: [],
    ignored: [],
    leaves: 300,
    checkpoints: 4,
    cosigned: 3,
    receipts: 5,
  })
})

verifies(
  'log.audit.honest',
  'what neither the log nor the service signed is no evidence',
  async () => {
    keep('other.checkpoint', createLogKey().checkpoint(log.entries.slice(1)))
    keep('text.checkpoint', 'text')
    keep('text.json', '{')
    keep('text.tlog-proof', 'text')
    keep('forged.jws', `${(await receipt(900)).slice(0, -4)}AAAA`)
    keep('request.jws', await signedBy('handoff+jwt', { iat: START }))
    const { verdict, ignored } = await audit()
    expect(verdict).toBe('honest')
    expect(ignored).toHaveLength(6)
  },
)

verifies(
  'log.continues',
  'what a restore has lost is not in the log, and accuses it of nothing',
  async () => {
    const named = cosigned(280)
    const checkpoint = sha256(named.slice(0, named.indexOf('\n\n') + 1)).toString('hex')
    const text = continuationText({ restored: 200, witnessed: 280, checkpoint })
    const key = createLogKey(`${logKey.key.name}/${text}`)
    const trusted = { logKey: [key.text, logKey.text] }
    keep('restored.checkpoint', cosigned(150))
    keep('lost.checkpoint', named)
    keepProof(40, 280)
    keepProof(250, 280)
    const others = await Promise.all([601, 602, 603].map((index) => receipt(index)))
    const before = log.entries
    log.entries = [...before.slice(0, 200), ...others.map(entryOf)]
    log.key = key
    const { verdict, ignored } = await audit(trusted)
    expect(verdict).toBe('honest')
    const range = '200 to 279, which the log has lost'
    const ofTree = { reason: `its tree has leaves of ${range}` }
    expect(ignored).toEqual([
      { file: 'lost.checkpoint', ...ofTree },
      { file: '250.tlog-proof', ...ofTree },
      { file: '40.tlog-proof', ...ofTree },
      { file: '250.jws', reason: `it is not in this log: a leaf of ${range}` },
    ])
    // What was restored has to be as it was.
    log.entries = log.entries.with(40, entryOf(await receipt(604)))
    const findings = (await audit(trusted)).findings.map(({ deception }) => deception)
    expect(findings).toEqual(expect.arrayContaining(['split_view', 'rewritten_leaf']))
    // The log had signed another tree of the size that it names.
    log.entries = [...before.slice(0, 200), ...before.slice(0, 100)]
    keep('other.checkpoint', cosigned(280, [...before.slice(0, 279), entryOf(await receipt(605))]))
    expect((await audit(trusted)).findings).toMatchObject([
      { deception: 'split_view', subject: 'size 280' },
    ])
  },
)

verifies('log.audit.deceptions', 'a log that shows two trees has a split view', async () => {
  keep('a.checkpoint', cosigned(200))
  log.entries = [entryOf(await receipt(500)), ...log.entries.slice(1)]
  expect(await found()).toEqual([['split_view', 'size 200']])
  // The checkpoint that it shows is not the one of its tiles.
  log.checkpoint = logKey.checkpoint(receipts.map(entryOf))
  expect(await found()).toEqual([
    ['split_view', 'size 300'],
    ['split_view', 'size 200'],
  ])
})

verifies('log.audit.deceptions', 'two observers of one size find the split view', async () => {
  const other = await serveLog({
    entries: [],
    key: logKey,
    monitor: cosigned(250, [...log.entries.slice(0, 249), entryOf(await receipt(501))]),
  })
  expect((await audit({ witness: [other.url] })).findings).toMatchObject([
    { deception: 'split_view', subject: 'size 250', detail: expect.stringContaining(other.url) },
  ])
  await other.stop()
})

verifies('log.audit.deceptions', 'a log that goes back is found', async () => {
  keep('a.checkpoint', cosigned(300))
  log.entries = log.entries.slice(0, 290)
  expect(await found()).toEqual([['split_view', 'size 300']])
})

verifies('log.audit.deceptions', 'a rewritten leaf is found by its kept proof', async () => {
  keepProof(40, 280)
  log.entries = log.entries.with(40, entryOf(await receipt(502)))
  expect(await found()).toEqual([
    ['split_view', 'size 280'],
    ['rewritten_leaf', idOf(receipts[40]!)],
  ])
})

verifies('log.audit.deceptions', 'a dropped leaf is found by its receipt', async () => {
  keep('40.jws', receipts[40]!)
  log.entries = log.entries.toSpliced(40, 1)
  expect(await found()).toEqual([['dropped_leaf', idOf(receipts[40]!)]])
})

verifies('log.audit.deceptions', 'a back-dated leaf is found by a cosignature', async () => {
  keep('a.checkpoint', cosigned(300))
  const late = await receipt(503, START + 300 - 61)
  const inTime = await receipt(504, START + 300 - 60)
  log.entries = [...log.entries, entryOf(late), entryOf(inTime)]
  keep('late.json', JSON.stringify([{ jws: late }, { jws: inTime }]))
  expect(await found()).toEqual([['back_dated_leaf', idOf(late)]])
})

verifies(
  'log.audit.deceptions',
  'the command keeps what it saw, and exits by verdict',
  async () => {
    const args = [
      'audit',
      server.url,
      '--material',
      material,
      '--log-key',
      logKey.text,
      '--keys',
      keys,
    ]
    expect(await runCli(process.env, ...args)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^300 leaves against 1 checkpoints.*\nhonest\n$/),
    })
    expect(readdirSync(material)).toHaveLength(1)
    log.entries = log.entries.slice(0, 200)
    const { code, out } = await runCli(process.env, ...args, '--json', '--no-keep')
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ findings: [{ deception: 'split_view' }] })
    expect(readdirSync(material)).toHaveLength(1)
  },
)
