import { sha256Hex } from '../core/canonical-json.ts'
import { receiptId } from '../core/ids.ts'
import type { ReplayPackage } from '../runs/replay-package.ts'
import type { Findings } from './report.ts'

type Read = { jws: string; payload: Record<string, unknown> }
type Claims = { payload: Record<string, unknown> } | { fault: string }

/**
 * That every receipt is signed, that those of the task itself are whole chains, that what the ledger cites is here, and that no
 * receipt names another ledger; returns the claims of all that are signed.
 */
export function checkReceipts(
  findings: Findings,
  made: ReplayPackage,
  read: (jws: string) => Claims,
): Record<string, unknown>[] {
  const claims = made.receipts.map((jws) => ({ jws, claims: read(jws) }))
  const unsigned = claims.find(({ claims }) => 'fault' in claims)
  const fault =
    unsigned && 'fault' in unsigned.claims
      ? `${receiptId(unsigned.jws)}: ${unsigned.claims.fault}`
      : undefined
  findings.note('receipts', fault, `${made.receipts.length}, each signed`)
  const receipts = claims.flatMap(({ jws, claims }) =>
    'fault' in claims ? [] : [{ jws, payload: claims.payload }],
  )
  findings.note(
    'receipt chains',
    chainFault(receipts, ownSubjects(made)),
    'whole, and of this task and its ledger',
  )
  findings.note('cited receipts', citedFault(made), 'all that the ledger cites')
  findings.note(
    'receipt facts',
    factFault(receipts, made),
    'no receipt names another ledger or issuer',
  )
  return receipts.map(({ payload }) => payload)
}

/** The task, its run and its exceptions: who has one receipt of them has to have all. */
function ownSubjects({ task_id, ledger, exception_id }: ReplayPackage): string[] {
  const runs = ledger.flatMap(({ data: { run_id } }) =>
    typeof run_id === 'string' ? [run_id] : [],
  )
  return [task_id, ...runs, ...(exception_id === null ? [] : [exception_id])]
}

function chainFault(receipts: readonly Read[], own: readonly string[]): string | undefined {
  const subjects = new Set(own)
  const heads = new Map<unknown, string>()
  for (const { jws, payload } of receipts) {
    const { sub, prev } = payload
    if (!subjects.has(String(sub))) continue
    if (prev !== (heads.get(sub) ?? null))
      return `${receiptId(jws)} does not follow the receipt of ${String(sub)} before it`
    heads.set(sub, sha256Hex(jws))
  }
  return undefined
}

/** The receipts that an entry of the ledger cites, by the members that name one; what a caller wrote cites nothing. */
export const citedReceipts = ({ data }: Pick<ReplayPackage['ledger'][number], 'data'>): string[] =>
  Object.entries(data).flatMap(([name, value]) =>
    /(^|_)receipt_id$/.test(name) && typeof value === 'string' && value.startsWith('rc_')
      ? [value]
      : [],
  )

function citedFault({ ledger, receipts }: ReplayPackage): string | undefined {
  const here = new Set(receipts.map(receiptId))
  for (const entry of ledger) {
    const missing = citedReceipts(entry).find((cited) => !here.has(cited))
    if (missing !== undefined) return `entry ${entry.sequence} cites ${missing}, which is missing`
  }
  return undefined
}

function factFault(
  receipts: readonly Read[],
  { issuer, task_id, ledger }: ReplayPackage,
): string | undefined {
  const hashes = new Set<unknown>(ledger.map(({ hash }) => hash))
  const other = receipts.find(({ payload: { iss, task_id: of, ledger_head } }) => {
    const ofThis = of === undefined || of === task_id
    return iss !== issuer || !ofThis || (ledger_head !== undefined && !hashes.has(ledger_head))
  })
  return other && `${receiptId(other.jws)} is of another issuer, task or ledger`
}
