import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { suites } from '#domain/harness/suites.ts'
import type { DelegationSnapshot, DelegationSteps } from '../../workflows/delegation/activities.ts'
import type { DirectorySteps } from '../../workflows/directories/activities.ts'
import type { FiringSteps } from '../../workflows/firing/activities.ts'
import type { CounterpartSteps, HarnessSteps } from '../../workflows/harness/activities.ts'
import type { InvitationSnapshot, InvitationSteps } from '../../workflows/invitation/activities.ts'
import type { KeyRotationSteps, RotationSnapshot } from '../../workflows/key-rotation/activities.ts'
import type { ModelSteps } from '../../workflows/runs/activities.ts'
import { wakeSignal } from '../../workflows/shared/signals.ts'
import type { UploadCheckSteps } from '../../workflows/upload-check/activities.ts'
import { saveHistory, type TemporalServer } from './histories.ts'
import { withWorkers } from './recording-workers.ts'

/** Drives delegated actions, a rotation of keys, the reading of an upload, a test, a submission to a directory and an invitation, with steps that return the given answers, and saves the histories. */
/** Drives delegated actions, a rotation of keys, the reading of an upload, a test, a submission to a directory and the calls of an analysis, with steps that return the given answers, and saves the histories. */
/** Drives delegated actions, a rotation of keys, the reading of an upload, a test, a submission to a directory and a firing, with steps that return the given answers, and saves the histories. */
export async function recordServiceHistories(server: TemporalServer): Promise<void> {
  const { address } = server
  await saveHistory(server, await recordDelegation(address, 'done'), 'delegation-done')
  await saveHistory(server, await recordDelegation(address, 'refused'), 'delegation-refused')
  await saveHistory(server, await recordRotation(address), 'key-rotation-hastened')
  await saveHistory(server, await recordUploadCheck(address), 'upload-check-done')
  await saveHistory(server, await recordHarness(address), 'harness-one-step-lost')
  await saveHistory(server, await recordSubmission(address), 'directory-accepted')
  await saveHistory(server, await recordInvitation(address), 'pilot-reminded-and-accepted')
  await saveHistory(server, await recordAnalysis(address), 'analysis-asked')
  await saveHistory(server, await recordFiring(address), 'firing-refused')
}

async function finished(
  client: Client,
  workflow: string,
  options: { workflowId: string; taskQueue: string; args: unknown[] },
): Promise<string> {
  const handle = await client.workflow.start(workflow, options)
  await handle.result()
  return handle.workflowId
}

/** An action whose outcome is not known at first, so that its step is repeated. */
async function recordDelegation(
  address: string,
  state: DelegationSnapshot['state'],
): Promise<string> {
  const actionId = `da_${state}`
  let attempts = 0
  const steps: DelegationSteps = {
    performAction: async () => {
      if (attempts++ === 0) throw new Error('the outcome is not known yet')
      const refusal = state === 'done' ? null : 'authority_denied'
      return { actionId, operationId: 'usage-ledger-record', state, refusal }
    },
  }
  return withWorkers(address, steps, (client) =>
    finished(client, 'delegation', {
      workflowId: `delegation-${actionId}`,
      taskQueue: 'tasks',
      args: [actionId],
    }),
  )
}

/** The next key signs when it is due; an order to revoke the previous one ends the overlap early. */
async function recordRotation(address: string): Promise<string> {
  let now: RotationSnapshot = {
    rotationId: `kr_${'e'.repeat(64)}`,
    ring: 'receipt',
    state: 'requested',
    nextKid: null,
    previousKid: null,
    waitMs: 0,
  }
  const become = async (change: Partial<RotationSnapshot>) => {
    now = { ...now, ...change }
    return now
  }
  const steps: KeyRotationSteps = {
    loadRotation: async () => now,
    publishNextKey: () => become({ state: 'published', nextKid: 'receipt-2', waitMs: 300 }),
    activateNextKey: () =>
      become({ state: 'active', previousKid: 'receipt-1', waitMs: 86_400_000 }),
    retirePreviousKey: () => become({ state: 'done', waitMs: 0 }),
  }
  return withWorkers(address, steps, async (client) => {
    const handle = await client.workflow.start('serviceKeyRotation', {
      workflowId: 'key-rotation-receipt',
      taskQueue: 'payouts',
      args: ['receipt'],
    })
    while (now.state !== 'active') await sleep(50)
    await sleep(200)
    await handle.signal(wakeSignal)
    await handle.result()
    return handle.workflowId
  })
}

