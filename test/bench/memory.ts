import { residentBytes } from './cpu.ts'
import { round } from './figures.ts'
import type { Rig } from './rig.ts'
import { readStatus } from './status.ts'

export type Memory = { calls: number; warm_mb: number; end_mb: number; growth_mb: number; samples_mb: number[] }

const SAMPLES = 20
const CALLERS = 8

/** Resident memory of the API process over so many calls, from the moment it is warm: the mean of three samples there and of the last three. */
export async function measureMemory(rig: Rig, calls: number): Promise<Memory> {
  const samples: number[] = []
  while (samples.length < SAMPLES) {
    await readStatus(rig, CALLERS, calls / SAMPLES)
    samples.push(residentBytes(rig.pids['api'] ?? 0) / 2 ** 20)
  }
  const mean = (some: readonly number[]) => some.reduce((sum, mb) => sum + mb, 0) / some.length
  // The first calls still fill caches and compile.
  const warm = mean(samples.slice(1, 4))
  const end = mean(samples.slice(-3))
  return {
    calls,
    warm_mb: round(warm),
    end_mb: round(end),
    growth_mb: Math.round((end - warm) * 10) / 10,
    samples_mb: samples.map(Math.round),
  }
}

export function printMemory(memory: Memory): Memory {
  const { calls, warm_mb, end_mb, growth_mb, samples_mb } = memory
  console.log(
    `\nResident memory of the API over ${calls} calls: ${warm_mb} MB warm, ${end_mb} MB at the end (${growth_mb} MB)`,
  )
  console.log(`after each twentieth: ${samples_mb.join(' ')}`)
  return memory
}
