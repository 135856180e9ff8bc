import { posix } from 'node:path'
import { partsOf } from './parts.ts'
import { Unreadable } from './unreadable.ts'
import { readXml } from './xml.ts'

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
