import { promisify } from 'node:util'
import { type AsyncZipOptions, type AsyncZippable, strToU8, zip } from 'fflate'
import { resultContractVersion } from '#domain/core/contract-sets.ts'
import type { MadePackage, ResultContract, ReturnPackage } from '#domain/runs/return-package.ts'

/** The package as JSON; the receipts are those known by now, since they come after the package and are no part of its proof. */
export function returnPackageView(
  made: MadePackage,
  completion_signature: string,
  receipts: Pick<ResultContract, 'settlement_receipt_id' | 'usage_receipt_id'>,
): ReturnPackage {
  return {
    ...made,
    completion_signature,
    result_contract: { ...resultContractVersion, ...receipts },
  }
}

/** Zip has no time zone: this is its first day wherever the process runs, so that equal files are equal bytes. */
const firstDay = (): Date => new Date(1980, 0, 1)

const zipFiles = promisify<AsyncZippable, AsyncZipOptions, Uint8Array>(zip)

/** Texts by name as a zip; large ones are compressed in threads. */
export function zipTexts(texts: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const entries = Object.entries(texts).map(([name, text]) => [name, strToU8(text)])
  return zipFiles(Object.fromEntries(entries), { mtime: firstDay(), os: 3, attrs: 0o644 << 16 })
}
