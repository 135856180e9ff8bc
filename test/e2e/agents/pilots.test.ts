import { afterAll, beforeAll, expect } from 'vitest'
import { loadInfrastructure } from '../../../activities/config/config.ts'
import { createTemporalClient } from '../../../temporal/connection.ts'
import { invitationWorkflowId } from '../../../temporal/invitations.ts'
import { invitationsOf } from '../../support/pilots.ts'
import { codeOf } from '../../support/problems.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let invitations: ReturnType<typeof invitationsOf>
beforeAll(async () => {
  stack = await startStack({ env: { SWEEP_EVERY_MS: '500' } })
  const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
  invitations = invitationsOf(hosts, stack.accounts.operator.credential)
})
afterAll(() => stack?.stop())

const statusOf = async (pilotId: string) => {
  const { client, close } = createTemporalClient(loadInfrastructure({ ...stack.env }))
  try {
    return (await client.workflow.getHandle(invitationWorkflowId(pilotId)).describe()).status.name
  } finally {
    await close()
  }
}

verifies(
  ['pilots.invitation-workflow', 'pilots.invitation'],
  'an invitation keeps its time while worker and Temporal are killed',
  async () => {
    const quick = await invitations.invite({ valid_for_seconds: 50 })
    const kept = await invitations.invite()
    await expect.poll(() => statusOf(quick.pilot.pilot_id)).toBe('RUNNING')
    await stack.worker().kill('SIGKILL')
    await stack.temporal.kill('SIGKILL')
    // The answer needs neither of them.
    const { terms_sha256 } = await invitations.read(kept.invitation_token)
    const accepted = await invitations.respond(kept.invitation_token, {
      response: 'accept',
      terms_sha256,
    })
    expect(accepted.body.pilot.state).toBe('accepted')
    await stack.temporal.start()
    await stack.temporal.waitReady()
    await stack.worker().start()
    await expect
      .poll(() => invitations.waiting(quick.pilot.pilot_id))
      .toMatchObject([{ state: 'invited', allowed_decisions: ['reject'] }])
    await expect
      .poll(() => codeOf(invitations.read(quick.invitation_token)).catch(() => 'open'))
      .toBe('invitation_expired')
    await expect.poll(() => statusOf(quick.pilot.pilot_id)).toBe('COMPLETED')
    expect(await codeOf(invitations.respond(quick.invitation_token, { response: 'decline' }))).toBe(
      'invitation_expired',
    )
    const declined = await invitations.invite()
    await invitations.respond(declined.invitation_token, { response: 'decline' })
    await expect.poll(() => statusOf(declined.pilot.pilot_id)).toBe('COMPLETED')
  },
)
