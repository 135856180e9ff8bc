import { afterAll, beforeAll, expect } from 'vitest'
import { ProblemError } from '../../../api/http/client.ts'
import { openRail, type Rail } from '../../support/agent.ts'
import { freshKey } from '../../support/agent-use.ts'
import { openAuthority, packet, usage } from '../../support/authority.ts'
import { insist } from '../../support/faults.ts'
import { pause, restart } from '../../support/processes.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
beforeAll(async () => {
  stack = await startStack({
    env: { SWEEP_EVERY_MS: '300', CALL_LEASE_MS: '1000', LIMIT_AGENT_PER_MINUTE: '6000' },
  })
  rail = await openRail(stack)
})
afterAll(async () => {
  await rail?.stop()
  await stack?.stop()
})

type Authority = Awaited<ReturnType<typeof openAuthority>>
const RUN_USD = 49

/** A run whose quote the wallet has paid. */
async function paidRun({ client }: Authority, payer: string) {
  const terms = { rail: 'packetops', tier: 'entry' } as const
  const asked = { ...terms, idempotency_key: freshKey() }
  const { quote_id, total_usd } = (await client.call('agent-quote', asked)).body.quote
  expect(total_usd).toBe(RUN_USD)
  const method = 'agent_allowance' as const
  const paid = { quote_id, method, external_reference: 'allowance', payer }
  await client.call('payment-reference-create', { ...paid, idempotency_key: freshKey() })
  const run = { ...terms, quote_id, on_gaps: 'report', input: packet, accept_terms: true }
  return { operation_id: 'start-agent-run', input: { ...run, idempotency_key: freshKey() } }
}

/** The result of an action: of this call, or of one before, whose answer may not have arrived. */
async function resultOf(call: () => ReturnType<Authority['execute']>) {
  try {
    return (await insist(call)).body.delegated_action
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'grant_consumed')) throw error
    return error.problem['first_result'] as { operation_id: string }
  }
}

verifies(
  'authority.execute.durable',
  'actions are performed once though API and worker are killed',
  async () => {
    const hosts = { base: stack.baseUrls[0] ?? '', os: stack.osUrls[0] ?? '' }
    for (const [round, part] of [stack.worker(), stack.api(), stack.worker()].entries()) {
      const authority = await openAuthority([hosts], stack.accounts.operator.credential)
      const mandate = await authority.issue()
      const paid = await paidRun(authority, await authority.fundedWallet(2 * RUN_USD))
      const subject = freshKey()
      const free = Array.from({ length: 8 }, () => usage({ subject }))
      const granted = await Promise.all(
        [paid, ...free].map(async (asked) => {
          const action = { ...asked, idempotency_key: freshKey() }
          const { signed_action_grant } = await authority.grant(mandate, action, 300)
          return { action, grant: signed_action_grant }
        }),
      )
      const run = ({ action, grant }: (typeof granted)[number]) =>
        authority.execute(mandate, grant, action)
      const first = granted.map((one) => run(one).catch(() => undefined))
      await pause(20 + 60 * round)
      await part.kill('SIGKILL')
      await Promise.all([restart(part), ...first])
      const answers = await Promise.all(granted.map((one) => resultOf(() => run(one))))
      expect(answers.map(({ operation_id }) => operation_id)).toEqual(
        granted.map(({ action }) => action.operation_id),
      )
      const events = await rail.db
        .selectFrom('usage_events')
        .selectAll()
        .where('subject', '=', subject)
        .execute()
      expect(events).toHaveLength(free.length)
      const { used_actions, used_usd } = await rail.db
        .selectFrom('authority_mandates')
        .select(['used_actions', 'used_usd'])
        .where('mandate_id', '=', mandate.mandate_id)
        .executeTakeFirstOrThrow()
      const tasks = await rail.db
        .selectFrom('tasks')
        .select('task_id')
        .where('agent_id', '=', authority.agent_id)
        .execute()
      expect([used_actions, used_usd, tasks.length]).toEqual([9, RUN_USD, 1])
    }
  },
)
