import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifierKey } from '#domain/log/checkpoint.ts'
import { logOrigin } from '#domain/log/origin.ts'
import { createOutgoing } from '../../../activities/http/outgoing.ts'
import { loadKeyRings } from '../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import { pushCheckpoint } from '../../../activities/log/push-checkpoint.ts'
import { type LogDeps, noteKeyOf, sequence } from '../../../activities/log/sequencer.ts'
import { serveWitness } from '../../../worker/witness/serve.ts'
import { openWitness } from '../../../worker/witness/witness.ts'
import { keepWitnessKey } from '../../../worker/witness/witness-key.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { receiptIdOf, storeReceipts } from '../../support/log.ts'

const program = fileURLToPath(new URL('judge-log', import.meta.url))
/** Sizes across the borders of tiles; the last one is judged, and the one before it is the older checkpoint. */
const SIZES = [1, 257, 700]

let scratch: string
let apis: ComposedApis
let served: Awaited<ReturnType<typeof serveWitness>>
let key: Awaited<ReturnType<typeof keepWitnessKey>>
let log: LogDeps
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-judge-'))
  key = await keepWitnessKey(join(scratch, 'witness-key.json'), 'witness.example/w1')
  apis = await startComposed({
    sequences: false,
    env: { LOG_WITNESSES: verifierKey(key.publicKey) },
  })
  const keys = loadKeyRings(apis.config.SIGNING_KEYS_FILE)
  await publishKeys(apis.db, keys)
  log = { db: apis.db, keys, origin: logOrigin(apis.config.BASE_URL) }
  const settings = { directory: scratch, logKeys: [logKey()], key, now: Date.now }
  const report = (error: unknown) => expect.fail(String(error))
  served = await serveWitness(openWitness(settings), { host: '127.0.0.1', port: 0, report })
}, 300_000)
afterAll(async () => {
  await served?.stop()
  await apis?.stop()
  rmSync(scratch, { recursive: true, force: true })
})

const logKey = () => noteKeyOf(log.origin, log.keys.log.active.publicJwk)

/** Runs the program, which ends with an error where it refuses; the log answers it meanwhile. */
async function runGo(args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('go', ['run', '.', ...args], { cwd: program })
  return stdout
}

test('Go judges the checkpoint, the cosignature and the proofs of the log', async () => {
  const base = apis.hosts[0]!.base
  const send = createOutgoing({ ownHosts: [], exempt: [served.url] })
  const kept: string[] = []
  for (const [at, size] of SIZES.entries()) {
    await storeReceipts(apis.db, SIZES[at - 1] ?? 0, size)
    await sequence(log)
    const pushed = await pushCheckpoint(
      { db: apis.db, send },
      { key: key.publicKey, url: served.url },
    )
    expect(pushed.result).toBe('cosigned')
    const file = join(scratch, `${size}.checkpoint`)
    writeFileSync(file, await (await fetch(`${base}/log/checkpoint`)).text())
    kept.push(file)
  }
  const proofs: string[] = []
  for (const number of [0, 1, 255, 256, 511, 512, 699]) {
    const answer = await fetch(`${base}/api/receipts/${receiptIdOf(number)}/bundle`)
    const bundle = (await answer.json()) as { receipt: string; tlog_proof: string }
    writeFileSync(join(scratch, `${number}.jws`), bundle.receipt)
    writeFileSync(join(scratch, `${number}.tlog-proof`), bundle.tlog_proof)
    proofs.push(join(scratch, `${number}.tlog-proof`))
  }
  const asked = {
    url: `${base}/log`,
    'log-key': verifierKey(logKey()),
    'witness-key': verifierKey(key.publicKey),
    cosigned: kept[2]!,
    older: kept[1]!,
    proofs: proofs.join(','),
  }
  const args = Object.entries(asked).map(([name, value]) => `-${name}=${value}`)
  const stdout = await runGo(args)
  console.log(stdout)
  expect(stdout).toContain('ok  700 entries by tiles\nok  ')
  expect(stdout).toContain(`ok  ${proofs.length} proofs of receipts`)
})
