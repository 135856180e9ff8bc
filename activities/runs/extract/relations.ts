import { posix } from 'node:path'
import { unzipSync } from 'fflate'
import { extractLimits, OTHER_TYPE, Unreadable } from './unreadable.ts'
import { readXml } from './xml.ts'

const MB = 1024 * 1024

/**
 * The wanted files of a zip, by name. Declared sizes are held against the limits before anything is inflated, and nothing inflates
 * to more than it declares. Throws `Unreadable`.
 */
function partsOf(bytes: Uint8Array, isWanted: (name: string) => boolean): Map<string, Uint8Array> {
  assertZip(bytes)
  const names = new Set<string>()
  let inflated = 0
  const files = unzipSync(bytes, {
    filter: ({ name, size, originalSize }) => {
      inflated += originalSize
      if (names.has(name)) throw new Unreadable(`has two parts of the name ${name.slice(0, 100)}`)
      names.add(name)
      if (names.size > extractLimits.entriesMax)
        throw new Unreadable(`has more than ${extractLimits.entriesMax} parts`)
      if (inflated > extractLimits.inflatedBytesMax)
        throw new Unreadable(`inflates to more than ${extractLimits.inflatedBytesMax} bytes`)
      if (originalSize > MB && originalSize > size * extractLimits.ratioMax)
        throw new Unreadable(`has a part that grows more than ${extractLimits.ratioMax} times`)
      return isWanted(name)
    },
  })
  return new Map(Object.entries(files))
}

function assertZip(bytes: Uint8Array): void {
  const [a, b, c, d] = bytes
  if (a === 0xd0 && b === 0xcf && c === 0x11 && d === 0xe0)
    throw new Unreadable('is encrypted, or of an old binary format')
  if (a !== 0x50 || b !== 0x4b) throw new Unreadable(OTHER_TYPE)
}

type Relation = { id: string; type: string; target: string }

/** The parts that a part of an Office file names; those outside of the file are left out. */
export function relationsOf(part: string, xml: Uint8Array | undefined): Relation[] {
  const relations: Relation[] = []
  if (xml === undefined) return relations
  readXml(xml, {
    open: (name, { Id = '', Type = '', Target = '', TargetMode }) => {
      if (name !== 'Relationship' || TargetMode === 'External') return
      const target = posix.join(Target.startsWith('/') ? '/' : `/${posix.dirname(part)}`, Target)
      relations.push({
        id: Id,
        type: Type.slice(Type.lastIndexOf('/') + 1),
        target: target.slice(1),
      })
    },
  })
  return relations
}

export const relationsName = (part: string): string =>
  posix.join(posix.dirname(part), '_rels', `${posix.basename(part)}.rels`)

/** The name of the main part of an Office file, as its root relations give it. */
export function mainPartOf(bytes: Uint8Array): string {
  const root = '_rels/.rels'
  const relations = relationsOf('', partsOf(bytes, (name) => name === root).get(root))
  const main = relations.find(({ type }) => type === 'officeDocument')
  if (main === undefined) throw new Unreadable('is a zip and no Office file')
  return main.target
}

/** The parts of these names; throws `Unreadable` without the first. */
export function namedParts(bytes: Uint8Array, main: string, others: readonly string[]) {
  const parts = partsOf(bytes, (name) => name === main || others.includes(name))
  const first = parts.get(main)
  if (first === undefined) throw new Unreadable('lacks its main part')
  return { main: first, parts }
}
