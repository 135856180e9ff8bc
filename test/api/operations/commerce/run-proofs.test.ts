import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import type { InputOf, OutputOf } from '../../../../api/http/client.ts'
import { freshKey, openAgentUse } from '../../../support/agent-use.ts'
import { auditBooks } from '../../../support/books.ts'
import { artifactOf, freeProof, missionOf } from '../../../support/commerce.ts'
import { startComposedTasks } from '../../../support/composed-tasks.ts'
import { verifies } from '../../../verifies.ts'

type AgentUse = Awaited<ReturnType<typeof openAgentUse>>
type Proof = OutputOf<'commerce-proof-evaluate'>
type Run = { runId: string; packageId: string; referenceId: string; usd: number }

let apis: Awaited<ReturnType<typeof startComposedTasks>>
let agent: AgentUse
let finished: Promise<Run> | undefined
const firstRun = () => {
  finished ??= finishedRun()
  return finished
}
beforeAll(async () => {
  apis = await startComposedTasks()
  agent = await openAgentUse(apis.hosts[0]!, apis.operator)
})
afterAll(async () => {
  await apis?.stop()
})

let units = 0
/** A run that was paid by invoice, reviewed, worked and reviewed again. */
async function finishedRun(): Promise<Run> {
  const { quote_id, total_usd } = await agent.quote('packetops', ++units)
  const { payment_reference_id: referenceId } = await agent.pay(quote_id)
  await agent.approve('payment_reference', referenceId)
  const started = await agent.start({
    ...agent.startInput(quote_id),
    payment_reference_id: referenceId,
  })
  const { run_id: runId, task_id: taskId } = started.body.run
  await agent.approve('task', taskId)
  await expect.poll(async () => (await agent.status(runId, 5_000)).waiting_for).toEqual(['review'])
  await agent.approve('loop_step', runId)
  // A proof reads what was delivered, which follows the charge.
  const now = () => agent.status(runId, 5_000)
  await expect.poll(async () => (await now()).usage_receipt_id).not.toBeNull()
  const packageId = (await now()).return_package_id ?? ''
  return { runId, packageId, referenceId, usd: total_usd }
}

const proofOf = async (
  return_package_id: string,
  more: Partial<InputOf<'commerce-proof-evaluate'>> = {},
  by: AgentUse = agent,
): Promise<Proof> => {
  const input = {
    mission: missionOf('rail_run'),
    return_package: { return_package_id },
    evidence: [],
    ...more,
  }
  return (await by.client.call('commerce-proof-evaluate', freeProof(input))).body
}
const reasonOf = ({ verification_packet }: Proof, check: string) =>
  verification_packet.checks.find((one) => one.check === check)?.reason

verifies(
  ['commerce.run', 'commerce.payment'],
  'a paid run of its own is proven from its record alone',
  async () => {
    const done = await firstRun()
    const claim = { claim: 'complete', artifact: 'result.json' }
    const return_package = { return_package_id: done.packageId, claims: [claim] }
    const proof = await proofOf(done.packageId, { return_package })
    expect(proof.reasons).toEqual([])
    expect(proof).toMatchObject({ decision: 'eligible_to_continue', usage: 'operational' })
    const { payment, inputs, claims } = proof.verification_packet
    expect(payment).toMatchObject({
      payment_reference_id: done.referenceId,
      state: 'verified',
      amount_usd: done.usd,
    })
    expect(claims).toMatchObject([{ state: 'bound' }])
    const { rows } = await sql<{ files: { name: string; sha256: string }[] }>`
      select package->'files' as files from return_packages where return_package_id = ${done.packageId}`.execute(
      apis.db,
    )
    expect(inputs.map(({ name, sha256 }) => ({ name, sha256 }))).toEqual(
      rows[0]?.files.map(({ name, sha256 }) => ({ name, sha256 })),
    )
    const again = await proofOf(done.packageId)
    expect(reasonOf(again, 'duplicates')).toBe('duplicate_package')
    expect(reasonOf(again, 'payment')).toBe('payment_of_another_order')
  },
)

verifies('commerce.payment', 'the payment of another run holds the mission', async () => {
  const done = await firstRun()
  const other = await finishedRun()
  const crossed = { payment: { payment_reference_id: done.referenceId } }
  const held = await proofOf(other.packageId, crossed)
  expect(held.decision).toBe('payment_hold')
  expect(reasonOf(held, 'payment')).toBe('payment_of_another_order')
  const inline = await proofOf('', {
    mission: missionOf('pilot_delivery'),
    return_package: { artifacts: [artifactOf(`delivered ${freshKey()}`)] },
    ...crossed,
  })
  expect(reasonOf(inline, 'payment')).toBe('payment_of_another_order')
  const own = { payment: { payment_reference_id: other.referenceId, amount_usd: other.usd } }
  expect(reasonOf(await proofOf(other.packageId, own), 'payment')).toBeNull()
})

verifies('commerce.run', 'the run of another agent is as one that does not exist', async () => {
  const done = await firstRun()
  const other = await openAgentUse(apis.hosts[0]!, apis.operator)
  const [foreign, unknown] = [
    await proofOf(done.packageId, {}, other),
    await proofOf(`rp_${'0'.repeat(64)}`, {}, other),
  ]
  const codes = ({ verification_packet: { checks } }: Proof) =>
    checks.map(({ check, outcome, reason, detail }) => [check, outcome, reason, detail])
  expect(codes(foreign)).toEqual(codes(unknown))
  expect(reasonOf(foreign, 'hashes')).toBe('package_unknown')
  expect(foreign.verification_packet.inputs).toEqual([])
})

verifies('commerce.run', 'a stored package that was changed is found out', async () => {
  const run = await finishedRun()
  await sql`alter table return_packages disable trigger all`.execute(apis.db)
  await sql`update return_packages set package = jsonb_set(package::jsonb, '{result,complete}', '"yes"')::json
    where return_package_id = ${run.packageId}`.execute(apis.db)
  const proof = await proofOf(run.packageId)
  expect(proof.decision).toBe('human_review_required')
  expect(reasonOf(proof, 'hashes')).toBe('package_changed')
})

verifies('commerce.moves-no-money', 'proofs of paid runs post nothing', async () => {
  const done = await firstRun()
  const postings = () => apis.db.selectFrom('postings').selectAll().orderBy('posting_id').execute()
  const open = () =>
    apis.db.selectFrom('tasks').select('task_id').where('state', '<>', 'closed').execute()
  // What the runs themselves post comes before their end.
  await expect.poll(open).toEqual([])
  const before = await postings()
  await Promise.all(Array.from({ length: 10 }, () => proofOf(done.packageId)))
  expect(await postings()).toEqual(before)
  await auditBooks(apis.db)
})
