import { digestOf } from '#domain/core/canonical-json.ts'
import { workOn } from '#domain/rails/input/read-input.ts'
import type { Rail } from '#domain/rails/rail.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { delivered } from '#domain/rails/work/tiers.ts'
import { SANDBOX_TIER } from '#domain/runs/sandbox.ts'

/** What a run of the sandbox makes of the sample input of a rail. */
export function railSample(rail: Rail) {
  const input = rail.sandboxInput
  const work = delivered(rail, SANDBOX_TIER, workOn(rail, input))
  const run = {
    run_id: 'sample',
    rail: rail.key,
    tier: SANDBOX_TIER,
    usage: 'synthetic',
    partial: false,
    input_sha256: digestOf(input),
    result_sha256: digestOf(work.result),
  } as const
  return { work, files: reportOf(run, work) }
}
