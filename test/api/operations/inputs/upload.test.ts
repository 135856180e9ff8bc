import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { readInput } from '../../../../activities/runs/stored-input.ts'
import { createClient } from '../../../../api/http/client.ts'
import { type ComposedApis, startComposed } from '../../../support/composed-api.ts'
import { trustedAgent } from '../../../support/registering-agent.ts'
import { secrets, tablesWith } from '../../../support/secrets.ts'
import { verifies } from '../../../verifies.ts'

let apis: ComposedApis
beforeAll(async () => {
  apis = await startComposed({ apis: 2, env: { INPUT_BYTES_PER_AGENT: '3000000' } })
})
afterAll(async () => {
  await apis?.stop()
})

const newAgent = (scopes: ('runs:read' | 'runs:write')[] = ['runs:read', 'runs:write']) =>
  trustedAgent(apis.hosts[0]!, apis.operator, { requested_scopes: scopes })
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const clientOf = (agent: string, api = 0) => createClient({ baseUrl: apis.hosts[api]!.base, agent })
type Problem = { code?: string; pointer?: string; detail?: string; next_action?: string }
type Sent = {
  credential?: string
  type?: string
  digest?: string
  headers?: Record<string, string>
}
async function put(
  bytes: Uint8Array<ArrayBuffer> | ReadableStream,
  { credential, type, digest, headers }: Sent = {},
) {
  const response = await fetch(
    `${apis.hosts[0]!.base}/api/agent-inputs/${digest ?? sha256(bytes as Uint8Array)}`,
    {
      method: 'PUT',
      headers: {
        'Content-Type': type ?? 'text/csv',
        ...(credential === undefined ? {} : { Authorization: `Bearer ${credential}` }),
        ...headers,
      },
      body: bytes,
      duplex: 'half',
    } as RequestInit,
  )
  const problem = (await response.json()) as Problem
  return { status: response.status, headers: response.headers, ...problem }
}
const blobs = async () => {
  const { rows } = await sql<{
    n: number
  }>`select count(*)::int as n from agent_input_blobs`.execute(apis.db)
  return rows[0]?.n
}

verifies(
  'input.upload',
  'both processes serve an uploaded file, and its repeat is 200',
  async () => {
    const { credential, registered } = await newAgent()
    const bytes = randomBytes(1_000_000)
    const digest = sha256(bytes)
    const upload = { mediaType: 'application/x-ndjson; charset=utf-8', bytes }
    const [first, again] = [
      await clientOf(credential).call('input-upload', { sha256: digest }, { upload }),
      await clientOf(credential, 1).call('input-upload', { sha256: digest }, { upload }),
    ]
    expect([first.status, again.status]).toEqual([201, 200])
    expect(first.body).toMatchObject({
      sha256: digest,
      byte_length: 1_000_000,
      media_type: 'application/x-ndjson',
    })
    expect(Date.parse(String(first.body.kept_until)) - Date.parse(first.body.stored_at)).toBe(
      7 * 24 * 3_600_000,
    )
    const read = await clientOf(credential, 1).call('input-read', { sha256: digest })
    expect([again.body, read.body]).toEqual([first.body, first.body])
    const stored = await readInput(apis.db, { owner: registered.agent.agent_id, sha256: digest })
    expect(sha256(Buffer.concat((await stored?.stream.toArray()) ?? []))).toBe(digest)
    const other = await newAgent()
    await expect(
      clientOf(other.credential).call('input-read', { sha256: digest }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  },
)

verifies('input.upload', 'what is refused is refused unread, and says why', async () => {
  const { credential } = await newAgent()
  const before = await blobs()
  const bytes = randomBytes(100)
  let pulled = 0
  const endless = () =>
    new ReadableStream({
      pull: (controller) => {
        pulled++
        controller.enqueue(new Uint8Array(65_536))
        return sleep(1)
      },
    })
  expect(await put(bytes)).toMatchObject({ status: 401, code: 'credential_required' })
  expect(await put(bytes, { credential: 'ag_x' })).toMatchObject({
    status: 401,
    code: 'credential_invalid',
  })
  const reader = await newAgent(['runs:read'])
  expect(await put(bytes, { credential: reader.credential })).toMatchObject({
    status: 403,
    code: 'scope_denied',
  })
  for (const type of ['application/yaml', 'text/csvx', 'text/html'])
    expect(await put(bytes, { credential, type }), type).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    })
  expect(await put(bytes, { credential, headers: { 'Content-Encoding': 'gzip' } })).toMatchObject({
    status: 415,
  })
  expect(await put(bytes, { credential, digest: 'A'.repeat(64) })).toMatchObject({ status: 400 })
  expect(
    await put(bytes, { digest: sha256(bytes), credential, type: 'TEXT/CSV;header=present' }),
  ).toMatchObject({
    status: 201,
  })
  await put(endless(), { digest: 'b'.repeat(64) }).catch(() => undefined)
  expect(pulled).toBeLessThan(1_000)
  expect(await blobs()).toBe(Number(before) + 1)
})

