import { type Difference, type Section, sections } from '#domain/core/difference.ts'
import type {
  Compared,
  Confirmed,
  Page,
  ReconciliationSteps,
} from '../../workflows/reconciliation/activities.ts'
import { LOG_RANGE } from '../chain/log-ranges.ts'
import { whileAlive } from '../runs/heartbeat.ts'
import { listEventsToSee } from '../store/credit/provider-events.ts'
import { readPayout } from '../store/payouts/payouts.ts'
import { transaction } from '../store/postgres/db.ts'
import {
  advanceReconciliation,
  completeReconciliation,
  listDuePayments,
  listDuePayouts,
  listSuspects,
  noteSuspects,
  openReconciliation,
  type ReconciliationRow,
  readSuspects,
  requireReconciliation,
} from '../store/reconciliation/reconciliations.ts'
import { countSeenSince, listSeen, markGone } from '../store/tasks/exceptions.ts'
import { checkBlocks, checkPayments, checkProviderEvents, checkWallets } from './checks.ts'
import { compareEach, type ReconciliationDeps } from './deps.ts'
import { openException } from './open-exception.ts'
import { checkPayouts } from './payouts.ts'
import { makeStatement } from './statement.ts'

const PAGE = 100
/** How many ranges of logs one page may need: a node may answer for 10 blocks at once, a few times a second. */
const RANGES_A_PAGE = 200n

/** One section of the comparison: pages of keys, and the differences of such keys. Suspects are compared again by the same keys. */
type SectionCheck = {
  list(
    deps: ReconciliationDeps,
    run: ReconciliationRow,
    after: string | null,
  ): Promise<{ keys: string[]; after: string | null }>
  keyOf(suspect: { subject: string; blockNumber: string | null }): string
  compare(deps: ReconciliationDeps, keys: string[], run: ReconciliationRow): Promise<Difference[]>
}

const pageOf = (keys: string[]) => ({
  keys,
  after: keys.length < PAGE ? null : (keys.at(-1) ?? null),
})
const bySubject = ({ subject }: { subject: string }) => subject

const sectionChecks: Record<Section, SectionCheck> = {
  payouts: {
    list: async ({ db }, run, after) =>
      pageOf(await listDuePayouts(db, run.changed_since, after, PAGE)),
    keyOf: bySubject,
    compare: checkPayouts,
  },
  payments: {
    list: async ({ db }, run, after) =>
      pageOf(await listDuePayments(db, run.changed_since, after, PAGE)),
    keyOf: ({ subject }) => subject.replace('payment/', ''),
    compare: checkPayments,
  },
  blocks: {
    list: listBlocks,
    keyOf: ({ blockNumber }) => blockNumber ?? '0',
    compare: (deps, keys) =>
      compareEach(keys, (key) => {
        const [from = '0', to = from] = key.split('-')
        return checkBlocks(deps, BigInt(from), BigInt(to))
      }),
  },
  wallets: {
    list: async () => ({ keys: ['all'], after: null }),
    keyOf: () => 'all',
    compare: (deps, _keys, run) => checkWallets(deps, run.changed_since),
  },
  workflows: {
    list: async ({ watch }) => ({ keys: await watch.failed(), after: null }),
    keyOf: bySubject,
    compare: checkWorkflows,
  },
  provider_events: {
    list: async ({ db }, _run, after) => pageOf(await listEventsToSee(db, after, PAGE)),
    keyOf: ({ subject }) => subject.replace('event/', ''),
    compare: checkProviderEvents,
  },
}

/** The steps of a reconciliation. They read everything, and write only what they find. */
export function createReconciliationSteps(deps: ReconciliationDeps): ReconciliationSteps {
  const { db, ledger, settleMs } = deps
  return {
    openReconciliation: async (input) => {
      const finalized = await ledger.block('finalized')
      const row = await openReconciliation(db, { ...input, throughBlock: finalized.number })
      return {
        scope: row.scope,
        fromBlock: row.from_block,
        throughBlock: row.through_block,
        settleMs,
      }
    },
    comparePage: (page) => whileAlive(() => comparePage(deps, page)),
    confirmPage: (page) => whileAlive(() => confirmPage(deps, page)),
    closeReconciliation: ({ reconciliationId }) => closeReconciliation(deps, reconciliationId),
    makeStatement: () => whileAlive(() => makeStatement(deps)),
  }
}

/** The row of a run that has reached this stage; throws for one that has not. Undefined where the stage is done. */
async function runAt(
  { db }: ReconciliationDeps,
  reconciliationId: string,
  stage: number,
): Promise<ReconciliationRow | undefined> {
  const run = await requireReconciliation(db, reconciliationId)
  if (run.stage < stage) throw new Error(`the stages before ${stage} are not done`)
  return run.stage === stage ? run : undefined
}

const placeAfter = (stage: number, after: string | null) => ({
  stage: after === null ? stage + 1 : stage,
  after_key: after,
})

