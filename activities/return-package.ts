import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { resultContractVersion } from '../workflows/domain/contract-sets.ts'
import {
  type MadePackage,
  type ResultContract,
  type ReturnPackage,
  SIGNATURE_FILE,
} from '../workflows/domain/return-package.ts'
import type { PackageParts } from '../workflows/domain/verification/return-package.ts'

/** The package as JSON; the receipts are those known by now, since they come after the package and are no part of its proof. */
export function returnPackageView(
  made: MadePackage,
  completion_signature: string,
  receipts: Pick<ResultContract, 'settlement_receipt_id' | 'usage_receipt_id'>,
): ReturnPackage {
  return { ...made, completion_signature, result_contract: { ...resultContractVersion, ...receipts } }
}

/** Zip has no time zone: this is its first day wherever the process runs, so that equal files are equal bytes. */
const firstDay = (): Date => new Date(1980, 0, 1)

/** Texts by name as a zip. */
export function zipTexts(texts: Readonly<Record<string, string>>): Uint8Array {
  const entries = Object.entries(texts).map(([name, text]) => [name, strToU8(text)])
  return zipSync(Object.fromEntries(entries), { mtime: firstDay(), os: 3, attrs: 0o644 << 16 })
}

const UNZIPPED_BYTES_MAX = 512 * 1024 * 1024
/** A package has four; many entries of a zip may stand for the same bytes. */
const FILES_MAX = 100

/** Takes a zip of ours apart for verification; throws where it is none, is too large unpacked, or holds a name twice. */
export function unzipReturnPackage(zip: Uint8Array): PackageParts {
  const names = new Set<string>()
  let bytes = 0
  const entries = unzipSync(zip, {
    filter: ({ name, originalSize }) => {
      bytes += originalSize
      if (names.size === FILES_MAX) throw new Error(`the zip holds more than ${FILES_MAX} files`)
      if (names.has(name)) throw new Error(`the zip holds ${name} twice`)
      if (bytes > UNZIPPED_BYTES_MAX) throw new Error(`the zip is over ${UNZIPPED_BYTES_MAX} bytes unpacked`)
      names.add(name)
      return true
    },
  })
  const texts = Object.entries(entries).map(([name, content]) => [name, strFromU8(content)] as const)
  const files = Object.fromEntries(texts.filter(([name]) => name !== SIGNATURE_FILE))
  return { files, completionSignature: texts.find(([name]) => name === SIGNATURE_FILE)?.[1] ?? '' }
}