verifies(
  ['input.upload', 'input.digest'],
  'another digest, nothing at all, and an abort halfway leave nothing',
  async () => {
    const { credential } = await newAgent()
    const before = await blobs()
    const bytes = randomBytes(1_200_000)
    expect(await put(bytes, { credential, digest: sha256(randomBytes(1)) })).toMatchObject({
      status: 422,
      code: 'evidence_mismatch',
    })
    expect(await put(new Uint8Array(0), { credential })).toMatchObject({
      status: 422,
      code: 'evidence_mismatch',
    })
    expect(await blobs()).toBe(before)
    const { hostname, port } = new URL(apis.hosts[1]!.base)
    const cut = request({
      hostname,
      port,
      method: 'PUT',
      path: `/api/agent-inputs/${sha256(bytes)}`,
      headers: {
        authorization: `Bearer ${credential}`,
        'content-type': 'text/csv',
        'content-length': bytes.length,
      },
    })
    cut.on('error', () => undefined)
    cut.write(bytes.subarray(0, 1_100_000))
    await expect.poll(blobs).toBe(Number(before) + 1)
    cut.destroy()
    await expect.poll(blobs).toBe(before)
    expect(apis.logged()).not.toContain('failed unexpectedly')
    expect(await put(bytes, { credential })).toMatchObject({ status: 201 })
  },
)

verifies(
  ['input.upload', 'input.bounds'],
  'an announced excess length is 413, and a full agent gets 403',
  async () => {
    const { credential } = await newAgent()
    const before = await blobs()
    const announced = { 'Content-Length': String(256 * 2 ** 20 + 1) }
    const { hostname, port } = new URL(apis.hosts[0]!.base)
    const status = await new Promise((resolve, reject) => {
      const asked = request({
        hostname,
        port,
        method: 'PUT',
        path: `/api/agent-inputs/${'c'.repeat(64)}`,
        headers: {
          authorization: `Bearer ${credential}`,
          'content-type': 'text/csv',
          ...announced,
        },
      })
      asked.on('response', (response) => {
        resolve(response.statusCode)
        asked.destroy()
      })
      asked.on('error', reject)
      asked.write('a')
    })
    expect(status).toBe(413)
    expect(await put(randomBytes(2_900_000), { credential })).toMatchObject({ status: 201 })
    expect(await put(randomBytes(200_000), { credential })).toMatchObject({
      status: 403,
      code: 'control_denied',
      detail: expect.stringContaining('may have 3000000 bytes in all'),
      next_action: expect.stringContaining('DELETE /api/agent-inputs/{sha256}'),
    })
    expect(await blobs()).toBe(Number(before) + 1)
  },
)

verifies('input.upload', 'a connection that was refused halfway serves the next call', async () => {
  const { credential } = await newAgent()
  for (let n = 0; n < 3; n++) {
    expect(await put(randomBytes(3_500_000), { credential })).toMatchObject({ status: 403 })
    expect(await put(randomBytes(1_000), { credential })).toMatchObject({ status: 201 })
  }
})

verifies('input.deleted', 'an upload is deleted by its owner, and a repeat is 200', async () => {
  const [{ credential }, other] = [await newAgent(), await newAgent()]
  const bytes = randomBytes(1_000)
  const digest = sha256(bytes)
  expect(await put(bytes, { credential })).toMatchObject({ status: 201 })
  const client = clientOf(credential, 1)
  const answer = { sha256: digest, deleted: true }
  const gone = await clientOf(other.credential).call('input-delete', { sha256: digest })
  expect([gone.status, gone.body]).toEqual([200, answer])
  expect((await client.call('input-read', { sha256: digest })).body.byte_length).toBe(1_000)
  const reader = await newAgent(['runs:read'])
  await expect(
    clientOf(reader.credential).call('input-delete', { sha256: digest }),
  ).rejects.toMatchObject({ code: 'scope_denied' })
  for (const round of [1, 2]) {
    const { status, body } = await client.call('input-delete', { sha256: digest })
    expect([round, status, body]).toEqual([round, 200, answer])
  }
  await expect(client.call('input-read', { sha256: digest })).rejects.toMatchObject({
    code: 'not_found',
  })
})

verifies('input.corrected', 'a later PUT corrects the content type', async () => {
  const { credential } = await newAgent()
  const bytes = Buffer.from('at,model\n2026-01-01,small\n')
  expect(await put(bytes, { credential, type: 'text/plain' })).toMatchObject({ status: 201 })
  expect(await put(bytes, { credential, type: 'text/csv' })).toMatchObject({
    status: 201,
    media_type: 'text/csv',
  })
  const read = await clientOf(credential).call('input-read', { sha256: sha256(bytes) })
  expect(read.body.media_type).toBe('text/csv')
})

verifies('input.refused', '413 for a large body names the upload of its list', async () => {
  const { credential } = await newAgent()
  const response = await fetch(`${apis.hosts[0]!.base}/api/agents/quote`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${credential}` },
    body: JSON.stringify({ rail: 'packetops', note: 'a'.repeat(1_500_000) }),
  })
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({
    code: 'payload_too_large',
    detail: 'the body is over 1048576 bytes',
    next_action: expect.stringContaining('input-upload (PUT /api/agent-inputs/{sha256})'),
  })
})

verifies('input.screened', 'an upload with a secret is 422, and no row or log has it', async () => {
  const { credential } = await newAgent()
  const before = await blobs()
  const types = ['text/plain', 'text/csv; charset=utf-8', 'application/x-ndjson']
  const filler = 'a,b,c\n'.repeat(200_000)
  for (const [secret] of secrets)
    for (const type of types) {
      const escaped = type.startsWith('text/csv') ? secret.replaceAll('"', '""') : secret
      const text = type.startsWith('text/') ? `"${escaped}"` : JSON.stringify({ note: secret })
      const bytes = Buffer.from(`${filler}${text}\n`)
      expect(await put(bytes, { credential, type }), `${type} ${secret}`).toMatchObject({
        status: 422,
        code: 'forbidden_material',
      })
    }
  expect(await blobs()).toBe(before)
  const markers = secrets.map(([, marker]) => marker)
  expect(await tablesWith(apis.db, markers)).toEqual([])
  expect(markers.filter((marker) => apis.logged().includes(marker))).toEqual([])
})
