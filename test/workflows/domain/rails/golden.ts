import type { Rail } from '#domain/rails/rail.ts'
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
