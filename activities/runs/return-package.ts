import { canonicalJson, digestOf, sha256Hex } from '../../workflows/domain/canonical-json.ts'
import type { Work } from '../../workflows/domain/rails/rail.ts'
import type { Tx } from '../store/db.ts'
import { insertReturnPackage, type LoopStepRow, listLoopSteps, type RunRow } from '../store/runs.ts'
import type { TaskRow } from '../store/tasks.ts'
import type { TaskDeps } from '../tasks/deps.ts'

export const returnPackageIdOf = (runId: string): string =>
  `rp_${digestOf({ type: 'service.return-package.v2', run_id: runId })}`

/** What a stranger needs to hold the loop of a run against its package: each step with how it ended and what it brought. */
export const loopDigest = (steps: readonly LoopStepRow[]): string =>
  digestOf(
    steps
      .filter(({ step, verdict }) => verdict !== null && step !== 'return_package' && step !== 'attestation')
      .map(({ attempt, round, step, verdict, output_sha256 }) => ({ attempt, round, step, verdict, output_sha256 })),
  )

/** The package of a run: result, findings and gaps as files with their digests, the proof over them, and its signature. */
export async function makeReturnPackage(
  deps: TaskDeps,
  tx: Tx,
  { task, run, work, nowSeconds }: { task: TaskRow; run: RunRow; work: Work<unknown>; nowSeconds: number },
): Promise<{ return_package_id: string; result_sha256: string; proof_hash: string }> {
  const return_package_id = returnPackageIdOf(run.run_id)
  const files = Object.entries(work).map(([name, part]) => {
    const text = canonicalJson(part)
    return { name: `${name}.json`, sha256: sha256Hex(text), bytes: new TextEncoder().encode(text).length }
  })
  const manifest_sha256 = digestOf(files)
  const result_sha256 = digestOf(work.result)
  const loop_sha256 = loopDigest(await listLoopSteps(tx, run.run_id))
  const proof = { run_id: run.run_id, rail: task.rail, input_sha256: task.input_sha256, result_sha256, manifest_sha256 }
  const proof_hash = digestOf({ type: 'service.run-proof.v2', ...proof, loop_sha256 })
  const partial = task.state === 'result_ready'
  const { usage, rail, tier } = task
  const claims = { iss: deps.issuer, iat: Math.floor(nowSeconds), sub: run.run_id, kind: 'completion', usage }
  const { jws } = deps.signReceipt({ ...claims, environment: deps.environment, prev: null, ...proof, proof_hash })
  const result_contract = { version: 'v2', split_version: '1.0' }
  const made = { return_package_id, run_id: run.run_id, manifest_sha256, proof_hash, completion_signature: jws }
  const shown = { ...made, rail, tier, ...work, files, result_contract, usage, partial, loop_sha256 }
  await insertReturnPackage(tx, { ...made, partial, result_sha256, package: shown })
  return { return_package_id, result_sha256, proof_hash }
}
