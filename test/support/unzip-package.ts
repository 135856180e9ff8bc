import { strFromU8, unzipSync } from 'fflate'
import { SIGNATURE_FILE } from '#domain/runs/return-package.ts'
import type { PackageParts } from '#domain/verification/return-package.ts'

/** The parts of a return package from its zip. The service itself writes zips and reads none. */
export function unzipReturnPackage(zip: Uint8Array): PackageParts {
  const texts = Object.entries(unzipSync(zip)).map(
    ([name, content]) => [name, strFromU8(content)] as const,
  )
  const files = Object.fromEntries(texts.filter(([name]) => name !== SIGNATURE_FILE))
  return { files, completionSignature: texts.find(([name]) => name === SIGNATURE_FILE)?.[1] ?? '' }
}
