import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { REPLAY_TYP } from '#domain/receipts/dated-back.ts'
import { verifyReplayFile } from '#domain/verification/replay-package.ts'
import { signerOf } from '../../../../activities/container.ts'
import { createRunSteps } from '../../../../activities/runs/run.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { appendReceipt } from '../../../../activities/store/receipts/receipts.ts'
import { findReturnPackage } from '../../../../activities/store/runs/runs.ts'
import { requireTask, storeDocument } from '../../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../../activities/tasks/facts.ts'
import { runContractOf } from '../../../../activities/tasks/run-contract.ts'
import { readReplayPackage } from '../../../../api/services/tasks/replay-package.ts'
import { startTasks } from '../../../activities/tasks/fixture.ts'
import { poolsOver, startRailPool } from '../../../support/rail-pool.ts'
import { creditFor } from '../../../support/task-evidence.ts'
import { verifies } from '../../../verifies.ts'

let tasks: Awaited<ReturnType<typeof startTasks>>
beforeAll(async () => {
  tasks = await startTasks()
})
const pool = startRailPool()
afterAll(async () => {
  await pool.close()
  await tasks?.stop()
})

/** A task whose run has been attested by the real steps, whose credit a receipt stands for, and which was then stopped. */
async function stoppedTask(): Promise<string> {
  const { db, deps, record, draft } = tasks
  const { taskId, submit } = await draft()
  const input_sha256 = await storeDocument(db, taskId, packetops.sandboxInput)
  const contract = await storeDocument(db, taskId, { contract: 'terms', task_id: taskId })
  const { issuer, environment, signReceipt } = deps
  await record(taskId, submit)
  await record(taskId, ['preflight_passed', { checks: [] }])
  await record(taskId, [
    'contract_prepared',
    { contract_id: `ct_${taskId.slice(5)}`, terms_sha256: contract },
  ])
  await record(taskId, ['contract_accepted', { terms_sha256: contract }])
  await record(taskId, ['trust_requested', {}])
  await record(taskId, ['trust_granted', {}])
  const { quote_id, entitlement_id, settlement_receipt_id } = await creditFor(deps, taskId)
  await record(taskId, ['quote_issued', { quote_id }])
  await record(taskId, ['credit_requested', { entitlement_id }])
  await record(taskId, ['credit_funded', { settlement_receipt_id }])
  const sealed = await transaction(db, async (tx) =>
    runContractOf(tx, {
      ...(await requireTask(tx, taskId)),
      input_sha256,
      review_decision: 'sandbox_policy',
    }),
  )
  const run_contract_sha256 = digestOf(sealed)
  await record(taskId, [
    'enqueued',
    { review_decision: 'sandbox_policy', input_sha256, run_contract_sha256 },
  ])
  await record(taskId, ['started', { run_id: runIdOf(taskId) }])
  const runs = createRunSteps(deps, poolsOver(pool))
  let run = await runs.loadRun(runIdOf(taskId))
  while (run?.next === 'step' && run.step !== null) {
    const { attempt, round, step } = run
    const input = { runId: run.runId, attempt, round, step }
    run = await new MockActivityEnvironment().run(runs.takeStep, input)
  }
  // What someone writes cites nothing, be it the id of another's receipt.
  const kind = 'settlement_receipt'
  const other = {
    subject: `en_other_${taskId}`,
    kind,
    usage: 'synthetic',
    environment,
    issuer,
    facts: {},
  }
  const foreign = await transaction(db, (tx) =>
    appendReceipt(tx, signReceipt, other, Math.floor(Date.now() / 1000)),
  )
  await record(taskId, ['exception_raised', { code: 'operator_hold', detail: receiptId(foreign) }])
  return taskId
}

verifies(
  ['replay.verified', 'package.verified'],
  'the replay file of a real run is verifiable, repeatable and stable',
  async () => {
    const taskId = await stoppedTask()
    const { db, deps, keys } = tasks
    const read = () =>
      readReplayPackage({ db, issuer: deps.issuer, signReplay: signerOf(keys, REPLAY_TYP) }, taskId)
    const file = JSON.parse(JSON.stringify(await read()))
    expect(file.replay_package).toMatchObject({
      task_id: taskId,
      resume_state: 'attested',
      from_step: null,
    })
    const report = verifyReplayFile(file, { keys: file.replay_package.keys })
    expect(report.checks.filter(({ ok }) => !ok)).toEqual([])
    expect(report.verdict).toBe('proven')
    expect(JSON.parse(JSON.stringify(await read()))).toEqual(file)
    const made = await findReturnPackage(db, runIdOf(taskId))
    expect(file.replay_package.return_package.proof_hash).toBe(made?.proof_hash)
    expect(report.checks.at(-1)?.detail).toContain(made?.result_sha256)
  },
)
