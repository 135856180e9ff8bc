import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importedFile } from './imported-file.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const layers = ['workflows', 'activities', 'temporal', 'api', 'clients', 'worker']

/** `target`: the file of this repository that is imported; undefined for a package. `names`: what is taken of it. */
export type Import = {
  from: string
  target: string | undefined
  names: string[]
  typeOnly: boolean
}
/** `bare`: without comments. */
export type Source = {
  path: string
  text: string
  bare: string
  lines: number
  imports: Import[]
}

/** The files of code below folders of the repository, without what is built or installed. */
export const sourcesIn = (folders: readonly string[], name = /\.(ts|mjs)$/): Source[] =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => name.test(file) && !/(node_modules|dist)\//.test(file))
      .map((file) => readSource(join(folder, file))),
  )

/** The nodes that remain when those without remaining targets are removed again and again: cycles, and what leads to one. */
export function onCycles(targets: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const remaining = new Map(targets)
  for (let before = 0; remaining.size !== before; ) {
    before = remaining.size
    for (const [node, next] of remaining)
      if (![...next].some((target) => remaining.has(target))) remaining.delete(node)
  }
  return [...remaining.keys()]
}

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const bare = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
  const statements = [
    ...bare.matchAll(/^(?:import|export)\s+(type\s+)?([^'"`;]*?)\bfrom\s+'([^']+)'/gm),
  ].map(([, type, names = '', from = '']) => ({
    from,
    target: importedFile(path, from),
    names: names.match(/\w+/g) ?? [],
    typeOnly: type !== undefined || /^\{(\s*type\s+[^,}]+,?)+\s*\}\s*$/.test(names),
  }))
  const others = [...bare.matchAll(/(?:^import\s+|\bimport\(\s*)'([^']+)'/gm)].map(
    ([, from = '']) => ({ from, target: importedFile(path, from), names: [], typeOnly: false }),
  )
  const lines = text.split('\n').length - 1
  return { path, text, bare, lines, imports: [...statements, ...others] }
}
