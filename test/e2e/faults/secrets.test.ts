import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { createClient, type InputOf, ProblemError } from '../../../api/http/client.ts'
import { exampleOrder } from '../../../api/operations/work-orders.ts'
import { openRail, type Rail } from '../../support/agent.ts'
import { freshKey, openAgentUse } from '../../support/agent-use.ts'
import { begunTask } from '../../support/agreed-task.ts'
import { openAuthority, usage } from '../../support/authority.ts'
import { keptWorkflows } from '../../support/history-texts.ts'
import { requestedPilot } from '../../support/pilots.ts'
import {
  faultOf,
  placesBut,
  sendersOf,
  sendingAgent,
  sent,
  tablesWith,
} from '../../support/secrets.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    env: { LIMIT_AGENT_PER_MINUTE: '60000', KEY_PUBLISH_S: '1', LOG_LEVEL: 'info' },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

const hosts = () => ({ base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string })
const operator = () => stack.accounts.operator.credential
/** A text that is no secret; each workflow is begun with it where it takes one. */
const plain = `kestrel-${freshKey()}`

/** A paid run over an upload, which is read in a workflow of its own. */
async function run() {
  const agent = await openAgentUse(hosts(), operator())
  const file = Buffer.from(`A ledger of ${plain}.`)
  const sha256 = createHash('sha256').update(file).digest('hex')
  const upload = { mediaType: 'text/plain' as const, bytes: file }
  await agent.client.call('input-upload', { sha256 }, { upload })
  const item = { name: 'a.md', section: 'system_description', upload: { sha256 } }
  const { quote_id } = await agent.quote()
  const { payment_reference_id } = await agent.pay(quote_id)
  const input = { title: plain, profile: 'soc2_evidence_packet', items: [item] }
  const asked = { ...agent.startInput(quote_id), input, payment_reference_id }
  // The first reading of a service also starts the processes that read.
  const start = (): ReturnType<typeof agent.start> =>
    agent.start(asked).catch((error: unknown) => {
      if (error instanceof ProblemError && error.code === 'not_ready') return start()
      throw error
    })
  const { body } = await start()
  await agent.approve('payment_reference', payment_reference_id)
  await expect.poll(async () => (await agent.status(body.run.run_id)).state).toBe('credit_funded')
  await agent.approve('task', body.run.task_id)
}

const order = () =>
  createClient({ baseUrl: hosts().base, osUrl: hosts().os }).call('work-order-create', {
    ...exampleOrder,
    idempotency_key: freshKey(),
  } as InputOf<'work-order-create'>)

async function delegatedAction() {
  const authority = await openAuthority([hosts()], operator())
  const mandate = await authority.issue({ purpose: plain })
  const action = usage({ subject: plain })
  const { signed_action_grant } = await authority.grant(mandate, action)
  await authority.execute(mandate, signed_action_grant, action)
}

const rotation = () =>
  createClient({ baseUrl: hosts().base, operator: operator() }).call('signing-rotate', {
    mode: 'rotate_signing_credential',
    target: 'service',
    ring: 'callback',
    overlap_seconds: 1,
    revoke_old: false,
    reason: plain,
    idempotency_key: freshKey(),
  })

async function payout() {
  const agent = await rail.openAgent()
  await rail.create(agent, { memo: plain })
}

verifies(
  'pipeline.nowhere-kept',
  'no secret of any kind is in a history, row or log of a whole service',
  async () => {
    const sender = await sendingAgent(hosts(), operator())
    const { base: baseUrl, os: osUrl } = hosts()
    const client = createClient({ baseUrl, osUrl, agent: sender.credential })
    const [{ task_token }, { body: ordered }] = await Promise.all([
      begunTask({ client, agent: sender.agent }),
      order(),
      run(),
      delegatedAction(),
      rotation(),
      payout(),
    ])
    const { status_token: pilot } = await requestedPilot(baseUrl)
    const tokens = { task: task_token, order: ordered.status_token, pilot }
    const senderFor = sendersOf({
      hosts: hosts(),
      operator: operator(),
      origin: stack.baseUrls[0] as string,
      sender,
      tokens,
    })
    const waiting = placesBut().flatMap((place) =>
      place.secrets.map((secret) => [place, secret] as const),
    )
    expect(waiting.length).toBeGreaterThan(1_000)
    const faults: unknown[] = []
    const send = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
        faults.push(await faultOf(senderFor(next[0].operation), ...next))
    }
    await Promise.all(Array.from({ length: 6 }, send))
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])

    const workflows = await keptWorkflows(rail.temporal)
    const types = ['delegation', 'payout', 'run', 'serviceKeyRotation', 'task', 'uploadCheck']
    expect([...new Set(workflows.map(({ type }) => type))].sort()).toEqual(
      expect.arrayContaining(types),
    )
    const markers = sent.map(([, marker]) => marker)
    const kept = (text: string) => markers.filter((marker) => text.includes(marker))
    expect(
      workflows.flatMap(({ type, text }) => kept(text).map((marker) => [type, marker])),
    ).toEqual([])
    expect(await tablesWith(rail.db, markers)).toEqual([])
    for (const [name, log] of Object.entries(stack.logs()))
      expect([name, kept(log)]).toEqual([name, []])
    // The same searches find what is kept: ids in payloads, and free text in rows alone.
    expect(workflows.filter(({ text }) => /"\w*id":"\w+/i.test(text)).length).toBeGreaterThan(5)
    expect(workflows.filter(({ text }) => text.includes(plain))).toEqual([])
    expect(await tablesWith(rail.db, [plain])).toEqual(
      expect.arrayContaining(['agent_input_chunks', 'authority_mandates', 'payouts']),
    )
  },
)
