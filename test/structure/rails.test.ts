import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { railKeys } from '#domain/rails/rail.ts'
import { layers, root, sourcesIn } from '../support/sources.ts'
import { verifies } from '../verifies.ts'

const RAILS = 'workflows/domain/rails/'
const RAIL_TESTS = `test/${RAILS}`
const sources = sourcesIn([...layers, 'test'], /\.tsx?$/).map(({ path, bare, imports }) => ({
  path,
  text: bare,
  imports: imports.flatMap(({ target }) => (target?.startsWith(RAILS) ? [target] : [])),
}))

verifies(
  'structure.rails',
  'only the index of a rail is imported from outside, or what declares it',
  () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports.filter((target) => !mayImport(path, target)).map((target) => `${path}: ${target}`),
    )
    expect(wrong).toEqual([])
  },
)

verifies(
  'structure.rails',
  'a rail is a folder of its key, and little else stands next to it',
  () => {
    const names = (type: 'folder' | 'file') =>
      readdirSync(join(root, RAILS), { withFileTypes: true })
        .filter((entry) => entry.isDirectory() === (type === 'folder'))
        .map(({ name }) => name)
        .sort()
    const shared = ['drafts', 'input', 'report', 'tables', 'text', 'values', 'work']
    expect(names('folder')).toEqual([...railKeys, ...shared].sort())
    expect(names('file')).toEqual([
      'form.ts',
      'index.ts',
      'plans.ts',
      'rail.ts',
      'registered.ts',
      'reports.ts',
    ])
  },
)

/** Files outside the rails that name one, and why. A rail that is added changes none of them. */
const naming: Readonly<Record<string, string>> = {
  [`${RAILS}index.ts`]: 'scout is made over the others',
  [`${RAILS}rail.ts`]: 'the list of keys, and the tools that a work order may name',
  'api/context.ts': 'the service of scout',
  'api/operations/discovery/documents.ts': 'a default',
  'api/operations/discovery/sandbox.ts': 'a default',
  'api/operations/harness/credential-test.ts': 'the suite of one rail',
  'api/operations/harness/shapes.ts': 'a default',
  'api/operations/loops/': 'paths of single rails',
  'api/operations/payments/checkouts.ts': 'a path of one rail',
  'api/operations/work-orders.ts': 'an example',
  'api/services/evidence/analyses.ts': 'an analysis is a packet and its answers',
  'api/services/prospects/outreach.ts': 'a default',
  'api/services/resolver/': 'the search of services, by the rail scout',
  'api/services/runs/clearings.ts': 'the sample of a clearing',
  'api/services/runs/manifests.ts': 'the manifest of a packet',
  'api/services/runs/product-loops.ts': 'the loop of one rail',
  'api/services/runs/sample-packages.ts': 'the samples of compliance evidence',
  'worker/stack/demo-sandbox.ts': 'the demo',
  'worker/stack/demo-task.ts': 'the demo',
  'workflows/domain/credit/usage-event.ts': 'the usage of models is priced by tokenops',
  'workflows/domain/harness/suites.ts': 'the rails that a suite plays',
  'workflows/domain/pilots/pilot.ts': 'the rails of pilot offers',
}

verifies('structure.rails', 'shared code names no single rail but where a reason is given', () => {
  const key = new RegExp(`'(${railKeys.join('|')})'|\\b(${railKeys.join('|')}):`)
  const files = sources
    .filter(({ path }) => !/^(test|api\/examples)\//.test(path) && railOfFile(path) === undefined)
    .filter(({ text }) => key.test(text))
    .map(({ path }) => path)
  const reasons = Object.keys(naming)
  expect(files.filter((path) => !reasons.some((one) => path.startsWith(one)))).toEqual([])
  expect(reasons.filter((one) => !files.some((path) => path.startsWith(one)))).toEqual([])
})

/** A verifier in a browser makes reports without the work of the rails, so their plans are imported apart. */
function mayImport(path: string, target: string): boolean {
  const rail = railOfFile(target)
  if (rail === undefined || railOfFile(path) === rail) return true
  const isPlan = path === `${RAILS}plans.ts` && target === `${RAILS}${rail}/report.ts`
  // A declaration of an operation loads no work: it names the shapes and the sample of a rail alone.
  const isDeclared =
    path.startsWith('api/operations/') &&
    ['schema', 'sample', 'profiles'].some((name) => target === `${RAILS}${rail}/${name}.ts`)
  return target === `${RAILS}${rail}/index.ts` || isPlan || isDeclared
}

/** The rail in whose folder, or in the folder of whose tests, a file stands; tests of other rails may read its material. */
function railOfFile(path: string): string | undefined {
  const folder = [RAIL_TESTS, RAILS].find((one) => path.startsWith(one))
  return railKeys.find((key) => folder !== undefined && path.startsWith(`${folder}${key}/`))
}
