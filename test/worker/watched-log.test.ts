import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { receiptId } from '#domain/core/ids.ts'
import { entryOf } from '#domain/log/bundle.ts'
import { cosignedAt, parseNote, verifierKey } from '#domain/log/checkpoint.ts'
import { logOrigin } from '#domain/log/origin.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { createOutgoing } from '../../activities/http/outgoing.ts'
import { signCompact } from '../../activities/keys/compact.ts'
import { loadKeyRings } from '../../activities/keys/key-ring.ts'
import { publishKeys } from '../../activities/keys/publish-keys.ts'
import { pushCheckpoint } from '../../activities/log/push-checkpoint.ts'
import { noteKeyOf, sequence } from '../../activities/log/sequencer.ts'
import { runAudit } from '../../worker/audit/audit.ts'
import { openLogReader } from '../../worker/witness/log-reader.ts'
import { follow } from '../../worker/witness/run.ts'
import { serveWitness } from '../../worker/witness/serve.ts'
import { openWitness } from '../../worker/witness/witness.ts'
import { keepWitnessKey } from '../../worker/witness/witness-key.ts'
import { runCli } from '../support/cli.ts'
import { type ComposedApis, startComposed } from '../support/composed-api.ts'
import { verifies } from '../verifies.ts'

let scratch: string
let apis: ComposedApis
let key: Awaited<ReturnType<typeof keepWitnessKey>>
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-watched-'))
  key = await keepWitnessKey(join(scratch, 'witness-key.json'), 'witness.example/w1')
  apis = await startComposed({
    sequences: false,
    env: { LOG_WITNESSES: verifierKey(key.publicKey) },
  })
})
afterAll(async () => {
  await apis?.stop()
  rmSync(scratch, { recursive: true, force: true })
})

verifies(
  ['log.witness.follows', 'log.push', 'log.audit.honest', 'log.audit.deceptions'],
  'witness and audit agree with a service, until it rewrites a leaf',
  async () => {
    const { db, config, hosts } = apis
    const base = hosts[0]!.base
    const keys = loadKeyRings(config.SIGNING_KEYS_FILE)
    await publishKeys(db, keys)
    const log = { db, keys, origin: logOrigin(config.BASE_URL) }
    const logKeys = [noteKeyOf(log.origin, keys.log.active.publicJwk)]
    const witness = openWitness({ directory: scratch, logKeys, key, now: Date.now })
    const look = () => follow(witness, openLogReader(base), Date.now())

    const iat = Math.floor(Date.now() / 1000)
    const issue = async (from: number, to: number) => {
      for (let at = from; at < to; at += 1) {
        const payload = { iss: 'the service', iat, sub: `po_${at}`, kind: 'payout_created' }
        const jws = await signCompact(keys.receipt.active, { typ: RECEIPT_TYP, payload })
        await sql`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
          values (${receiptId(jws)}, ${payload.sub}, 0, ${payload.kind}, ${jws}, ${keys.receipt.active.kid}, '')`.execute(
          db,
        )
        writeFileSync(join(scratch, `${at}.jws`), jws)
      }
      await sequence(log)
    }
    await issue(0, 3)
    expect(await look()).toEqual({ result: 'cosigned', size: 3 })
    await issue(3, 9)
    const server = await serveWitness(witness, {
      host: '127.0.0.1',
      port: 0,
      report: (error) => expect.fail(String(error)),
    })
    const send = createOutgoing({ ownHosts: [], exempt: [server.url] })
    const reached = { key: key.publicKey, url: server.url }
    expect(await pushCheckpoint({ db, send }, reached)).toMatchObject({ result: 'cosigned' })
    expect(await look()).toEqual({ result: 'unchanged', size: 9 })
    const shown = parseNote(await (await fetch(`${base}/log/checkpoint`)).text())
    expect(cosignedAt(shown!, key.publicKey)).toBeGreaterThanOrEqual(iat)

    const audit = () =>
      runAudit(base, {
        material: scratch,
        logKey: logKeys.map(verifierKey),
        witnessKey: [verifierKey(key.publicKey)],
        witness: [server.url],
        keep: false,
      })
    const honest = await audit()
    expect(honest).toMatchObject({ verdict: 'honest', findings: [], leaves: 9, receipts: 9 })
    expect(honest).toMatchObject({ checkpoints: 3, cosigned: 3, ignored: [] })

    // Someone with all rights in the database exchanges the leaf of a receipt whose proof was kept.
    const jws = readFileSync(join(scratch, '4.jws'), 'utf8')
    const bundle = await (await fetch(`${base}/api/receipts/${receiptId(jws)}/bundle`)).json()
    writeFileSync(join(scratch, '4.tlog-proof'), (bundle as { tlog_proof: string }).tlog_proof)
    expect(await audit()).toMatchObject({ verdict: 'honest', findings: [] })
    const exchange = async (entry: Buffer) => {
      await sql.raw('alter table log_leaves disable trigger all').execute(db)
      await sql`update log_leaves set entry = ${entry} where idx = 4`.execute(db)
      await sql.raw('alter table log_leaves enable trigger all').execute(db)
    }
    await exchange(Buffer.alloc(32, 7))
    const { verdict, findings } = await audit()
    await exchange(Buffer.from(entryOf(jws)))
    expect(verdict).not.toBe('honest')
    expect(findings).toContainEqual(
      expect.objectContaining({ deception: 'rewritten_leaf', subject: receiptId(jws) }),
    )
    await server.stop()
  },
)

verifies('verify.log', 'the command looks up the place of a receipt in the log', async () => {
  const { db, config, hosts } = apis
  const base = hosts[0]!.base
  const keys = loadKeyRings(config.SIGNING_KEYS_FILE)
  await publishKeys(db, keys)
  const signed = (sub: string) =>
    signCompact(keys.receipt.active, {
      typ: RECEIPT_TYP,
      payload: { iss: 'the service', iat: Math.floor(Date.now() / 1000), sub, kind: 'k' },
    })
  const insert = (jws: string) =>
    sql`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
      values (${receiptId(jws)}, ${jws}, 0, 'k', ${jws}, ${keys.receipt.active.kid}, '')`.execute(
      db,
    )
  const keyFile = join(scratch, 'keys-of-the-service.json')
  const published = await fetch(`${base}/.well-known/jwks.json`)
  writeFileSync(keyFile, await published.text())
  const verify = async (jws: string, url = base) => {
    const file = join(scratch, 'looked-up.txt')
    writeFileSync(file, jws)
    const ran = await runCli({}, 'verify', file, '--keys', keyFile, '--log', url, '--json')
    const { verdict, log_state } = JSON.parse(ran.out)
    return { verdict, log_state, code: ran.code }
  }
  const [first, second, unknown] = [
    await signed('a'),
    await signed('b'),
    await signed('c'),
  ] as const
  await insert(first)
  await sequence({ db, keys, origin: logOrigin(config.BASE_URL) })
  await insert(second)
  expect(await verify(first)).toEqual({ verdict: 'valid', log_state: 'included', code: 0 })
  expect(await verify(second)).toEqual({ verdict: 'valid', log_state: 'pending', code: 3 })
  expect(await verify(unknown)).toEqual({ verdict: 'valid', log_state: 'absent', code: 1 })

  const server = createServer(async (request, answer) => {
    const bundle = (await (await fetch(`${base}${request.url}`)).json()) as { path: string[] }
    answer.end(JSON.stringify({ ...bundle, root: '0'.repeat(64) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const lied = await verify(first, `http://127.0.0.1:${port}`)
  server.close()
  expect(lied).toEqual({ verdict: 'valid', log_state: 'absent', code: 1 })
})
