import { checkCredential } from '#domain/agents/credential.ts'
import type { CommerceFacts, MissionRecord, ProvenAgent } from '#domain/commerce/facts.ts'
import { refuse } from '#domain/core/errors.ts'
import { returnPackageId } from '#domain/runs/return-package.ts'
import { receiptView } from '../../../activities/keys/receipt-view.ts'
import { findCredential } from '../../../activities/store/agents/agent-credentials.ts'
import { lockAgent } from '../../../activities/store/agents/agents.ts'
import { findDuplicate, findProofOfMission } from '../../../activities/store/commerce/proofs.ts'
import {
  findDeliveredPilot,
  findOwnHandoff,
  isWalletOf,
  listOwnOrderTasks,
} from '../../../activities/store/commerce/records.ts'
import type { ReferenceRow } from '../../../activities/store/payments/payment-references.ts'
import { clockSeconds, type Tx } from '../../../activities/store/postgres/db.ts'
import { findStart } from '../../../activities/store/production/production-writes.ts'
import { runIdOf } from '../../../activities/tasks/facts.ts'
import { factsOf as credentialFacts } from '../../auth/credential-standing.ts'
import type { CommerceDeps } from './deps.ts'
import { readEvidence, readMandate, readPackage } from './evidence.ts'
import { chainFault, readPayment } from './payment.ts'
import { type CommerceRequest, type Digests, itemsOf } from './request.ts'

type Named = Pick<CommerceRequest, 'mission' | 'return_package'>
type Found = {
  record: MissionRecord
  /** The pilot with the credit of its run. */
  ordered: { workId: string; credits: readonly (string | null)[] } | undefined
  startedBy: CommerceFacts['startedBy']
}

