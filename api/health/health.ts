import { pauseNote } from '#domain/payouts/controls.ts'
import { describeFaulty, type NodeState } from '../../activities/chain/chain-nodes.ts'
import { signerProbe } from '../../activities/signer/open.ts'
import { describeGasWallets, readGasWallets } from '../../activities/store/gas-wallets/health.ts'
import { listPauses } from '../../activities/store/operators/controls.ts'
import { CannotWrite, databaseSkewMs, probeWrites } from '../../activities/store/postgres/health.ts'
import { ourSchema } from '../../activities/store/postgres/migrate.ts'
import { findMisfit } from '../../activities/store/postgres/schema-version.ts'
import { PAYOUTS_QUEUE } from '../../temporal/queues.ts'
import { countPollers } from '../../temporal/readiness.ts'
import { describeMissing, missingSearchAttributes } from '../../temporal/search-attributes.ts'
import type { Adapters } from '../adapters.ts'
import type { HealthCommands } from '../shapes/documents.ts'

type State = { ok: boolean; detail: string }

const SKEW_MS_MAX = 5_000
/** How long Temporal has to answer. */
const TEMPORAL_MS = 1_000
/** Without these nothing is paid and no receipt is signed; all else continues. */
const forPayouts: readonly string[] = ['chain', 'signer']
/** A node with a fault is named; another one, or `chain` being away, decides what fails. */
const forNoCall: readonly string[] = ['nodes']

const fine = (detail: string): State => ({ ok: true, detail })
const answers = () => fine('answers')

/**
 * Readiness by dependency. Each has 1.2 s to answer. A pause is intended, and a jammed gas wallet recovers by itself: both are
 * reported and never make the service unready.
 */
export function createHealth({ config, db, client, chain }: Adapters): HealthCommands {
  const askSigner = signerProbe(config)
  const read = async (): Promise<Record<string, State>> => {
    const skew = databaseSkewMs(db)
    const pollers = countPollers(client, PAYOUTS_QUEUE, TEMPORAL_MS)
    const states = {
      postgres: state(skew, answers),
      schema: state(findMisfit(db, ourSchema), (misfit) =>
        misfit === undefined
          ? fine('this program may use it')
          : { ok: false, detail: misfit.message },
      ),
      disk: state(probeWrites(db), () => fine('Postgres can write')),
      temporal: state(pollers, answers),
      search_attributes: state(missingSearchAttributes(client, TEMPORAL_MS), describeMissing),
      workers: state(pollers, (count) => ({ ok: count > 0, detail: `${count} polling` })),
      signer: state(askSigner(), answers),
      chain: state(chain.isUp(), (up) => (up ? answers() : { ok: false, detail: SILENT })),
      nodes: state(chain.nodes(), describeNodes),
      clock: state(skew, (ms) => ({
        ok: Math.abs(ms) <= SKEW_MS_MAX,
        detail: `${ms} ms from this process's clock`,
      })),
      switches: informative(listPauses(db), (active) => pauseNote(active) ?? 'nothing is paused'),
      lane: informative(readGasWallets(db, config.GAS_WALLET_JAM_AFTER_MS), describeGasWallets),
    }
    return Object.fromEntries(
      await Promise.all(
        Object.entries(states).map(async ([name, asked]) => [name, await asked] as const),
      ),
    )
  }
  return {
    dependencies: read,
    ready: async (purpose) => {
      const checks = await read()
      const failing = Object.keys(checks).filter((name) => checks[name]?.ok === false)
      const bearable = purpose === 'payouts' ? forNoCall : [...forPayouts, ...forNoCall]
      const degraded = failing.filter((at) => bearable.includes(at))
      return { ok: failing.length === degraded.length, degraded, checks }
    },
  }
}

const SILENT = 'does not answer'

function describeNodes(nodes: readonly NodeState[]): State {
  const faulty = describeFaulty(nodes)
  return faulty.length === 0
    ? fine(nodes.length === 1 ? '1 node answers' : `${nodes.length} nodes answer and agree`)
    : { ok: false, detail: faulty.join('; ') }
}

const informative = async <T>(
  asked: Promise<T>,
  describe: (value: T) => string,
): Promise<State> => ({ ...(await state(asked, (value) => fine(describe(value)))), ok: true })

async function state<T>(asked: Promise<T>, check: (value: T) => State): Promise<State> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<State>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, detail: 'does not answer in time' }), 1_200)
  })
  const checked = asked.then(check).catch((error: unknown) => ({
    ok: false,
    detail: error instanceof CannotWrite ? error.message : SILENT,
  }))
  return Promise.race([checked, late]).finally(() => clearTimeout(timer))
}