/** Two calls of the model, one of which is repeated. */
async function recordAnalysis(address: string): Promise<string> {
  const subject = `anon_${'a'.repeat(64)}`
  let lost = false
  const steps: ModelSteps = {
    callModel: async ({ promptSha256 }) => {
      if (lost || promptSha256 !== 'b'.repeat(64)) return
      lost = true
      throw new Error('the database is down')
    },
  }
  return withWorkers(address, steps, (client) =>
    finished(client, 'analysis', {
      workflowId: `analysis-${subject}`,
      taskQueue: 'tasks',
      args: [subject, ['a'.repeat(64), 'b'.repeat(64)]],
    }),
  )
}

async function recordUploadCheck(address: string): Promise<string> {
  const steps: UploadCheckSteps = {
    checkUpload: async () => ({
      rail: 'tokenops',
      list: 'usage',
      rows: 1_000_000,
      faults: 3,
      refused: null,
    }),
  }
  return withWorkers(address, steps, (client) =>
    finished(client, 'uploadCheck', {
      workflowId: 'upload-check-1',
      taskQueue: 'tasks',
      args: ['uc_1', 'agt_1'],
    }),
  )
}

/** A test with a counterpart, one step of which fails until no attempt is left. */
async function recordHarness(address: string): Promise<string> {
  const suite = 'external-agent-agent-test'
  const steps: HarnessSteps & CounterpartSteps = {
    playHarnessStep: async (_testRunId, step) => {
      if (step === 'run') throw new Error('the database is down')
      return { step, ok: true, status: 200 }
    },
    listCounterpartTools: async () => ({ step: 'counterpart tools', ok: false, status: null }),
    endHarness: async () => ({ passed: 2, failed: 2 }),
  }
  const order = {
    testRunId: `tr_${'e'.repeat(64)}`,
    suite,
    steps: suites[suite].map(({ step }) => step),
  }
  return withWorkers(address, steps, (client) =>
    finished(client, 'harness', {
      workflowId: `harness-${order.testRunId}`,
      taskQueue: 'tasks',
      args: [order],
    }),
  )
}

/** A submission whose first attempt gets no answer. */
async function recordSubmission(address: string): Promise<string> {
  const submissionId = `ds_${'d'.repeat(64)}`
  let attempts = 0
  const steps: DirectorySteps = {
    submitToDirectory: async () => {
      attempts += 1
      const first = attempts === 1
      return {
        submissionId,
        directory: 'registry.example',
        state: first ? 'submitted' : 'accepted',
        attempts,
        waitMs: first ? 200 : 0,
        lastFailure: first ? 'timeout' : null,
      }
    },
  }
  return withWorkers(address, steps, (client) =>
    finished(client, 'directorySubmission', {
      workflowId: `directory-${submissionId}`,
      taskQueue: 'payouts',
      args: [submissionId],
    }),
  )
}

/** An invitation that is answered after its reminder. */
async function recordInvitation(address: string): Promise<string> {
  const pilotId = `pl_${'c'.repeat(64)}`
  let steps = 0
  let answered = false
  const invited: InvitationSnapshot = { pilotId, state: 'invited', reminded: false, waitMs: 300 }
  const activities: InvitationSteps = {
    advanceInvitation: async () => {
      steps += 1
      if (answered) return { ...invited, state: 'accepted', reminded: true, waitMs: 0 }
      return steps === 1 ? invited : { ...invited, reminded: true, waitMs: 86_400_000 }
    },
  }
  return withWorkers(address, activities, async (client) => {
    const handle = await client.workflow.start('invitation', {
      workflowId: `pilot-${pilotId}`,
      taskQueue: 'tasks',
      args: [pilotId],
    })
    while (steps < 2) await sleep(50)
    await sleep(200)
    answered = true
    await handle.signal(wakeSignal)
    await handle.result()
    return handle.workflowId
  })
}

/** A firing whose first attempt found a dependency down. */
async function recordFiring(address: string): Promise<string> {
  const workflowId = `cw_${'f'.repeat(64)}`
  let attempts = 0
  const steps: FiringSteps = {
    fireWorkflow: async () => {
      if (attempts++ === 0) throw new Error('a dependency is down')
      const firingId = `fi_${'f'.repeat(64)}`
      return { firingId, state: 'refused', runId: null, code: 'payment_required' }
    },
  }
  return withWorkers(address, steps, (client) =>
    finished(client, 'workflowFiring', {
      workflowId: `firing-${workflowId}`,
      taskQueue: 'tasks',
      args: [workflowId],
    }),
  )
}
