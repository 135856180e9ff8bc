import { loadBench } from './checkout.ts'
import { serveParent } from './child.ts'
import { cpuOf } from './figures.ts'
import type * as fixtureModule from './fixture.ts'

/** One build of the service under load; its own bench opens the stack, so that each build is started as it starts itself. */
const state = {
  fixture: undefined as fixtureModule.Fixture | undefined,
  bench: undefined as Awaited<ReturnType<typeof loadBench>> | undefined,
}

serveParent({
  /** Starts the stack of the build in this checkout, with nothing measured yet. */
  open: async (checkout: string) => {
    const bench = await loadBench(checkout)
    state.bench = bench
    state.fixture = await bench.openFixture(undefined)
  },

  /** Processor milliseconds of each part of the service, and of all, for each call of so many payouts, which are three calls each. */
  round: async ({
    callers,
    count,
  }: {
    callers: number
    count: number
  }): Promise<Record<string, number>> => {
    const { bench, fixture } = state
    if (bench === undefined || fixture === undefined) throw new Error('open comes first')
    const { cpuMs } = await bench.runRound(fixture, { who: 'rail', callers, count })
    return Object.fromEntries(
      Object.entries(cpuOf([{ cpuMs }])).map(([part, ms]) => [part, ms / 3]),
    )
  },

  close: async () => state.fixture?.stop(),
})
