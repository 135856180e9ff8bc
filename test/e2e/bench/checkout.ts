import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type * as fixtureModule from './fixture.ts'

type Bench = {
  folder: string
  module: string
  open: (loaded: Record<string, unknown>) => unknown
}

/** Where a build keeps its benchmark: this one first, then the layout before the restructure. */
const benches: readonly Bench[] = [
  { folder: 'test/e2e/bench', module: 'fixture', open: (loaded) => loaded['openFixture'] },
  { folder: 'test/bench', module: 'rig', open: (loaded) => loaded['openRig'] },
]

export function benchOf(checkout: string): Bench {
  const found = benches.find(({ folder }) => existsSync(join(checkout, folder, 'tsconfig.json')))
  if (found === undefined) throw new Error(`${checkout} has no benchmark`)
  return found
}

/** The functions that a round needs, loaded from the build in `checkout`. */
export async function loadBench(
  checkout: string,
): Promise<Pick<typeof fixtureModule, 'openFixture' | 'runRound'>> {
  const { folder, module, open } = benchOf(checkout)
  const loaded = await import(join(checkout, 'dist', folder, `${module}.js`))
  return {
    openFixture: open(loaded) as typeof fixtureModule.openFixture,
    runRound: loaded.runRound,
  }
}
