import { grantAccount } from '#domain/credit/credit.ts'
import type { PilotFunding } from '#domain/pilots/pilot.ts'
import { grantedOf } from '#domain/production/activation-chain.ts'
import { findEntitlement } from '../../../activities/store/credit/entitlements.ts'
import { type ActivationRow, findActivation } from '../../../activities/store/pilots/activations.ts'
import type { PilotRow } from '../../../activities/store/pilots/pilots.ts'
import { findPilotRun, listTrials } from '../../../activities/store/pilots/runs.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findTaskCredit } from '../../../activities/store/tasks/task-credits.ts'
import { requireTask } from '../../../activities/store/tasks/tasks.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { type RunViewDeps, runView } from '../runs/views.ts'
import { pilotView } from './views.ts'

/** A pilot with its run, and with the chain that activated it where it is a controlled one. */
export async function pilotWork(deps: RunViewDeps, tx: Tx, pilot: PilotRow) {
  const row = await findPilotRun(tx, { pilot_id: pilot.pilot_id })
  return {
    ...(await activationOf(tx, pilot.pilot_id)),
    pilot: await pilotView(tx, pilot),
    run:
      row === undefined
        ? null
        : withoutToken(await runView(deps, tx, await requireTask(tx, row.task_id))),
    audit_event_id: row?.audit_event_id ?? null,
    funding: await fundingOf(tx, row?.task_id),
    synthetic_runs: (await listTrials(tx, pilot.pilot_id)).map(({ task_id }) => runIdOf(task_id)),
  }
}

/** What pays for the run of a pilot: null until something does. */
async function fundingOf(tx: Tx, taskId: string | undefined): Promise<PilotFunding | null> {
  const credit = taskId === undefined ? undefined : await findTaskCredit(tx, taskId)
  const paid = credit && (await findEntitlement(tx, credit.entitlement_id))
  if (paid === undefined || paid.source === null) return null
  return paid.source === grantAccount ? 'granted_entitlement' : 'settled_payment'
}

/** The chain of a controlled pilot; of another one there is none. */
export async function activationOf(tx: Tx, pilotId: string) {
  const found = await findActivation(tx, pilotId)
  return {
    activation_id: found?.activation_id ?? null,
    chain: found?.chain ?? [],
    tool_scope: found?.tool_scope ?? [],
    granted: found === undefined ? null : grantView(found),
  }
}

/** What the key of the call granted of its scope; the chain has the key as the evidence of that step. */
const grantView = ({ credential_id, tool_scope }: ActivationRow) => ({
  credential_id,
  ...grantedOf(tool_scope),
})

/** The token of the task and the links with it are its agent's. */
function withoutToken<Run extends { task_token: string; links: object }>({
  task_token: _token,
  links: _links,
  ...run
}: Run) {
  return run
}
