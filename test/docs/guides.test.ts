import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { copyProject } from '../support/project-copy.ts'
import { verifies } from '../verifies.ts'
import { addedOperation, addedRail, type Change } from './guides.ts'

/** To compile the whole tree takes a minute of processor time. */
const MINUTES = 600_000
let scratch: string

beforeAll(() => {
  scratch = copyProject('guides')
  for (const change of [...addedRail, ...addedOperation]) apply(change)
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

verifies(
  'docs.guides',
  'a rail and an operation that are added by the guides have right types',
  async () => {
    expect(
      await run({}, 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', '--noEmit'),
    ).toBe('')
  },
  MINUTES,
)

verifies(
  'docs.guides',
  'a rail that is added by the guide passes the tests of all rails',
  async () => {
    const rails = 'test/workflows/domain/rails'
    await vitest({ RECORD_GOLDEN: '1' }, `${rails}/golden.test.ts`)
    const others = ['rails', 'golden', 'invariance'].map((name) => `${rails}/${name}.test.ts`)
    const folders = ['report', 'work', 'input'].map((name) => `${rails}/${name}/`)
    await vitest({}, ...others, ...folders, 'test/activities/runs/validation.test.ts')
  },
  MINUTES,
)

verifies(
  'docs.guides',
  'an operation that is added by the guide passes the checks',
  async () => {
    const checks = ['coverage', 'structure', 'surfaces'].map((name) => `test/${name}.test.ts`)
    await vitest(
      {},
      ...checks,
      'test/structure/rails.test.ts',
      'test/api/registry/examples.test.ts',
      'test/api/operations/log-hash.test.ts',
    )
  },
  MINUTES,
)

/** Runs a program of the scratch copy; its output where it fails, else nothing. */
function run(env: NodeJS.ProcessEnv, program: string, ...options: string[]): Promise<string> {
  return new Promise((resolve) => {
    const all = { ...process.env, ...env, VITEST: undefined, NODE_OPTIONS: undefined }
    execFile('node', [program, ...options], { cwd: scratch, env: all }, (error, out, err) =>
      resolve(error === null ? '' : `${out}${err}` || String(error)),
    )
  })
}

async function vitest(env: NodeJS.ProcessEnv, ...files: string[]): Promise<void> {
  expect(await run(env, 'node_modules/vitest/vitest.mjs', 'run', ...files)).toBe('')
}

function apply({ path, ...change }: Change): void {
  const file = join(scratch, path)
  if ('text' in change) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, change.text)
    return
  }
  const before = readFileSync(file, 'utf8')
  expect(before.split(change.after), `${path} has one place for what is added`).toHaveLength(2)
  writeFileSync(
    file,
    before.replace(change.after, () => `${change.after}${change.add}`),
  )
}
