import type { PackageItem } from '#domain/commerce/claims.ts'
import type {
  CommerceFacts,
  EvidenceItem,
  MandateFacts,
  RecordedPackage,
} from '#domain/commerce/facts.ts'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import type { MadePackage, ReturnPackage } from '#domain/runs/return-package.ts'
import { publishedKey } from '../../../activities/keys/published-key.ts'
import { returnPackageView } from '../../../activities/runs/isolation/return-package-zip.ts'
import { findAuthorityMandate } from '../../../activities/store/authority/mandates.ts'
import { agentOfReceipt, findOwnPackage } from '../../../activities/store/commerce/records.ts'
import { listPublicKeys } from '../../../activities/store/keys/signing-keys.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { findStart } from '../../../activities/store/production/production-writes.ts'
import { findReceipt } from '../../../activities/store/receipts/receipts.ts'
import type { ReturnPackageRow } from '../../../activities/store/runs/runs.ts'
import { isDelivered } from '../tasks/outcome.ts'
import type { CommerceDeps } from './deps.ts'
import type { CommerceRequest } from './request.ts'

/** The texts of larger packages are not searched for claims: they would hold up every other call of this process. */
const SEARCHED_BYTES_MAX = 256 * 1024

export type PackageDeps = Pick<CommerceDeps, 'db' | 'packages'>

/** A delivered package of a run of this agent as its record has it, with its files; null where there is none. */
export async function readPackage(
  { db, packages }: PackageDeps,
  packageId: string,
  agentId: string | undefined,
): Promise<{
  recorded: RecordedPackage
  items: PackageItem[]
  entitlementId: string | null
  startedBy: CommerceFacts['startedBy']
} | null> {
  const found = agentId === undefined ? undefined : await findOwnPackage(db, packageId, agentId)
  if (found === undefined || !(await isDelivered(db, found.task.task_id))) return null
  const { made: row, task, bytes } = found
  const made = row.package as MadePackage
  const faults = await packageFaults({ db, packages }, row)
  const texts: Record<string, string> =
    bytes > SEARCHED_BYTES_MAX
      ? {}
      : {
          'result.json': canonicalJson(made.result),
          'findings.json': canonicalJson(made.findings),
          'gaps.json': canonicalJson(made.gaps),
        }
  return {
    recorded: {
      rail: task.rail,
      usage: task.usage,
      madeAt: row.made_at.getTime() / 1000,
      faults,
      isReviewed: task.review_decision !== null,
    },
    items: made.files.map(({ name, sha256, bytes: size }) => ({
      name,
      sha256,
      bytes: size,
      text: texts[name] ?? null,
    })),
    entitlementId: task.entitlement_id,
    startedBy: await findStart(db, task.task_id),
  }
}

/** The checks that a stored package fails now. */
export function packageFaults(
  deps: PackageDeps,
  { package: stored, completion_signature }: ReturnPackageRow,
): Promise<string[]> {
  const receipts = { settlement_receipt_id: null, usage_receipt_id: null }
  return faultsOf(deps, returnPackageView(stored as MadePackage, completion_signature, receipts))
}

/** The checks that a package fails now: digests, proof hash and signature are computed again. */
export async function faultsOf(
  { db, packages }: PackageDeps,
  view: ReturnPackage,
): Promise<string[]> {
  const published = (await listPublicKeys(db)).filter(({ ring }) => ring === 'receipt')
  const report = await packages.verify({ view, keys: { keys: published.map(publishedKey) } })
  return report.verdict === 'proven'
    ? []
    : report.checks.filter(({ ok }) => !ok).map(({ check }) => check)
}

/** Each piece of evidence; a receipt that it names is looked up and verified, and gives it its date. */
export function readEvidence(
  { db, receipts }: Pick<CommerceDeps, 'db' | 'receipts'>,
  { evidence }: Pick<CommerceRequest, 'evidence'>,
): Promise<EvidenceItem[]> {
  return Promise.all(
    evidence.map(async ({ id, text, dated, receipt_id }) => {
      const given = text !== undefined || receipt_id !== undefined
      if (receipt_id === undefined)
        return {
          id,
          dated: dated === undefined ? null : Date.parse(dated) / 1000,
          given,
          receipt: null,
        }
      const stored = await findReceipt(db, { receipt_id })
      if (stored === undefined)
        return { id, dated: null, given, receipt: { found: false } as const }
      const { verified, payload } = await receipts.verify({ receipt_id })
      const iat = payload?.['iat']
      return {
        id,
        dated: typeof iat === 'number' ? iat : null,
        given,
        receipt: { found: true, verified, agentId: await agentOfReceipt(db, receipt_id) } as const,
      }
    }),
  )
}

/** The mandate that a request names, if it is one of this agent. */
export async function readMandate(
  tx: Tx,
  mandateId: string | undefined,
  agentId: string | undefined,
): Promise<MandateFacts> {
  if (mandateId === undefined) return { kind: 'none' }
  const row = await findAuthorityMandate(tx, mandateId)
  if (row === undefined || row.agent_id !== agentId) return { kind: 'unknown' }
  const now = (await clockSeconds(tx)) * 1000
  return {
    kind: 'recorded',
    revoked: row.revoked_at !== null,
    inForce: row.valid_from.getTime() <= now && now < row.expires_at.getTime(),
    rails: row.document.rails,
  }
}
