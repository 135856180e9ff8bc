import { readFileSync } from 'node:fs'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { type Checkpoint, cosignedAt, openByAny } from '#domain/log/checkpoint.ts'
import { isSame } from '#domain/log/merkle.ts'
import {
  type Continuation,
  continuationText,
  logOrigin,
  logOrigins,
  lossOf,
} from '#domain/log/origin.ts'
import type { Config } from '../../activities/config/config.ts'
import { createProver } from '../../activities/log/proofs.ts'
import { noteKeyOf } from '../../activities/log/sequencer.ts'
import { openKeyRings } from '../../activities/signer/open.ts'
import { findCheckpoint } from '../../activities/store/log/checkpoints.ts'
import { createDatabase, type Tx } from '../../activities/store/postgres/db.ts'
import { print, printJson } from '../print.ts'
import { loadSettings } from '../settings.ts'
import { monitorUrl, readNote } from '../witness/log-reader.ts'
import { type Check, type Finding, fault, fine, runCheck } from './check.ts'
import { examine, tableOf } from './examine.ts'

const KEEP_STOPPED =
  'Start no worker of the queues transfers and payouts, and follow docs/operations.md, Backup and restore.'
const continueWith = (before: string, continuation: Continuation) =>
  `Set LOG_CONTINUES=${before === '' ? '' : `${before}/`}${continuationText(continuation)} for the signer and all workers before one of them starts: the log continues under a new origin that names what is lost (docs/operations.md, Backup and restore).`
const NAME_ONE =
  'Name the last checkpoint that is known outside: --checkpoint FILE or URL, or a witness in LOG_WITNESSES.'
const isUrl = /^https?:\/\//
/** A comparison reads every payout and every block. */
const COMPARE_WITHIN_MS = 600_000

/** Prints what a restore left wrong: the checks of `doctor`, of the log and of all rows. Returns whether nothing has to be done. */
export async function printRestoreCheck(given: readonly string[], json: boolean): Promise<boolean> {
  const config = loadSettings()
  const checks = [...(await examine()), ...(await checkLog(config, given)), await compareAll()]
  const ok = checks.every((check) => check.ok)
  if (json) printJson({ ok, checks })
  else print(tableOf(checks))
  return ok
}

/** Holds the restored log to every checkpoint that is known outside. */
async function checkLog(config: Config, given: readonly string[]): Promise<Check[]> {
  // A checkpoint from outside may be of a log that this one continues.
  const origins = logOrigins(config.BASE_URL, config.LOG_CONTINUES)
  const current = logOrigin(config.BASE_URL, config.LOG_CONTINUES)
  const ofWitnesses = config.LOG_WITNESSES.flatMap(({ key, url }) =>
    url === null ? [] : [{ place: monitorUrl(url, current), witness: key }],
  )
  const places = [...given.map((place) => ({ place, witness: undefined })), ...ofWitnesses]
  if (places.length === 0)
    return [{ name: 'log', ...fault('no checkpoint from outside is known', NAME_ONE) }]
  const settings = { url: config.DATABASE_URL, applicationName: 'agent-rails restore check' }
  const { db, close } = createDatabase({ ...settings, poolSize: 2 })
  const readKeys = async () => {
    const { publicKeys } = (await openKeyRings(config)).log
    return publicKeys.flatMap(({ publicJwk }) =>
      origins.map((origin) => noteKeyOf(origin, publicJwk)),
    )
  }
  try {
    const known = readKeys()
    return await Promise.all(
      places.map(({ place, witness }) =>
        runCheck(`log against ${place}`, NAME_ONE, async () => {
          const keys = await known
          const note = isUrl.test(place) ? await readNote(place) : readFileSync(place, 'utf8')
          const opened = openByAny(note, keys)
          if (!opened.ok) return fault(`no checkpoint of this log: ${opened.fault}`, NAME_ONE)
          if (witness !== undefined && cosignedAt(opened.note, witness) === undefined)
            return fault(`${witness.name} has not cosigned the checkpoint`, NAME_ONE)
          return judge(db, { ...opened.checkpoint, sha256: sha256Hex(opened.note.text) }, config)
        }),
      ),
    )
  } finally {
    await close()
  }
}

type Seen = Checkpoint & { readonly sha256: string }

async function judge(
  db: Tx,
  seen: Seen,
  { BASE_URL, LOG_CONTINUES }: Pick<Config, 'BASE_URL' | 'LOG_CONTINUES'>,
): Promise<Finding> {
  const { size = 0 } = (await findCheckpoint(db)) ?? {}
  const last = { origin: seen.origin, index: seen.size - 1 }
  const known = lossOf(logOrigin(BASE_URL, LOG_CONTINUES), last)
  if (known !== undefined && (seen.size < known.witnessed || seen.sha256 === known.checkpoint))
    return fine(
      `the leaves ${known.restored} to ${known.witnessed - 1} are lost, and the log continues under a new origin that says so`,
    )
  if (size < seen.size)
    return fault(
      `the checkpoint has ${seen.size} leaves and this database ${size}: the leaves ${size} to ${seen.size - 1} are lost`,
      continueWith(LOG_CONTINUES, {
        restored: size,
        witnessed: seen.size,
        checkpoint: seen.sha256,
      }),
    )
  if (!isSame(await createProver(db).rootAt(seen.size), seen.root))
    return fault(`the first ${seen.size} leaves are not those of the checkpoint`, KEEP_STOPPED)
  return fine(`all ${seen.size} leaves of the checkpoint are here, among ${size}`)
}

/** Chain, rows, workflows, receipts, charges and the nonces of the gas wallets. */
async function compareAll(): Promise<Check> {
  const remedy = 'Start a worker of the queues payouts and transfers, and run this again.'
  const compare = async (): Promise<Finding> => {
    const { openRecovery } = await import('../recovery-service.ts')
    await using service = await openRecovery()
    const { differences } = await service.reconcile()
    if (differences === 0) return fine('rows, receipts, charges, gas wallets and chain agree')
    const seen = (await service.exceptions()).filter((one) => one.seen)
    const text = seen.map(({ code, subject }) => `${code} ${subject}`).join(', ')
    return fault(
      `${differences} differences: ${text}`,
      'Read them with npx agent-rails recover exceptions; docs/operations.md, Reconciliation, says what resolves each code.',
    )
  }
  return runCheck('rows against the chain', remedy, compare, COMPARE_WITHIN_MS)
}
