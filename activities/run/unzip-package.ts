import { unzipSync } from 'fflate'
import { SIGNATURE_FILE } from '#domain/runs/return-package.ts'
import type { PackageParts } from '#domain/verification/return-package.ts'
import { textOf } from '#domain/verification/strict-json.ts'

const FILES_MAX = 64
const BYTES_MAX = 256 * 1024 * 1024

/** Whether these bytes begin as a zip does. */
export const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b

/**
 * The parts of a return package from its zip; undefined for anything that is none: more or larger files than a package has, one
 * name twice, or a file that is not text.
 */
export function unzipPackage(zip: Uint8Array): PackageParts | undefined {
  const names = new Set<string>()
  let [entries, bytes] = [0, 0]
  try {
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