/** The handoff pack or delivered pilot of this agent that a mission id names; undefined where there is none. */
async function readMissionRecord(
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

/** The agent whose access key a call presents. */
export type ProofAgent = ProvenAgent & {
  readonly credentialId: string
  readonly sandbox: boolean
  readonly mayPublish: boolean
}
/** What the work of a caller counts as, before any record says otherwise. */
export const usageBy = (agent: ProofAgent | undefined) => {
  if (agent === undefined) return 'unspecified'
  return agent.sandbox ? 'synthetic' : 'operational'
}
export type Asked = {
  request: CommerceRequest
  agent: ProofAgent | undefined
  callId: string
  /** For work that is only a trial, of every caller. */
  usage?: 'synthetic' | undefined
}
export type Gathered = Awaited<ReturnType<typeof gather>>

/** Locks the agent, so that its trust, key and waiting proofs stay as they are now. Throws where its credential is no longer good. */
export async function holdAgent(tx: Tx, { agentId, credentialId }: ProofAgent): Promise<void> {
  await lockAgent(tx, agentId)
  const credential = await findCredential(tx, credentialId)
  if (credential === undefined) throw new Error(`the credential ${credentialId} is missing`)
  const [denial] = checkCredential(credentialFacts(credential), { scopes: [] }, credential.readAt)
  if (denial !== undefined) throw refuse(denial.code, { detail: denial.detail })
}

/** Everything that is read outside the transaction: files, receipts and the chain. Throws 422 `evidence_mismatch`. */
export async function gather(deps: CommerceDeps, { request, agent }: Omit<Asked, 'callId'>) {
  const given = itemsOf(request)
  const agentId = agent?.agentId
  const found = agentId && (await readMissionRecord(deps.db, request, agentId))
  const work = await readWork(deps, request, agentId)
  const { record = null, ordered = work.ordered, startedBy = work.startedBy } = found || {}
  const paying = { agentId, named: request.payment, ordered }
  const [evidence, fault] = await Promise.all([
    readEvidence(deps, request),
    chainFault(deps, paying),
  ])
  return {
    ...work,
    record,
    ordered,
    startedBy,
    items: work.items ?? given.artifacts,
    given,
    evidence,
    fault,
  }
}

/** The run or the work order behind a mission, and the credit of its tasks; undefined where this service has no order of it. */
async function readWork(
  deps: CommerceDeps,
  { return_package: of, mission }: CommerceRequest,
  agentId: string | undefined,
) {
  if ('return_package_id' in of) {
    const stored = await readPackage(deps, of.return_package_id, agentId)
    return {
      recorded: stored?.recorded ?? null,
      items: stored?.items,
      ownsFinishedOrder: false,
      startedBy: stored?.startedBy ?? null,
      ordered: {
        workId: of.return_package_id,
        credits: stored === null ? [] : [stored.entitlementId],
      },
    }
  }
  const isOrder = mission.kind === 'work_order_delivery' && agentId !== undefined
  const tasks = isOrder ? await listOwnOrderTasks(deps.db, mission.mission_id, agentId) : []
  const isOwn = tasks.length > 0
  return {
    recorded: undefined,
    items: undefined,
    startedBy: null,
    ownsFinishedOrder: isOwn && tasks.every(({ attested }) => attested),
    ordered: isOwn
      ? {
          workId: mission.mission_id,
          credits: tasks.map(({ entitlement_id }) => entitlement_id),
        }
      : undefined,
  }
}

/** The facts of a decision, with what has to be read in its transaction; the caller holds the lock of the package. */
export async function factsOf(
  tx: Tx,
  { request, agent, usage }: Asked,
  { gathered, digests }: { gathered: Gathered; digests: Digests },
): Promise<{ facts: CommerceFacts; reference: ReferenceRow | undefined }> {
  const agentId = agent?.agentId
  const paying = {
    agentId,
    missionSha256: digests.mission_sha256,
    named: request.payment,
    ordered: gathered.ordered,
  }
  const paid = await readPayment(tx, paying, gathered.fault)
  const facts: CommerceFacts = {
    kind: request.mission.kind,
    binding: request.protocol_binding ?? null,
    agent: agent ?? null,
    items: gathered.items,
    claims: request.return_package.claims,
    evidence: gathered.evidence,
    recorded: gathered.recorded,
    ownsFinishedOrder: gathered.ownsFinishedOrder,
    record: gathered.record,
    startedBy: gathered.startedBy,
    payment: paid.facts,
    mandate: await readMandate(tx, request.authority?.mandate_id, agentId),
    walletIsBound: await boundOf(tx, request.agent.wallet, agentId),
    duplicate:
      (await earlierOf(tx, agentId, { ...digests, isOwn: gathered.recorded !== undefined })) ??
      (await earlierMission(tx, agentId, { request, record: gathered.record })),
    usage: usage ?? usageOf(agent, gathered),
    now: await clockSeconds(tx),
  }
  return { facts, reference: paid.reference }
}

async function earlierOf(
  tx: Tx,
  agentId: string | undefined,
  { mission_sha256, package_sha256, isOwn }: Digests & { isOwn: boolean },
): Promise<CommerceFacts['duplicate']> {
  const earlier = await findDuplicate(tx, {
    packageSha256: package_sha256,
    missionSha256: mission_sha256,
    agentId,
    isOwn,
  })
  if (earlier === undefined) return null
  if (earlier.agent_id === null) return 'anonymous'
  return agentId !== undefined && earlier.agent_id === agentId
    ? { of: 'package', proofId: earlier.proof_id }
    : 'foreign'
}

async function boundOf(
  tx: Tx,
  wallet: string | undefined,
  agentId: string | undefined,
): Promise<boolean | null> {
  if (wallet === undefined) return null
  return agentId !== undefined && (await isWalletOf(tx, wallet, agentId))
}

/** A handoff pack or pilot carries one mission of an agent. */
async function earlierMission(
  tx: Tx,
  agentId: string | undefined,
  { request: { mission }, record }: Pick<Asked, 'request'> & Pick<Gathered, 'record'>,
): Promise<CommerceFacts['duplicate']> {
  if (agentId === undefined || record === null) return null
  const named = { kind: mission.kind, missionId: mission.mission_id, agentId }
  const earlier = await findProofOfMission(tx, named)
  return earlier === undefined ? null : { of: 'mission', proofId: earlier.proof_id }
}

/** Operational is only what a record of this service is behind; what an agent says alone is unspecified. */
function usageOf(
  agent: ProofAgent | undefined,
  { recorded, record, ownsFinishedOrder }: Gathered,
): CommerceFacts['usage'] {
  if (recorded) return recorded.usage
  if (agent === undefined) return 'unspecified'
  if (agent.sandbox) return 'synthetic'
  return record?.usage ?? (ownsFinishedOrder ? 'operational' : 'unspecified')
}
