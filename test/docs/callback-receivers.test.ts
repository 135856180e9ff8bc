import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { callbackBody } from '#domain/callbacks/callback-body.ts'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { generateSigningKeys } from '../../activities/keys/generate.ts'
import { keyRings, type SigningKeyEntry } from '../../activities/keys/key-ring.ts'
import {
  signWebhook,
  type WebhookHeaders,
  webhookPublicKey,
} from '../../activities/keys/webhook.ts'
import { isFromService, serveCallbacks } from '../../docs/callback-receivers/receiver.ts'
import { verifies } from '../verifies.ts'
import { root } from './pictures.ts'

type Vector = { name: string; verifies: boolean; headers: WebhookHeaders; body: string }
type Vectors = { now: number; public_key: string; secret: string; vectors: Vector[] }

const folder = join(root, 'docs', 'callback-receivers')
const scratch = await mkdtemp(join(tmpdir(), 'agent-rails-receivers-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

// The example key of RFC 8037; no service has it.
const entry: SigningKeyEntry = {
  kid: 'callback-vectors',
  alg: 'EdDSA',
  state: 'active',
  private_jwk: {
    kty: 'OKP',
    crv: 'Ed25519',
    d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
    x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  },
}
const generated = generateSigningKeys(new Date())
const key = keyRings({ ...generated, rings: { ...generated.rings, callback: [entry] } }).callback
  .active
const stranger = keyRings(generated).callback.active
const now = 1_795_000_000

async function makeVectors(): Promise<Vectors> {
  const secret = `whsec_${Buffer.from('the secret of the vectors, 32 b.').toString('base64')}`
  const at = new Date(now * 1000).toISOString()
  const id = `cb_${'1'.repeat(64)}`
  const task = {
    task_token_sha256: 'a'.repeat(64),
    run_id: 'run_1',
    state: 'callback_pending',
    sequence: 17,
    receipt_ids: [`rc_${'2'.repeat(64)}`],
  }
  const bodyOf = (notified: object) =>
    canonicalJson(callbackBody.parse({ ...notified, delivery_id: id, at }))
  const body = bodyOf({ event: 'task_updated', ...task })
  const sign = (text: string, timestamp = now) =>
    signWebhook(key, { id, timestamp, body: text }, secret)
  const headers = await sign(body)
  const [v1a = '', v1 = ''] = headers['webhook-signature'].split(' ')
  const signed = (signature: string) => ({ ...headers, 'webhook-signature': signature })
  const credential = bodyOf({
    event: 'credential_ready',
    agent_id: 'agt_1',
    credential_id: 'cred_1',
    state: 'pending',
    sequence: 1,
  })
  const proof = bodyOf({ event: 'host_proof', nonce: 'bm9uY2U' })
  const good: [string, string, WebhookHeaders][] = [
    ['a task', body, headers],
    ['a credential', credential, await sign(credential)],
    ['a host is asked', proof, await sign(proof)],
    [
      'letters beyond ASCII',
      body.replace('run_1', 'run_ü✓'),
      await sign(body.replace('run_1', 'run_ü✓')),
    ],
    ['another signature before ours', body, signed(`v1a,${'A'.repeat(86)}== ${v1a}`)],
    ['five minutes ago', body, await sign(body, now - 300)],
  ]
  const bad: [string, string, WebhookHeaders][] = [
    ['another body', body.replace('17', '18'), headers],
    ['another id', body, { ...headers, 'webhook-id': `cb_${'3'.repeat(64)}` }],
    ['another time', body, { ...headers, 'webhook-timestamp': String(now - 1) }],
    ['older than five minutes', body, await sign(body, now - 301)],
    ['more than five minutes ahead', body, await sign(body, now + 301)],
    ['no time', body, { ...headers, 'webhook-timestamp': '' }],
    ['the shared secret’s signature alone', body, signed(v1)],
    ['its version taken off', body, signed(v1a.replace('v1a,', ''))],
    ['no signature', body, signed('')],
  ]
  const vectors = [...good, ...bad].map(([name, text, made], at) => ({
    name,
    verifies: at < good.length,
    headers: made,
    body: text,
  }))
  return { now, public_key: webhookPublicKey(key.publicJwk), secret, vectors }
}

const file = join(folder, 'vectors.json')
if (process.env['WRITE_DOCS'] === '1')
  writeFileSync(file, `${JSON.stringify(await makeVectors(), null, 2)}\n`)
const { vectors, public_key } = JSON.parse(readFileSync(file, 'utf8')) as Vectors

verifies(
  'callback.receivers',
  'the vectors are what the signer of callbacks makes at their time',
  async () => {
    expect({ ...(await makeVectors()), vectors }).toEqual(JSON.parse(readFileSync(file, 'utf8')))
    expect((await makeVectors()).vectors).toEqual(vectors)
  },
)

verifies(
  'callback.receivers',
  'the TypeScript receiver accepts and refuses as the vectors say',
  () => {
    for (const { name, headers, body, verifies: expected } of vectors)
      expect(isFromService({ ...headers }, Buffer.from(body), public_key, now), name).toBe(expected)
    const [{ headers, body } = { headers: {}, body: '' }] = vectors
    expect(
      isFromService({ ...headers }, Buffer.from(body), webhookPublicKey(stranger.publicJwk), now),
    ).toBe(false)
  },
)

verifies(
  'callback.receivers',
  'it echoes a nonce, takes each id once, and refuses what is not signed',
  async () => {
    const taken: unknown[] = []
    const server = serveCallbacks(public_key, 0, async (event) => void taken.push(event['event']))
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const post = async (notified: object, signer = key) => {
      const body = JSON.stringify(notified)
      const headers = await signWebhook(signer, {
        id: 'cb_1',
        timestamp: Math.floor(Date.now() / 1000),
        body,
      })
      return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
    }
    expect(await (await post({ event: 'host_proof', nonce: 'n' })).json()).toEqual({ nonce: 'n' })
    const statuses = []
    for (let n = 0; n < 2; n++)
      statuses.push((await post({ event: 'task_updated', delivery_id: 'cb_1' })).status)
    statuses.push((await post({ event: 'task_updated', delivery_id: 'cb_2' }, stranger)).status)
    expect(statuses).toEqual([204, 204, 401])
    expect(taken).toEqual(['task_updated'])
    server.close()
  },
)

const works = (program: string, args: string[]) =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0
const languages = [
  {
    name: 'Python',
    there: works('python3', ['-c', 'import cryptography']),
    command: () => ['python3', join(folder, 'receiver.py'), 'verify'],
  },
  { name: 'Go', there: works('go', ['version']), command: () => [built(), 'verify'] },
  {
    name: 'shell',
    there: works('sh', ['-c', 'openssl version | grep -q "^OpenSSL 3" && jq --version']),
    command: () => ['sh', join(folder, 'receiver.sh')],
  },
]
const built = () => {
  const program = join(scratch, 'receiver')
  execFileSync('go', ['build', '-o', program, join(folder, 'receiver.go')], {
    env: { ...process.env, GO111MODULE: 'off' },
  })
  return program
}

for (const { name, there, command } of languages) {
  // What it needs is not on every machine; the run says which are skipped.
  test.skipIf(!there)(
    `the ${name} receiver accepts and refuses as the vectors say`,
    () => {
      const [program = '', ...args] = command()
      for (const { name: vector, headers, body, verifies: expected } of vectors) {
        const ran = spawnSync(program, [...args, String(now)], {
          input: JSON.stringify({ headers, body }),
          env: { ...process.env, CALLBACK_PUBLIC_KEY: public_key },
          encoding: 'utf8',
        })
        expect({ vector, status: ran.status, notified: ran.stderr }).toEqual({
          vector,
          status: expected ? 0 : 1,
          notified: '',
        })
      }
    },
    200_000,
  )
}
