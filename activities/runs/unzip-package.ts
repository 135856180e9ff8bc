import { unzipSync } from 'fflate'
import { textOf } from '#domain/core/strict-json.ts'
import { SIGNATURE_FILE } from '#domain/runs/return-package.ts'
import type { PackageParts } from '#domain/verification/return-package.ts'

const FILES_MAX = 64
const BYTES_MAX = 256 * 1024 * 1024

/** Whether these bytes begin as a zip does. */
export const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b

/**
 * The parts of a return package from its zip; undefined for anything that is none: more or larger files than a package has, one
 * name twice, a file that is not text, or a zip that has others for who reads it from its beginning.
 */
export function unzipPackage(zip: Uint8Array): PackageParts | undefined {
  const names = new Set<string>()
  let [entries, bytes] = [0, 0]
  try {
    if (!readsOneWay(zip)) return undefined
    const files = unzipSync(zip, {
      filter: ({ name, originalSize }) => {
        entries += 1
        bytes += originalSize
        names.add(name)
        if (entries > FILES_MAX || bytes > BYTES_MAX) throw new RangeError('it is too large')
        return true
      },
    })
    if (names.size !== entries) return undefined
    const texts = Object.entries(files).map(([name, content]) => [name, textOf(content)] as const)
    if (texts.some(([, text]) => text === undefined)) return undefined
    const found = Object.fromEntries(texts) as Record<string, string>
    const { [SIGNATURE_FILE]: completionSignature = '', ...rest } = found
    return { files: rest, completionSignature }
  } catch {
    return undefined
  }
}

const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50]

/**
 * Whether a zip has the same files for a reader of its directory and for one that begins at its first byte (APPNOTE 4.3): its entries
 * follow one another up to the directory, each with the header that the directory repeats. Throws for what is no zip.
 */
function readsOneWay(zip: Uint8Array): boolean {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength)
  const [long, short] = [
    (at: number) => view.getUint32(at, true),
    (at: number) => view.getUint16(at, true),
  ]
  const isSame = (one: number, other: number, bytes: number) =>
    zip.subarray(one, one + bytes).every((byte, at) => byte === zip[other + at])
  let end = zip.length - 22
  while (long(end) !== END) end -= 1
  const directory = long(end + 16)
  let [entry, described] = [0, directory]
  for (let left = short(end + 10); left > 0; left -= 1) {
    const name = short(described + 28)
    const isHere = long(entry) === LOCAL && long(described) === CENTRAL
    // From the version that is needed to the length of the name, and the name.
    const repeats = isSame(entry + 4, described + 6, 24) && isSame(entry + 30, described + 46, name)
    if (!isHere || !repeats || long(described + 42) !== entry) return false
    entry += 30 + name + short(entry + 28) + long(described + 20)
    described += 46 + name + short(described + 30) + short(described + 32)
  }
  return entry === directory && described === end
}
