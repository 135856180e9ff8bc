import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { operationsModule, typesHeader } from '../../../worker/docs/python-modules.ts'
import { verifies } from '../../verifies.ts'

const read = (name: string) =>
  readFileSync(join(packageRoot, 'clients', 'python', 'agent_rails', name), 'utf8')

verifies('client.python', 'its generated modules are of these operations', () => {
  expect(read('operations.py')).toBe(operationsModule())
  expect(read('types.py').startsWith(typesHeader())).toBe(true)
})
