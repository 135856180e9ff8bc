import type { CommerceFacts, MissionRecord } from '#domain/commerce/facts.ts'
import { returnPackageId } from '#domain/runs/return-package.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findDeliveredPilot, findOwnHandoff } from '../../../activities/store/commerce/records.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { findStart } from '../../../activities/store/production/production-writes.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import type { CommerceRequest } from './request.ts'

type Named = Pick<CommerceRequest, 'mission' | 'return_package'>
type Found = {
  record: MissionRecord
  /** The pilot with the credit of its run. */
  ordered: { workId: string; credits: readonly (string | null)[] } | undefined
  startedBy: CommerceFacts['startedBy']
}

/** The handoff pack or delivered pilot of this agent that a mission id names; undefined where there is none. */
export async function readMissionRecord(
  tx: Tx,
  { mission: { kind, mission_id }, return_package: of }: Named,
  agentId: string,
): Promise<Found | undefined> {
  if (kind === 'agent_handoff') {
    const pack = await findOwnHandoff(tx, mission_id, agentId)
    if (pack === undefined) return undefined
    // A pack proves that it was handed over; what its builder says of its usage makes no work operational.
    const isTrial = receiptView(pack.jws).usage === 'synthetic'
    const usage = isTrial ? 'synthetic' : 'unspecified'
    return {
      record: { usage, at: pack.issued_at.getTime() / 1000 },
      ordered: undefined,
      startedBy: null,
    }
  }
  if (kind !== 'pilot_delivery') return undefined
  const pilot = await findDeliveredPilot(tx, mission_id, agentId)
  if (pilot === undefined) return undefined
  // A package that is named has to be the one of the pilot's own run.
  const packageId = returnPackageId(runIdOf(pilot.task_id))
  if ('return_package_id' in of && of.return_package_id !== packageId) return undefined
  return {
    record: { usage: pilot.usage, at: pilot.since.getTime() / 1000 },
    ordered: { workId: mission_id, credits: [pilot.entitlement_id] },
    startedBy: await findStart(tx, pilot.task_id),
  }
}
