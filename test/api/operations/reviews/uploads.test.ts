import { afterAll, beforeAll, expect } from 'vitest'
import { acceptanceText } from '#domain/agents/signature.ts'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { codeOf } from '../../../support/problems.ts'
import { decide, trustedAgent } from '../../../support/registering-agent.ts'
import { key } from '../../../support/task-calls.ts'
import { verifies } from '../../../verifies.ts'
import { usageMaterial } from '../../../workflows/domain/rails/tokenops/usage.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let known: Awaited<ReturnType<typeof trustedAgent>>
beforeAll(async () => {
  apis = await startComposedTasks()
  known = await trustedAgent(hosts(), apis.operator, { rails: ['tokenops'] })
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0]!
const asAgent = () =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os, agent: known.credential })
const operator = () => createClient({ baseUrl: hosts().base, operator: apis.operator })
const read = async (query: InputOf<'loop-review-console'>) =>
  (await operator().call('loop-review-console', query)).body

const { usage, ...head } = usageMaterial(6_000)
const columns = ['at', 'agent', 'model', 'task', 'input_tokens', 'output_tokens'] as const
const csvOf = (rows: typeof usage) =>
  [columns.join(','), ...rows.map((row) => columns.map((name) => row[name] ?? '').join(','))].join(
    '\n',
  )
const [whole, half] = [csvOf(usage), csvOf(usage.slice(0, 3_000))]
const inputOf = (csv: string) => ({ ...head, usage: { sha256: sha256Hex(csv) } })

/** A task whose input names an uploaded list. */
async function submitted() {
  for (const csv of [whole, half])
    await asAgent().call(
      'input-upload',
      { sha256: sha256Hex(csv) },
      { upload: { mediaType: 'text/csv', bytes: Buffer.from(csv) } },
    )
  const asked = { rail: 'tokenops', tier: 'standard', usage: 'operational' } as const
  const { task, task_token } = (
    await asAgent().call('preflight', {
      ...asked,
      objective: 'what each model cost',
      input_manifest: [{ name: 'usage', sha256: sha256Hex(whole), bytes: whole.length }],
      input: inputOf(whole),
      on_gaps: 'report',
      idempotency_key: key(),
    })
  ).body
  const { contract } = (
    await asAgent().call('contract-prepare', { task_token, idempotency_key: key() })
  ).body
  const { contract_id, terms_sha256 } = contract
  const signature = known.agent.signText(acceptanceText(contract_id, terms_sha256))
  const accepted = { contract_id, terms_sha256, signature, idempotency_key: key() }
  await asAgent().call('contract-accept', accepted)
  const input = inputOf(whole)
  const submission = { task_token, contract_id, input, idempotency_key: key() }
  await asAgent().call('self-serve-loop-submit', submission)
  return { taskId: task.task_id, token: task_token }
}

/** Every slice of a part, and the offsets at which they begin. */
async function slicesOf(subject_id: string, part: string) {
  const slices: { offset: number; text: string }[] = []
  for (let offset: number | null = 0; offset !== null; ) {
    const { evidence_part } = await read({ subject_id, part, part_offset: String(offset) })
    if (evidence_part === null) throw new Error('a part was expected')
    slices.push({ offset, text: evidence_part.text })
    offset = evidence_part.next_offset
  }
  return slices
}

verifies('review.uploads', 'an uploaded list is read in whole lines, and is complete', async () => {
  const { taskId } = await submitted()
  const { evidence } = await read({ subject_id: taskId })
  const list = evidence?.parts.find(({ name }) => name === 'input.usage')
  expect(list).toEqual({
    name: 'input.usage',
    sha256: sha256Hex(whole),
    bytes: Buffer.byteLength(whole),
    media_type: 'text/csv',
    content: null,
  })
  const slices = await slicesOf(taskId, 'input.usage')
  expect(slices.length).toBeGreaterThan(2)
  for (const { text } of slices.slice(0, -1)) {
    expect(text.endsWith('\n')).toBe(true)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * 1024)
  }
  expect(sha256Hex(slices.map(({ text }) => text).join(''))).toBe(sha256Hex(whole))
  const beyond = { subject_id: taskId, part: 'input.usage', part_offset: '900000000' }
  expect((await read(beyond)).evidence_part).toMatchObject({ text: '', next_offset: null })
  const unknown = read({ subject_id: taskId, part: 'input.prices' })
  expect(await codeOf(unknown)).toBe('not_found')
})

verifies(
  ['review.uploads', 'review.evidence'],
  'a decision names a streamed list by its whole digest',
  async () => {
    const { token } = await submitted()
    const { OS_URL } = apis.config
    const holder = createClient({
      baseUrl: hosts().base,
      osUrl: OS_URL,
      fetch: (url: string, init: RequestInit) => fetch(url.replace(OS_URL, hosts().os), init),
      statusToken: token,
      signAsAgent: known.agent.signText,
    })
    const raised = { code: 'caller_dispute', detail: 'half', idempotency_key: key() } as const
    const { exception_id } = (await holder.call('task-exception-raise', raised)).body.exception
    const { recovery_request } = (
      await holder.call('task-recover', {
        exception_id,
        action: 'correct_input',
        input: inputOf(half),
        idempotency_key: key(),
      })
    ).body
    const recoveryId = recovery_request?.recovery_id ?? ''
    const { evidence } = await read({ subject_id: recoveryId })
    const digests = [whole, half].map(sha256Hex)
    expect(evidence?.parts.slice(-2)).toMatchObject([
      { name: 'input.usage', sha256: digests[0] },
      { name: 'proposed_input.usage', sha256: digests[1] },
    ])
    const [first] = await slicesOf(recoveryId, 'proposed_input.usage')
    expect(first?.text.split('\n')[0]).toBe(columns.join(','))
    const decideOn = (seen: string[]) =>
      decide(hosts(), apis.operator, recoveryId, 'approve', {
        subject_kind: 'recovery',
        evidence_seen_sha256: [evidence?.root_sha256 ?? '', ...seen],
      })
    expect(await codeOf(decideOn([sha256Hex('another list')]))).toBe('evidence_changed')
    const { receipt } = await decideOn(digests.slice(1))
    expect(receipt.payload['evidence_seen_sha256']).toEqual([evidence?.root_sha256, digests[1]])
  },
)
