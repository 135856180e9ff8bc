import { afterAll, beforeAll, expect } from 'vitest'
import { openRail, type Rail } from '../../support/agent.ts'
import { freshKey } from '../../support/agent-use.ts'
import { openAuthority, usage } from '../../support/authority.ts'
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

verifies(
  'authority.execute.durable',
  'actions are performed once though API and worker are killed',
  async () => {
    const hosts = { base: stack.baseUrls[0] ?? '', os: stack.osUrls[0] ?? '' }
    const authority = await openAuthority([hosts], stack.accounts.operator.credential)
    const mandate = await authority.issue()
    for (const [round, part] of [stack.worker(), stack.api(), stack.worker()].entries()) {
      const subject = freshKey()
      const granted = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const action = { ...usage({ subject }), idempotency_key: freshKey() }
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
      const answers = await Promise.all(granted.map((one) => insist(() => run(one))))
      expect(answers.map(({ status }) => status)).toEqual(granted.map(() => 201))
      const events = await rail.db
        .selectFrom('usage_events')
        .selectAll()
        .where('subject', '=', subject)
        .execute()
      expect(events).toHaveLength(granted.length)
    }
    const row = await rail.db
      .selectFrom('authority_mandates')
      .selectAll()
      .where('mandate_id', '=', mandate.mandate_id)
      .executeTakeFirstOrThrow()
    expect(row.used_actions).toBe(24)
  },
  180_000,
)
