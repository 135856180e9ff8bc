import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { onCycles, root, type Source, sourcesIn } from '../support/sources.ts'
import { verifies } from '../verifies.ts'

const home = 'api/services'
const families = readdirSync(join(root, home), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const sources = sourcesIn(['api', 'worker'])
const texts = new Map(sources.map(({ path, text }) => [path, text]))
const textOf = (path: string) => texts.get(path) ?? ''
const services = sources.filter(({ path }) => path.startsWith(`${home}/`))

verifies('structure.services', 'a service has no base class', () => {
  const derived = services.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?(?:abstract )?class (\w+)(?:<[^{]*>)? extends (\w+)/gm)]
      .filter(([, , base]) => base !== 'Error')
      .map(([, name]) => `${path}: ${name}`),
  )
  expect(derived).toEqual([])
})

verifies('structure.services', 'a family opens its own services in its open.ts', () => {
  const paths = services.map(({ path }) => path)
  expect(paths.filter((path) => path.split('/').length === 3)).toEqual([`${home}/open.ts`])
  expect(families.filter((name) => !texts.has(`${home}/${name}/open.ts`))).toEqual([])
  const opened = sources.flatMap((source) =>
    importsOf(source)
      .filter(({ file }) => file.startsWith(`${home}/`))
      .flatMap(({ file, names }) =>
        names
          .filter((name) => new RegExp(`\\bnew ${name}\\(`).test(source.text))
          .map((name) => ({ path: source.path, name, of: familyOf(file) })),
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
      .filter((source) => importsOf(source).some(({ file }) => file === `${home}/${name}/open.ts`))
      .map(({ path }) => path)
      .filter(isList),
  ])
  expect(opened.filter(([, lists = []]) => lists.length !== 1)).toEqual([])
})

verifies('structure.services', 'families of services use each other without a cycle', () => {
  const uses = new Map(
    families.map((name) => {
      const used = services
        .filter(({ path }) => familyOf(path) === name)
        .flatMap(importsOf)
        .filter(({ file }) => file.startsWith(`${home}/`))
      return [
        name,
        new Set(used.map(({ file }) => familyOf(file)).filter((other) => other !== name)),
      ]
    }),
  )
  expect(onCycles(uses)).toEqual([])
})

function familyOf(path: string): string {
  return path.split('/')[2] ?? ''
}

/** Where families are put together; the resolver is with what is made from the registry, whose operations it runs. */
function isList(path: string): boolean {
  return path === `${home}/open.ts` || path === 'api/registry/open.ts'
}

function importsOf({ imports }: Source): { file: string; names: string[] }[] {
  return imports.flatMap(({ target, names }) =>
    target === undefined ? [] : [{ file: target, names }],
  )
}