async function comparePage(
  deps: ReconciliationDeps,
  { reconciliationId, section }: Page,
): Promise<Compared> {
  const stage = sections.indexOf(section)
  const check = sectionChecks[section]
  const run = await runAt(deps, reconciliationId, stage)
  let more = false
  if (run !== undefined) {
    const { keys, after } = await check.list(deps, run, run.after_key)
    const differences = await check.compare(deps, keys, run)
    const suspects = differences.map(({ code, subject, blockNumber = null }) => ({
      section,
      code,
      subject,
      blockNumber,
    }))
    await transaction(deps.db, async (tx) => {
      await noteSuspects(tx, reconciliationId, suspects)
      await advanceReconciliation(tx, run, { ...placeAfter(stage, after), compared: keys.length })
    })
    more = after !== null
  }
  const { compared } = await requireReconciliation(deps.db, reconciliationId)
  return { more, compared, suspects: (await readSuspects(deps.db, reconciliationId)).count }
}

/** How much earlier than the workflow's timer this clock may find that transfers in flight have landed. */
const CLOCKS_APART_MS = 1_000

async function confirmPage(
  deps: ReconciliationDeps,
  { reconciliationId, section }: Page,
): Promise<Confirmed> {
  const stage = sections.length + sections.indexOf(section)
  const check = sectionChecks[section]
  const run = await runAt(deps, reconciliationId, stage)
  if (run === undefined) return { more: false, opened: [] }
  const { count, quietMs } = await readSuspects(deps.db, reconciliationId)
  if (count > 0 && quietMs < deps.settleMs - CLOCKS_APART_MS)
    throw new Error('transfers in flight have not had the time to land')
  const page = { reconciliationId, section, after: run.after_key }
  const suspects = await listSuspects(deps.db, page, PAGE)
  const keys = [...new Set(suspects.map(check.keyOf))]
  const lasting = (await check.compare(deps, keys, run)).filter(({ code, subject }) =>
    suspects.some((suspect) => suspect.subject === subject && suspect.codes.includes(code)),
  )
  const opened: string[] = []
  for (const difference of lasting) {
    if (await openException(deps, reconciliationId, difference))
      opened.push(`${difference.code} ${difference.subject}`)
  }
  if (section === 'payouts') await showInTemporal(deps, lasting)
  const after = suspects.length < PAGE ? null : (suspects.at(-1)?.subject ?? null)
  await advanceReconciliation(deps.db, run, placeAfter(stage, after))
  return { more: after !== null, opened }
}

/** Completes a run; throws where a section was not compared, or its suspects not confirmed. */
async function closeReconciliation({ db }: ReconciliationDeps, reconciliationId: string) {
  const { started_at, stage, compared } = await requireReconciliation(db, reconciliationId)
  const suspects = (await readSuspects(db, reconciliationId)).count
  const isDone = stage === 2 * sections.length || (stage === sections.length && suspects === 0)
  if (!isDone) throw new Error('the reconciliation has not compared everything')
  return transaction(db, async (tx) => {
    await markGone(tx, started_at)
    const differences = await countSeenSince(tx, started_at)
    await completeReconciliation(tx, reconciliationId, differences)
    return { compared, differences }
  })
}

/** Makes the workflows of the payouts show that an operator is needed. */
async function showInTemporal(
  { db, watch }: ReconciliationDeps,
  differences: readonly Difference[],
): Promise<void> {
  await compareEach([...new Set(differences.map(bySubject))], async (payoutId) => {
    const record = await readPayout(db, payoutId)
    if (record !== undefined) await watch.show(record)
    return []
  })
}

/** The blocks since the last run, in stretches that a node answers for, and first of all those that held a difference then. */
async function listBlocks(deps: ReconciliationDeps, run: ReconciliationRow, after: string | null) {
  const [first, through] = [BigInt(run.from_block), BigInt(run.through_block)]
  const again =
    after === null
      ? (await listSeen(deps.db, 'blocks')).flatMap(({ block_number: at }) =>
          at !== null && BigInt(at) < first ? [at] : [],
        )
      : []
  const keys = [...new Set(again)]
  const most = RANGES_A_PAGE * deps.ledger.logRange()
  const stretch = most < LOG_RANGE ? most : LOG_RANGE
  let from = after === null ? first : BigInt(after) + 1n
  const end = from + most
  while (from <= through && from < end && keys.length < again.length + PAGE) {
    const to = from + stretch - 1n < through ? from + stretch - 1n : through
    keys.push(`${from}-${to}`)
    from = to + 1n
  }
  return { keys, after: from > through ? null : (from - 1n).toString() }
}

/** Payouts and payments whose last run failed. If a later run continued one, there is no difference. */
async function checkWorkflows({ watch }: ReconciliationDeps, ids: string[]): Promise<Difference[]> {
  return compareEach(ids, async (id) => {
    const { status } = await watch.see(id)
    if (status !== 'FAILED' && status !== 'TIMED_OUT') return []
    return [
      {
        code: 'workflow_failed' as const,
        subject: id,
        evidence: { stored: null, found: { status } },
      },
    ]
  })
}
