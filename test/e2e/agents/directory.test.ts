import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect } from 'vitest'
import { canonicalJson, sha256Hex } from '#domain/core/canonical-json.ts'
import { createClient } from '../../../api/http/client.ts'
import { connectMcp } from '../../support/mcp.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { startTlsServer } from '../../support/tls-server.ts'
import { verifies } from '../../verifies.ts'

type Posted = { path: string; key: string; body: string }
const posted: Posted[] = []
/** The first request is taken and never answered. */
let holding = true
let receiver: Awaited<ReturnType<typeof startTlsServer>>
let stack: TestStack

beforeAll(async () => {
  receiver = await startTlsServer(async (request, response) => {
    const body = await text(request)
    posted.push({
      path: String(request.url),
      key: String(request.headers['idempotency-key']),
      body,
    })
    if (request.url === '/closed') response.writeHead(403).end()
    else if (!holding) response.writeHead(202).end()
  })
  const at = `https://localhost:${receiver.port}`
  stack = await startStack({
    env: {
      DIRECTORIES: `open.example ${at}/in?key=s3cret, closed.example ${at}/closed, later.example, inside.example https://127.0.0.1/in`,
      CALLBACK_ALLOW_HOSTS: at,
      NODE_EXTRA_CA_CERTS: join(import.meta.dirname, '..', '..', 'support', 'tls', 'authority.pem'),
      SWEEP_EVERY_MS: '200',
    },
  })
})
afterAll(async () => {
  await stack?.stop()
  await receiver?.stop()
})

const submit = (directory: string, key: string) =>
  operatorOf(stack).call('directory-submit', {
    directory,
    idempotency_key: `${directory}:${key}`,
  })
const read = async (submission_id?: string) => {
  const anyone = createClient({ baseUrl: stack.baseUrls[0] as string })
  const asked = submission_id === undefined ? {} : { submission_id }
  return (await anyone.call('directory-read', asked)).body
}
const stateOf = async (id: string) => (await read(id)).submissions[0]?.state

verifies(
  ['directory.attempts', 'directory.submission', 'directory.document'],
  'a worker killed while it submits sends the same document again',
  async () => {
    const { body } = await submit('open.example', 'one')
    const { submission, document, document_sha256 } = body
    const ofOpen = () => posted.filter(({ path }) => path !== '/closed')
    await expect.poll(() => ofOpen().length).toBe(1)
    await stack.worker().kill('SIGKILL')
    holding = false
    await stack.worker().start()
    await expect.poll(() => stateOf(submission.submission_id)).toBe('accepted')
    const [first, second, ...more] = ofOpen()
    expect(more).toEqual([])
    expect(second).toEqual(first)
    expect(first?.key).toBe(submission.submission_id)
    expect(sha256Hex(first?.body ?? '')).toBe(document_sha256)
    expect(first?.body).toBe(canonicalJson(document))
    const again = (await submit('open.example', 'one')).body.submission
    const another = (await submit('open.example', 'two')).body.submission
    for (const { submission_id, state } of [again, another])
      expect([submission_id, state]).toEqual([submission.submission_id, 'accepted'])
    expect(ofOpen()).toHaveLength(2)
    for (const url of [document.mcp.descriptor, document.openapi, document.agent_card])
      expect((await fetch(url)).status, url).toBe(200)
    for (const url of [document.agent_tools, document.documentation])
      expect((await fetch(url)).status, url).toBe(200)
  },
)

verifies(
  ['directory.submission', 'directory.guard'],
  'a submission is refused, prepared or not allowed, and shows no address',
  async () => {
    const mcp = await connectMcp(stack.baseUrls[0] as string, {
      Authorization: `Bearer ${stack.accounts.operator.credential}`,
    })
    const asked = { directory: 'closed.example', dry_run: true, idempotency_key: 'over-mcp' }
    const { structuredContent } = await mcp.call('execute_directory_submission', asked)
    await mcp.close()
    const closed = (await submit('closed.example', 'one')).body.submission
    expect(structuredContent['submission']).toMatchObject({
      submission_id: closed.submission_id,
      state: 'prepared',
    })
    await expect.poll(() => stateOf(closed.submission_id)).toBe('refused')
    const dry = (await submit('later.example', 'one')).body.submission
    expect(dry.state).toBe('prepared')
    await expect(submit('inside.example', 'one')).rejects.toMatchObject({
      problem: { status: 422, code: 'callback_refused' },
    })
    await expect(submit('unknown.example', 'one')).rejects.toMatchObject({
      problem: { status: 404, code: 'not_found' },
    })
    const unproven = await fetch(`${stack.baseUrls[0]}/api/directory-submission-execution`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ directory: 'open.example', idempotency_key: 'public' }),
    })
    expect(unproven.status).toBe(401)
    const all = await read()
    expect(all.directories).toContainEqual({ directory: 'later.example', configured: false })
    expect(all.submissions.map(({ directory }) => directory)).not.toContain('inside.example')
    expect(JSON.stringify(all)).not.toMatch(/localhost|s3cret/)
  },
)

verifies('agent.identity-file', 'the registration file shows an image that is there', async () => {
  const { body } = await createClient({ baseUrl: stack.baseUrls[0] as string }).call(
    'agent-registration',
    {},
  )
  expect(body.registrations).toEqual([])
  const image = await fetch(body.image)
  expect([image.status, image.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('image/svg+xml'),
  ])
})
