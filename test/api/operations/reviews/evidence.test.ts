import { expect } from 'vitest'
import { canonicalJson, digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { createOperator } from '../../../../activities/store/operators/operators.ts'
import { runIdOf } from '../../../../activities/tasks/facts.ts'
import { createClient, type InputOf } from '../../../../api/http/client.ts'
import { exampleOrder } from '../../../../api/operations/work-orders.ts'
import { createTemporalClient } from '../../../../temporal/connection.ts'
import { wakeTask } from '../../../../temporal/tasks.ts'
import { openAgentUse } from '../../../support/agent-use.ts'
import { startCandidates } from '../../../support/candidates.ts'
import { freeProof } from '../../../support/commerce.ts'
import { listedAgent } from '../../../support/listings.ts'
import { requestedPilot } from '../../../support/pilots.ts'
import { newAgentClient } from '../../../support/registering-agent.ts'
import { codeOf, key, taskStack } from '../../../support/task-calls.ts'
import { openWorkflows } from '../../../support/workflows.ts'
import { verifies } from '../../../verifies.ts'

type Kind = InputOf<'loop-review-record'>['subject_kind']
type Decision = Pick<InputOf<'loop-review-record'>, 'subject_kind' | 'subject_id'> &
  Partial<InputOf<'loop-review-record'>>

const stack = taskStack()

const console = (query: InputOf<'loop-review-console'>) =>
  stack.calls.asOperator('').call('loop-review-console', query)
const evidenceOf = async (subject_id: string) => {
  const { evidence } = (await console({ subject_id })).body
  if (evidence === null) throw new Error('the console has no evidence')
  return evidence
}
const decide = (decision: Decision) =>
  stack.calls.asOperator('').call('loop-review-record', {
    decision: 'approve',
    note: 'read',
    evidence_seen_sha256: [],
    idempotency_key: key(),
    ...decision,
  })

/** One waiting subject of each kind, with the parts that its decision is about. */
const subjects: Record<Kind, { parts: string[]; wait: () => Promise<string> }> = {
  agent: {
    parts: ['agent'],
    wait: async () => (await newAgentClient(stack.calls.hosts).register()).agent.agent_id,
  },
  service_candidate: {
    parts: ['request', 'checks', 'findings', 'history'],
    wait: async () => {
      const known = await startCandidates(stack.apis.db)
      const { service_id } = await known.observe(key())
      await known.stop()
      return service_id
    },
  },
  task: {
    parts: ['terms', 'contract', 'criteria', 'input', 'agent', 'history'],
    wait: async () => (await stack.calls.funded()).taskId,
  },
  loop_step: {
    parts: ['input', 'plan', 'result', 'findings', 'gaps', 'checks', 'changes', 'history'],
    wait: () => runInReview(),
  },
  recovery: {
    parts: ['request', 'terms', 'exception', 'history'],
    wait: async () => {
      const { token } = await stack.calls.agreed('operational')
      const { exception_id } = await stack.calls.raise(token)
      const asked = { exception_id, action: 'replay', idempotency_key: key() } as const
      const { body } = await stack.calls.asHolder(token).call('task-recover', asked)
      return body.recovery_request?.recovery_id ?? ''
    },
  },
  commerce_proof: {
    parts: ['request', 'agent', 'payment', 'input', 'findings', 'checks', 'history'],
    wait: async () => {
      const agent = await openAgentUse(stack.calls.hosts, stack.apis.operator)
      const return_package = { artifacts: [{ name: 'report.md', sha256: 'a'.repeat(64) }] }
      const { body } = await agent.client.call(
        'commerce-proof-evaluate',
        freeProof({ return_package }),
      )
      return body.proof_id
    },
  },
  pilot: {
    parts: ['request', 'price', 'history'],
    wait: async () => (await requestedPilot(stack.calls.hosts.base)).pilot.pilot_id,
  },
  listing: {
    parts: ['request', 'agent', 'checks', 'history'],
    wait: async () => (await listedAgent(stack.calls.hosts, stack.apis.operator)).listingId,
  },
  clearing: {
    parts: ['request', 'agent', 'result', 'checks', 'history'],
    wait: async () => {
      const { taskId } = await stack.calls.begin('operational')
      const { body } = await stack.calls.asAgent.call('clearing-run', {
        run_id: runIdOf(taskId),
        obligation: { statement: 'a packet', due_at: '2026-01-01T00:00:00.000Z' },
        idempotency_key: key(),
      })
      return body.clearing_id
    },
  },
  payment_reference: {
    parts: ['price', 'payment'],
    wait: async () => {
      const agent = await openAgentUse(stack.calls.hosts, stack.apis.operator)
      return (await agent.pay((await agent.quote()).quote_id)).payment_reference_id
    },
  },
  workflow: {
    parts: ['request', 'agent', 'criteria', 'price', 'payment', 'input', 'checks', 'history'],
    wait: async () => (await openWorkflows(stack.apis)).create(),
  },
  work_order: {
    parts: ['request', 'criteria', 'terms', 'input', 'history'],
    wait: async () => {
      const order = { ...exampleOrder, idempotency_key: key() }
      const { body } = await createClient({ baseUrl: stack.calls.hosts.base }).call(
        'work-order-create',
        order as InputOf<'work-order-create'>,
      )
      return body.work_order.work_order_id
    },
  },
}

async function runInReview(...criteria: [string, ...string[]] | []): Promise<string> {
  const { taskId } = await stack.calls.funded(
    'operational',
    undefined,
    criteria.length > 0 ? criteria : undefined,
  )
  await stack.calls.decided(taskId, 'task', 'approve')
  return stack.calls.reviewOf(taskId)
}

for (const kind of Object.keys(subjects) as Kind[]) {
  const { parts, wait } = subjects[kind]
  verifies('review.evidence', `no ${kind} is decided without its evidence`, async () => {
    const subject_id = await wait()
    const subject = { subject_kind: kind, subject_id }
    const evidence = await evidenceOf(subject_id)
    const { root_sha256, ...manifest } = evidence
    expect(evidence.parts.map(({ name }) => name)).toEqual(expect.arrayContaining(parts))
    for (const { content, sha256, bytes } of evidence.parts) {
      expect(sha256Hex(canonicalJson(content))).toBe(sha256)
      expect(Buffer.byteLength(canonicalJson(content))).toBe(bytes)
    }
    const named = evidence.parts.map(({ name, sha256, bytes }) => ({ name, sha256, bytes }))
    expect(digestOf({ ...manifest, parts: named })).toBe(root_sha256)
    const { items } = (await console({ subject_id })).body
    expect(items).toMatchObject([subject])

    const [first] = named
    const refused = [
      [],
      ['0'.repeat(64)],
      [first?.sha256 ?? ''],
      [root_sha256, '0'.repeat(64)],
    ].map((seen) => codeOf(decide({ ...subject, evidence_seen_sha256: seen })))
    expect(await Promise.all(refused)).toEqual([
      'invalid_request',
      'evidence_changed',
      'evidence_changed',
      'evidence_changed',
    ])
    const seen = [root_sha256, first?.sha256 ?? '']
    const { body } = await decide({ ...subject, evidence_seen_sha256: seen })
    expect(body.receipt.payload).toMatchObject({
      evidence_root_sha256: root_sha256,
      evidence_seen_sha256: seen,
    })
  })
}

for (const kind of Object.keys(subjects) as Kind[])
  verifies('review.record', `two operators at once make one decision on a ${kind}`, async () => {
    const subject_id = await subjects[kind].wait()
    const { root_sha256 } = await evidenceOf(subject_id)
    const other = await createOperator(stack.apis.db, `other on ${kind}`)
    const operators = [stack.apis.operator, other.credential]
    const decisions = ['approve', 'reject', 'approve', 'reject'] as const
    const outcomes = await Promise.all(
      decisions.map((decision, index) => {
        const hosts = stack.apis.hosts[index % 2]
        const operator = operators[index % 2] ?? ''
        return codeOf(
          createClient({ baseUrl: hosts?.base ?? '', operator }).call('loop-review-record', {
            subject_kind: kind,
            subject_id,
            decision,
            note: 'at the same time',
            evidence_seen_sha256: [root_sha256],
            idempotency_key: key(),
          }),
        )
      }),
    )
    expect(outcomes.toSorted()).toEqual([...Array(3).fill('already_decided'), 'ok'])
    const rows = await stack.apis.db
      .selectFrom('review_decisions')
      .select('decision')
      .where('subject_id', '=', subject_id)
      .execute()
    expect(rows).toEqual([{ decision: decisions[outcomes.indexOf('ok')] }])
  })

verifies('review.evidence', 'a decision about an older version is refused', async () => {
  const { agent } = await newAgentClient(stack.calls.hosts).register()
  const subject = { subject_kind: 'agent' as const, subject_id: agent.agent_id }
  const { root_sha256 } = await evidenceOf(agent.agent_id)
  await decide({ ...subject, decision: 'hold', evidence_seen_sha256: [root_sha256] })
  expect(await codeOf(decide({ ...subject, evidence_seen_sha256: [root_sha256] }))).toBe(
    'already_decided',
  )
  const now = await evidenceOf(agent.agent_id)
  await decide({ ...subject, evidence_seen_sha256: [now.root_sha256] })
})

verifies('review.evidence', 'a part without its subject is refused', async () => {
  for (const query of [{ part: 'input' }, { part_offset: '2' }])
    expect(await codeOf(console(query))).toBe('invalid_request')
})

verifies('review.waived', 'a run whose gaps are waived still waits for its review', async () => {
  const { taskId, token } = await stack.calls.funded('operational', 'ask', ['complete'])
  await stack.calls.decided(taskId, 'task', 'approve')
  await stack.calls.reaches(token, 'evidence_partial')
  await stack.calls.decided(taskId, 'task', 'approve')
  await stack.calls.reaches(token, 'result_ready')
  const run = await stack.calls.reviewOf(taskId)
  const { task } = (await stack.calls.asHolder(token).call('task-ledger', {})).body
  const { items } = (await console({ subject_id: run })).body
  expect(task).toMatchObject({
    state: 'result_ready',
    waiting_for: ['review'],
    waiting_since: items[0]?.waiting_since,
    required_action: { by: 'operator', command: expect.stringContaining(`review show ${run}`) },
  })
  await stack.calls.decided(run, 'loop_step', 'approve')
  await stack.calls.reaches(token, 'attested')
  const { completion } = (await stack.calls.asAgent.call('self-serve-loop-read', { run_id: run }))
    .body as { completion: { criteria: { criterion: string; verdict: string }[] } }
  expect(completion.criteria.at(-1)).toMatchObject({ criterion: 'complete', met: false })
})

verifies('review.judged', 'the sandbox policy judges no criterion', async () => {
  const { taskId, token } = await stack.calls.funded('synthetic', undefined, ['complete', 'dated'])
  const { client, close } = createTemporalClient(stack.apis.config)
  await wakeTask({ client, db: stack.apis.db }, taskId)
  await close()
  await stack.calls.reaches(token, 'attested')
  const { run_id } = (await stack.calls.asHolder(token).call('task-ledger', {})).body.task
  const { completion } = (
    await stack.calls.asAgent.call('self-serve-loop-read', { run_id: run_id ?? '' })
  ).body as { completion: { criteria: { criterion: string }[] } }
  expect(completion.criteria.slice(-2)).toEqual(
    ['complete', 'dated'].map((criterion) => ({
      criterion,
      met: false,
      verdict: 'not_judged',
      note: '',
    })),
  )
  const rows = await stack.apis.db
    .selectFrom('review_decisions')
    .select('decision')
    .where('subject_id', 'in', [taskId, run_id ?? ''])
    .execute()
  expect(rows).toEqual([])
})

verifies('review.evidence', 'a part is read in slices, and unknown ones are 404', async () => {
  const { taskId } = await stack.calls.funded()
  const { parts } = await evidenceOf(taskId)
  const input = parts.find(({ name }) => name === 'input')
  const { body } = await console({ subject_id: taskId, part: 'input', part_offset: '2' })
  expect(body.evidence_part).toEqual({
    name: 'input',
    sha256: input?.sha256,
    bytes: input?.bytes,
    offset: 2,
    next_offset: null,
    text: canonicalJson(packetops.sandboxInput).slice(2),
  })
  expect(await codeOf(console({ subject_id: taskId, part: 'result' }))).toBe('not_found')
  expect(await codeOf(console({ subject_id: 'run_unknown' }))).toBe('not_found')
})

verifies('review.judged', 'judgements name criteria of a run and are in the receipt', async () => {
  const run = await runInReview('it is complete', 'it is dated')
  const subject = { subject_kind: 'loop_step' as const, subject_id: run }
  const { root_sha256 } = await evidenceOf(run)
  const seen = { ...subject, evidence_seen_sha256: [root_sha256] }
  const judged = { criterion: 'no such criterion', verdict: 'met', note: '' } as const
  expect(await codeOf(decide({ ...seen, judgements: [judged] }))).toBe('invalid_request')
  const met = { criterion: 'it is dated', verdict: 'met', note: 'see the manifest' } as const
  const { body } = await decide({ ...seen, judgements: [met] })
  const judgements = [{ criterion: 'it is complete', verdict: 'not_judged', note: '' }, met]
  expect(body.review_decision.judgements).toEqual(judgements)
  expect(body.receipt.payload).toMatchObject({ judgements })
  const { completion } = (await stack.calls.asAgent.call('self-serve-loop-read', { run_id: run }))
    .body as { completion: { criteria: { criterion: string; met: boolean }[] } }
  expect(completion.criteria.slice(-2)).toEqual([
    { criterion: 'it is complete', met: false, verdict: 'not_judged', note: '' },
    { ...met, met: true },
  ])
})
