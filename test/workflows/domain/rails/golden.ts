import { digestOf } from '#domain/core/canonical-json.ts'
import type { Rail, RailKey } from '#domain/rails/rail.ts'
import type { ReportedRun } from '#domain/rails/report/report.ts'
import { reportOf } from '#domain/rails/reports.ts'
import { railCases } from './cases.ts'
import { dice, times } from './dice.ts'

const INPUTS = 60

/** Inputs of a rail that its schema accepts, always the same ones. */
export function goldenInputs({ key, input, sandboxInput }: Rail): unknown[] {
  const roll = dice(20_260_731)
  const made = times(INPUTS, () => railCases[key].input(roll))
  return [sandboxInput, ...(railCases[key].larger?.() ?? []), ...made].flatMap((value) => {
    const { data, success } = input.safeParse(value)
    return success ? [data] : []
  })
}

export const runOf = (rail: RailKey, changes: Partial<ReportedRun> = {}): ReportedRun => ({
  run_id: `run_${digestOf(rail)}`,
  rail,
  tier: 'standard',
  usage: 'operational',
  partial: false,
  input_sha256: digestOf('input'),
  result_sha256: digestOf('result'),
  ...changes,
})

/** What is recorded of a rail: the digest of the report of its sample, and those of the work on its inputs. */
export const goldenOf = (rail: Rail) => ({
  report: digestOf(reportOf(runOf(rail.key), rail.work(rail.sandboxInput))),
  works: goldenInputs(rail).map((value) => ({
    input: digestOf(value),
    work: digestOf(rail.work(value)),
  })),
})
export type Golden = ReturnType<typeof goldenOf>
