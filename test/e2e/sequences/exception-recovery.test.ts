import { afterAll, beforeAll, expect } from 'vitest'
import { createClient } from '../../../api/http/client.ts'
import { freshKey, openAgentUse, runInReview } from '../../support/agent-use.ts'
import { startComposedTasks } from '../../support/composed-tasks.ts'
import { decide, type Hosts } from '../../support/registering-agent.ts'
import { verifies } from '../../verifies.ts'

let apis: Awaited<ReturnType<typeof startComposedTasks>>
beforeAll(async () => {
  apis = await startComposedTasks({ LIMIT_AGENT_PER_MINUTE: '6000' })
})
afterAll(() => apis?.stop())

const hosts = () => apis.hosts[0] as Hosts
const decided = (subject_id: string, kind: 'loop_step' | 'recovery', as: 'approve' | 'reject') =>
  decide(hosts(), apis.operator, subject_id, as, { subject_kind: kind })

/** A paid run that stops before its result, and the holder of its token. */
async function stopped(how: 'paused' | 'failed') {
  const buyer = await openAgentUse(hosts(), apis.operator)
  const { run_id, reaches } = await runInReview(buyer)
  const { task_token } = await buyer.status(run_id)
  const { OS_URL } = apis.config
  const holder = createClient({
    baseUrl: hosts().base,
    osUrl: OS_URL,
    statusToken: task_token,
    signAsAgent: buyer.agent.signText,
    fetch: (url: string, init: RequestInit) => fetch(url.replace(OS_URL, hosts().os), init),
  })
  if (how === 'failed') await decided(run_id, 'loop_step', 'reject')
  else {
    const dispute = { code: 'caller_dispute', detail: 'hold it' } as const
    await holder.call('task-exception-raise', { ...dispute, idempotency_key: freshKey() })
  }
  await reaches('exception_open')
  return { buyer, run_id, reaches, holder }
}

for (const how of ['paused', 'failed'] as const)
  verifies(
    'sequence.exception-recovery',
    `a ${how} paid run comes back by ticket, request and replay package`,
    async () => {
      const { buyer, run_id, reaches, holder } = await stopped(how)
      const paid = await buyer.status(run_id)

      // Exception ticket.
      const ticket = (await holder.call('task-exceptions', {})).body.items[0]
      if (ticket === undefined) throw new Error('a stopped run has a ticket')
      const { exception_id } = ticket
      expect(ticket).toMatchObject({ state: 'open', closed_at: null })

      // Recovery request.
      const asked = { exception_id, action: 'replay', idempotency_key: freshKey() } as const
      const requested = await holder.call('task-recover', asked)
      expect(requested).toMatchObject({
        status: 202,
        body: { exception: { state: 'recovery_requested' } },
      })

      // Replay package.
      const prepare = { exception_id, from_step: 'intake', idempotency_key: freshKey() } as const
      const prepared = (await holder.call('task-replay-prepare', prepare)).body
      expect(prepared).toMatchObject({
        task: { state: 'replay_ready', resume_state: ticket.resume_state },
        replay_package: { exception_id, from_step: 'intake' },
      })
      const { replay_package } = (await holder.call('task-replay-package', {})).body
      expect(replay_package).toEqual(prepared.replay_package)

      await decided(requested.body.recovery_request?.recovery_id ?? '', 'recovery', 'approve')
      const waits = async () => (await buyer.status(run_id)).waiting_for
      await expect.poll(waits).toEqual(['review'])
      await decided(run_id, 'loop_step', 'approve')
      await reaches('closed')
      const { entries } = (await holder.call('task-ledger', {})).body
      const events = entries.map(({ event }) => event)
      const home = events.slice(events.indexOf('exception_raised'))
      expect(home.slice(0, 4)).toEqual([
        'exception_raised',
        'replay_prepared',
        'replayed',
        'result_produced',
      ])
      expect(home.at(-1)).toBe('closed')
      expect((await holder.call('task-exceptions', {})).body.items).toMatchObject([
        { exception_id, state: 'resolved' },
      ])
      // It was paid once, and is charged once.
      const { settlement_receipt_id, usage_receipt_id } = await buyer.status(run_id)
      expect(settlement_receipt_id).toBe(paid.settlement_receipt_id)
      expect([paid.usage_receipt_id, typeof usage_receipt_id]).toEqual([null, 'string'])
    },
    180_000,
  )
