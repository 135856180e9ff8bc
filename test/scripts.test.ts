import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { packageRoot } from '../activities/config/package-root.ts'
import { verifies } from './verifies.ts'

const read = (path: string) => JSON.parse(readFileSync(join(packageRoot, path), 'utf8'))
const { scripts, dependencies, devDependencies } = read('package.json')

/** What installs and builds when it is called, and needs nothing installed itself. */
const beginnings = [
  /^(exec )?node worker\/bootstrap\.mjs (start|test|test:faults|install|build)$/,
  /^exec node worker\/bin\.mjs doctor$/,
  /^node test\/e2e\/checks\/node-lts\.mjs$/,
]

/** The programs that the installed packages put into `node_modules/.bin`. */
const binaries = new Set(
  Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) => {
    const { bin = {} } = read(`node_modules/${name}/package.json`)
    return typeof bin === 'string' ? [name.split('/').at(-1)] : Object.keys(bin)
  }),
)

verifies(
  'scripts.fresh-clone',
  'every script installs and builds first and runs the project’s programs',
  () => {
    expect(Object.keys(scripts).length).toBeGreaterThan(15)
    for (const [name, script] of Object.entries<string>(scripts)) {
      const [first = '', ...others] = script.split(' && ')
      expect(
        beginnings.some((form) => form.test(first)),
        `${name}: ${first}`,
      ).toBe(true)
      for (const command of others) {
        const [program = '', argument = ''] = command
          .split(' ')
          .filter((word) => !/^[A-Z_]+=/.test(word))
        if (program !== 'node') expect(binaries, `${name}: ${program}`).toContain(program)
        else if (!argument.startsWith('dist/'))
          expect(existsSync(join(packageRoot, argument)), `${name}: ${argument}`).toBe(true)
      }
    }
  },
)

verifies(
  'scripts.fresh-clone',
  'what runs before the install imports only Node and its own files',
  () => {
    for (const file of [
      'worker/bootstrap.mjs',
      'worker/bin.mjs',
      'worker/ensure.mjs',
      'test/e2e/checks/node-lts.mjs',
    ]) {
      const text = readFileSync(join(packageRoot, file), 'utf8')
      for (const [, from = ''] of text.matchAll(/ from '([^']+)'/g))
        expect(from, file).toMatch(/^(node:|\.\/ensure\.mjs$)/)
    }
  },
)
