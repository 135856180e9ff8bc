import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../activities/config/package-root.ts'
import { operationsModule, typesSchema, typesSource } from './docs/python-modules.ts'

// `npm run client:python`: writes the built modules of the Python package, in clients/python or in the copy that is named. The types come
// from datamodel-code-generator (PyPI).
const GENERATOR = 'datamodel-code-generator==0.89.0'
const [folder = join(packageRoot, 'clients', 'python')] = process.argv.slice(2)
const home = join(folder, 'agent_rails')
const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-python-'))
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })

try {
  const schema = join(scratch, 'operations.json')
  const types = join(scratch, 'types.py')
  writeFileSync(schema, JSON.stringify(typesSchema()))
  run('python3', '-m', 'venv', join(scratch, 'venv'))
  run(join(scratch, 'venv', 'bin', 'pip'), 'install', '--quiet', GENERATOR)
  const settings = [
    '--input-file-type=jsonschema',
    '--output-model-type=typing.TypedDict',
    '--target-python-version=3.10',
    '--enum-field-as-literal=all',
    '--use-union-operator',
    '--no-use-closed-typed-dict',
    '--disable-timestamp',
    '--formatters=builtin',
  ]
  const codegen = join(scratch, 'venv', 'bin', 'datamodel-codegen')
  run(codegen, `--input=${schema}`, `--output=${types}`, ...settings)
  writeFileSync(join(home, 'types.py'), typesSource(readFileSync(types, 'utf8')))
  writeFileSync(join(home, 'operations.py'), operationsModule())
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`wrote ${home}`)
