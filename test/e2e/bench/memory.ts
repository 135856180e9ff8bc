import { residentBytes } from './cpu.ts'
import { median } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { readStatus } from './status.ts'

export type Memory = {
  calls: number
  warm_mb: number
  end_mb: number
  growth_mb: number
  samples_mb: number[]
}

const SAMPLES = 20
const CALLERS = 8

/**
 * Resident memory of the API process over so many calls. The heap of a busy process rises until V8 collects it, so the
 * middle of the last quarter is compared with that of the second; the first one still fills caches.
 */
export async function measureMemory(fixture: Fixture, calls: number): Promise<Memory> {
  const samples: number[] = []
  while (samples.length < SAMPLES) {
    await readStatus(fixture, CALLERS, calls / SAMPLES)
    samples.push(Math.round(residentBytes(fixture.pids['api'] ?? 0) / 2 ** 20))
  }
  const quarter = (nth: number) =>
    median(samples.slice((SAMPLES / 4) * (nth - 1), (SAMPLES / 4) * nth))
  const [warm, end] = [quarter(2), quarter(4)]
  return { calls, warm_mb: warm, end_mb: end, growth_mb: end - warm, samples_mb: samples }
}

export function printMemory(memory: Memory): Memory {
  const { calls, warm_mb, end_mb, growth_mb, samples_mb } = memory
  console.log(
    `\nResident memory of the API over ${calls} calls: ${warm_mb} MB warm, ${end_mb} MB at the end (${growth_mb} MB)`,
  )
  console.log(`after each twentieth: ${samples_mb.join(' ')}`)
  return memory
}
