import { unzipSync } from 'fflate'
import { extractLimits, OTHER_TYPE, Unreadable } from './unreadable.ts'

const MB = 1024 * 1024

/**
 * The wanted files of a zip, by name. Declared sizes are held against the limits before anything is inflated, and nothing inflates
 * to more than it declares. Throws `Unreadable`.
 */
export function partsOf(
  bytes: Uint8Array,
  isWanted: (name: string) => boolean,
): Map<string, Uint8Array> {
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
