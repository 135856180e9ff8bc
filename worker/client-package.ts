import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../activities/config/package-root.ts'
import { callables } from '../api/http/client-contract.ts'
import { contractTypes } from './client-types.ts'

// Makes what the package @agent-rails/client holds: the built modules that its entry reaches, and the operations as data and types.
const built = join(packageRoot, 'dist')
const packed = join(packageRoot, 'clients', 'typescript', 'dist')
const entry = 'clients/typescript/src/index'
const contract = 'api/http/client-contract'

const { dependencies } = JSON.parse(readFileSync(join(packed, '..', 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}
rmSync(packed, { recursive: true, force: true })
for (const module of modulesFrom(entry))
  for (const kind of ['js', 'd.ts']) copy(`${module}.${kind}`)
write(`${contract}.js`, `export const callables = ${JSON.stringify(callables)}\n`)
write(`${contract}.d.ts`, await contractTypes())

/** The modules that an entry reaches, in code and in types, but for the contract, which stands for the server. */
function modulesFrom(start: string): Set<string> {
  const reached = new Set([start])
  // A set hands out what is added to it while it is walked.
  for (const module of reached)
    for (const from of importsOf(module)) {
      const target = moduleOf(module, from)
      if (target === undefined) assertDependency(module, from)
      else reached.add(target)
      if (target === contract) reached.delete(contract)
    }
  return reached
}

/** The module of ours that an import names; undefined for a package. */
function moduleOf(importer: string, from: string): string | undefined {
  const name = from.replace(/\.[jt]s$/, '')
  if (name.startsWith('#domain/')) return join('workflows', 'domain', name.slice('#domain/'.length))
  return name.startsWith('.') ? join(dirname(importer), name) : undefined
}

function importsOf(module: string): string[] {
  const texts = ['js', 'd.ts'].map((kind) => readFileSync(join(built, `${module}.${kind}`), 'utf8'))
  return texts.flatMap((text) =>
    [
      ...text.matchAll(/^(?:import|export) (?:[^'"]*? from )?'([^']+)';?$|\bimport\("([^"]+)"\)/gm),
    ].map(([, from, inline]) => from ?? inline ?? ''),
  )
}

function assertDependency(module: string, from: string): void {
  const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/')
  if (from.startsWith('node:') || name in dependencies) return
  throw new Error(`the client package must not use ${from}, which ${module} imports`)
}

function copy(file: string): void {
  mkdirSync(join(packed, dirname(file)), { recursive: true })
  cpSync(join(built, file), join(packed, file))
}

function write(file: string, text: string): void {
  mkdirSync(join(packed, dirname(file)), { recursive: true })
  writeFileSync(join(packed, file), text)
}
