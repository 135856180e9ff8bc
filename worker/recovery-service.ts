import { REPLAY_TYP } from '#domain/receipts/dated-back.ts'
import { openChain, railOf, signerOf, taskDepsOf } from '../activities/container.ts'
import { publishKeys } from '../activities/keys/publish-keys.ts'
import { openKeyRings } from '../activities/signer/open.ts'
import { readPayout } from '../activities/store/payouts/payouts.ts'
import { createChanges } from '../activities/store/postgres/changes.ts'
import { createDatabase } from '../activities/store/postgres/db.ts'
import { listOpenExceptions } from '../activities/store/tasks/exceptions.ts'
import {
  type CloseInput,
  closeWithReceipt,
  exceptionView,
} from '../api/services/reconciliation/reconciliation.ts'
import {
  type CommandResult,
  type OperatorCommand,
  runCommand,
  tryCommand,
} from '../api/services/recovery/commands.ts'
import { explain, listLines, subjectOf, tracesOf } from '../api/services/recovery/list.ts'
import { readReplayPackage } from '../api/services/tasks/replay-package.ts'
import { createTemporalClient } from '../temporal/connection.ts'
import { targetAges } from '../temporal/late-rows.ts'
import { reconcileNow, watchWorkflows } from '../temporal/reconciliation.ts'
import { createTaskGateway } from '../temporal/tasks.ts'
import { errorText } from './error-text.ts'
import { operatorOf, signed } from './services.ts'
import { loadSettings } from './settings.ts'

/** How long Temporal has for all that one look asks it; one that is there but does not answer is an error, not a wait. */
const LOOK_MS = 30_000

/** Where payouts and tasks are found, explained and recovered, each act with its signed receipt. */
export async function openRecovery() {
  const config = loadSettings()
  const { db, close } = createDatabase({
    url: config.DATABASE_URL,
    applicationName: 'agent-rails cli',
    poolSize: 4,
  })
  const temporal = createTemporalClient(config)
  const { chain, findOutcome } = openChain(config)
  const ages = targetAges(config)
  const deps = { ages, client: temporal.client, db, findOutcome, nodes: chain.nodes }
  const look = <T>(ask: () => Promise<T>) => temporal.client.withDeadline(Date.now() + LOOK_MS, ask)
  return {
    list: (stuck: boolean) => look(() => listLines(deps, stuck)),
    explain: (id: string) =>
      look(async () => ({
        ...(await explain(deps, id)),
        trace_ids: await tracesOf(deps, await subjectOf(deps, id)),
      })),
    /** Runs the command on each of these, one after the other, or only tries it. A refusal is reported with its reason, and the others continue. */
    act: async (
      who: string,
      commands: readonly OperatorCommand[],
      dryRun: boolean,
    ): Promise<Outcome[]> => {
      const keys = await openKeyRings(config)
      await publishKeys(db, keys)
      const changes = createChanges(config.DATABASE_URL)
      const gateway = createTaskGateway({ ...deps, changes, config })
      const acting = { ...deps, gateway, tasks: taskDepsOf(config, keys, db) }
      const act = dryRun ? tryCommand : runCommand
      try {
        const operator = await operatorOf(db, who)
        const outcomes: Outcome[] = []
        for (const one of commands)
          outcomes.push(await outcomeOf(one.id, () => act(acting, operator, one)))
        return outcomes
      } finally {
        await changes.close()
      }
    },
    replayPackage: async (id: string) => {
      const signReplay = signerOf(await openKeyRings(config), REPLAY_TYP)
      return readReplayPackage(
        { db, issuer: railOf(config).issuer, signReplay },
        await subjectOf(deps, id),
      )
    },
    reconcile: () => reconcileNow(temporal.client),
    exceptions: async () => (await listOpenExceptions(db, 200)).map(exceptionView),
    close: async (who: string, input: CloseInput) => {
      const closed = await signed(config, db, who, (deps, tx, operator) =>
        closeWithReceipt(deps, tx, { closer: operator, input }),
      )
      const record = await readPayout(db, closed.exception.subject)
      if (record !== undefined) await watchWorkflows(temporal.client).show(record)
      return closed
    },
    [Symbol.asyncDispose]: async () => {
      await temporal.close()
      await close()
    },
  }
}

export type Outcome = CommandResult | { id: string; refused: string }

async function outcomeOf(id: string, act: () => Promise<CommandResult>): Promise<Outcome> {
  try {
    return await act()
  } catch (error) {
    return { id, refused: errorText(error) }
  }
}
