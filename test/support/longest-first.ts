import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of a minute and more, and folders whose files start a whole stack. The longest comes first. */
const long = [
  'test/e2e/sequences/as-pasted.test.ts',
  'test/e2e/payouts/reconciliation.test.ts',
  'test/e2e/payouts/watching.test.ts',
  'test/e2e/payouts/parking.test.ts',
  'test/e2e/browser/browser.test.ts',
  'test/e2e/agents/agent-use.test.ts',
  'test/e2e/model/',
  'test/worker/stack/once.test.ts',
  'test/e2e/payouts/',
  'test/e2e/',
  'test/temporal/',
  'test/worker/',
  'test/api/operations/runs/',
]
/** A worker process keeps the modules of one project, so the files of a project follow each other. */
const projects = ['shared', 'tests', 'pure']

/** Starts the longest files first, so that no worker runs a long file alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const root = this.ctx.config.root
    return files.toSorted((one, other) => placeOf(one, root) - placeOf(other, root))
  }
}

function placeOf({ moduleId, project }: TestSpecification, root: string): number {
  const place = long.findIndex((path) => moduleId.startsWith(join(root, path)))
  return projects.indexOf(project.name) * 100 + (place === -1 ? long.length : place)
}
