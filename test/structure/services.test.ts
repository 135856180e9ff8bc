import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { importedFile } from '../support/imported-file.ts'
import { verifies } from '../verifies.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const home = 'api/services'
const families = readdirSync(join(root, home), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const sources = ['api', 'worker'].flatMap((layer) =>
  readdirSync(join(root, layer), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(layer, file)),
)
const texts = new Map(sources.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
const textOf = (path: string) => texts.get(path) ?? ''
const services = sources.filter((path) => path.startsWith(`${home}/`))

verifies('structure.services', 'a service has no base class', () => {
  const derived = services.flatMap((path) =>
    [...textOf(path).matchAll(/^(?:export )?(?:abstract )?class (\w+)(?:<[^{]*>)? extends (\w+)/gm)]
      .filter(([, , base]) => base !== 'Error')
      .map(([, name]) => `${path}: ${name}`),
  )
  expect(derived).toEqual([])
})

verifies('structure.services', 'a family opens its own services in its open.ts', () => {
  expect(services.filter((path) => path.split('/').length === 3)).toEqual([`${home}/open.ts`])
  expect(families.filter((name) => !texts.has(`${home}/${name}/open.ts`))).toEqual([])
  const opened = sources.flatMap((path) =>
    importsOf(path)
      .filter(({ file }) => file.startsWith(`${home}/`))
      .flatMap(({ file, names }) =>
        names
          .filter((name) => new RegExp(`\\bnew ${name}\\(`).test(textOf(path)))
          .map((name) => ({ path, name, of: familyOf(file) })),
      ),
  )
  expect(opened.length).toBeGreaterThan(50)
  const errors = ['PatchError']
  expect(
    opened.filter(
      ({ path, name, of }) => path !== `${home}/${of}/open.ts` && !errors.includes(name),
    ),
  ).toEqual([])
})

verifies('structure.services', 'a service is named once, by its family', () => {
  const named = families.flatMap((name) =>
    [...textOf(`${home}/${name}/open.ts`).matchAll(/^\s+(\w+): new [A-Z]/gm)].map(
      ([, service]) => service,
    ),
  )
  expect(named.length).toBeGreaterThan(50)
  expect(named.filter((service, at) => named.indexOf(service) !== at)).toEqual([])
  for (const list of ['api/compose.ts', `${home}/open.ts`])
    expect([list, /\bnew [A-Z]/.test(textOf(list))]).toEqual([list, false])
  const opened = families.map((name) => [
    name,
    sources
      .filter((path) => importsOf(path).some(({ file }) => file === `${home}/${name}/open.ts`))
      .filter(isList),
  ])
  expect(opened.filter(([, lists = []]) => lists.length !== 1)).toEqual([])
})

verifies('structure.services', 'families of services use each other without a cycle', () => {
  const uses = new Map(
    families.map((name) => {
      const used = services
        .filter((path) => familyOf(path) === name)
        .flatMap(importsOf)
        .filter(({ file }) => file.startsWith(`${home}/`))
      return [
        name,
        new Set(used.map(({ file }) => familyOf(file)).filter((other) => other !== name)),
      ]
    }),
  )
  for (let before = 0; uses.size !== before; ) {
    before = uses.size
    for (const [name, others] of uses)
      if (![...others].some((other) => uses.has(other))) uses.delete(name)
  }
  expect([...uses.keys()]).toEqual([])
})

function familyOf(path: string): string {
  return path.split('/')[2] ?? ''
}

/** Where families are put together; the resolver is with what is made from the registry, whose operations it runs. */
function isList(path: string): boolean {
  return path === `${home}/open.ts` || path === 'api/registry/open.ts'
}

function importsOf(path: string): { file: string; names: string[] }[] {
  return [...textOf(path).matchAll(/^(?:import|export) ([^;']*?) ?from '([^']+)'/gm)].flatMap(
    ([, names = '', from = '']) => {
      const file = importedFile(path, from)
      return file === undefined ? [] : [{ file, names: names.match(/\w+/g) ?? [] }]
    },
  )
}
