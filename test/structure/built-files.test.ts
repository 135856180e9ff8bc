import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../verifies.ts'

const cwd = join(import.meta.dirname, '../..')
const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd, encoding: 'utf8' }).trim().split('\n')

verifies('client.python', 'its built modules are not committed', () => {
  const built = ['types', 'operations'].map((name) => `clients/python/agent_rails/${name}.py`)
  expect(git('check-ignore', '--no-index', ...built)).toEqual(built)
  const committed = git('ls-files', 'clients/python')
  expect(committed).toContain('clients/python/pyproject.toml')
  expect(committed.filter((path) => built.includes(path))).toEqual([])
})
