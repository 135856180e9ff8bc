import type { RailKey } from '#domain/rails/rail.ts'
import { buildReturnPackage } from '#domain/runs/package-files.ts'
import { completionClaims, loopDigest, type PackagedWork } from '#domain/runs/return-package.ts'
import type { Tx } from '../store/postgres/db.ts'
import { insertReturnPackage, listStepTimes, type RunRow } from '../store/runs/runs.ts'
import type { TaskRow } from '../store/tasks/tasks.ts'
import type { TaskDeps } from '../tasks/deps.ts'

/** Makes the package of a run, signs its completion and stores both. */
export async function makeReturnPackage(
  { issuer, environment, signCompletion }: TaskDeps,
  tx: Tx,
  {
    task,
    run,
    work,
    nowSeconds,
  }: { task: TaskRow; run: RunRow; work: PackagedWork; nowSeconds: number },
): Promise<{ return_package_id: string; result_sha256: string; proof_hash: string }> {
  const { tier, usage, input_sha256 } = task
  if (input_sha256 === null) throw new Error('a run has an input')
  const { run_id } = run
  const loop_sha256 = loopDigest(await listStepTimes(tx, run_id))
  const partial = task.state === 'result_ready'
  const facts = {
    run_id,
    rail: task.rail as RailKey,
    tier,
    usage,
    partial,
    input_sha256,
    loop_sha256,
  }
  const made = buildReturnPackage(facts, work)
  const sign = await signCompletion(tx)
  const { jws: completion_signature } = await sign(
    completionClaims(made, { issuer, environment, iat: Math.floor(nowSeconds) }),
  )
  const { return_package_id, manifest_sha256, result_sha256, proof_hash } = made
  const digests = { return_package_id, manifest_sha256, result_sha256, proof_hash }
  await insertReturnPackage(tx, {
    ...digests,
    run_id,
    partial,
    completion_signature,
    package: made,
  })
  return { return_package_id, result_sha256, proof_hash }
}
