import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { WithStartWorkflowOperation } from '@temporalio/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { payoutId as payoutIdOf } from '#domain/core/ids.ts'
import { readSecret } from '../../../activities/config/secret-file.ts'
import { type RolePasswords, roleUrl } from '../../../activities/store/postgres/create-roles.ts'
import { createDatabase, type OpenDatabase } from '../../../activities/store/postgres/db.ts'
import type { StepAnswer } from '../../../workflows/payouts/activities.ts'
import {
  authorizeUpdate,
  createUpdate,
  executeUpdate,
} from '../../../workflows/payouts/messages.ts'
import { openRail, proofOf, type Rail } from '../../support/agent.ts'
import { newWallet, type TestWallet } from '../../support/chain.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

let stack: TestStack
let rail: Rail
/** What stands in the environment of every API process. */
let stolen: OpenDatabase
beforeAll(async () => {
  stack = await startStack({ runWorkers: 0 })
  rail = await openRail(stack)
  const passwords = readSecret<RolePasswords>(
    join(stack.dataDirectory, 'keys', 'database-roles.json'),
  )
  if (passwords === undefined) throw new Error('the stack has made no database roles')
  stolen = createDatabase({
    url: roleUrl(stack.databaseUrl, 'api', passwords),
    applicationName: 'thief',
    poolSize: 2,
  })
})
afterAll(async () => {
  await stolen?.close()
  await rail?.stop()
  await stack?.stop()
})

type Step = typeof createUpdate

/** Sends a step to the payout's run, as an API process does. */
function send(step: Step, payoutId: string, callId: string): Promise<StepAnswer> {
  const startWorkflowOperation = new WithStartWorkflowOperation('payout', {
    workflowId: payoutId,
    taskQueue: 'payouts',
    args: [payoutId],
    workflowIdConflictPolicy: 'USE_EXISTING',
  })
  const args: [{ payoutId: string; callId: string }] = [{ payoutId, callId }]
  return rail.temporal.workflow.executeUpdateWithStart(step, { args, startWorkflowOperation })
}

/** A granted call of any caller, written with SQL. */
async function forgeCall(operation: string, creator: string, input: unknown): Promise<string> {
  const callId = `call_${randomBytes(16).toString('hex')}`
  await sql`insert into calls (call_id, caller, operation, key, fingerprint, grant_state, answer_state, funding, path, input)
    values (${callId}, ${`wallet:${creator}`}, ${operation}, ${callId}, 'f', 'open', 'open', 'none', '/', ${JSON.stringify(input)}::json)`.execute(
    stolen.db,
  )
  return callId
}

async function executeBody(wallet: TestWallet, payoutId: string) {
  const body = { payout_id: payoutId, idempotency_key: 'execute' }
  const { 'X-Service-Wallet-Proof': proof } = await proofOf(
    wallet.account,
    stack.baseUrls[0] as string,
    '/api/payout-execute',
    body,
  )
  return { ...body, proof }
}

verifies(
  ['signer.no-way-around', 'stolen.process-api'],
  'with an API’s role, SQL and Temporal no attacker is paid',
  async () => {
    const wallet = rail.service.payoutWallet.address
    const agent = await rail.openAgent()
    const thief = newWallet()
    const payout = await rail.authorized(agent)
    const before = await rail.balance(wallet)

    for (const statement of [
      `update payouts set recipient = '${thief.address}'`,
      "update payouts set state = 'authorized'",
      `insert into transfers (payout_id, nonce, wallet, recipient, amount_atomic, valid_after, valid_before, status, call_id)
        select payout_id, transfer_nonce, payout_wallet, recipient, amount_atomic, 0, expires_at, 'reserved', call_id
        from payouts, calls where subject = payout_id`,
      "update transfers set status = 'signed'",
    ])
      await expect(sql.raw(statement).execute(stolen.db), statement).rejects.toMatchObject({
        code: '42501',
      })

    const own = await stolen.db
      .selectFrom('calls')
      .selectAll()
      .where('subject', '=', payout.payout_id)
      .execute()
    expect(own.map(({ operation }) => operation).sort()).toEqual([
      'payout-authorize',
      'payout-create',
    ])
    const foreign = await executeBody(thief, payout.payout_id)
    const calls = [
      ...own.map(({ call_id }) => call_id),
      await forgeCall('payout-execute', agent.address, {
        payout_id: payout.payout_id,
        idempotency_key: 'execute',
      }),
      await forgeCall('payout-execute', agent.address, foreign),
      await forgeCall('payout-execute', thief.address, foreign),
      await forgeCall('payout-status', agent.address, foreign),
    ]
    for (const callId of calls)
      expect(await send(executeUpdate, payout.payout_id, callId), callId).toMatchObject({
        ok: false,
      })

    // A payout of the thief, unknown to the treasury.
    const key = 'stolen'
    const terms = rail.terms({ recipient: thief.address, idempotency_key: key })
    const payoutId = payoutIdOf(thief.address, key)
    expect(
      await send(createUpdate, payoutId, await forgeCall('payout-create', thief.address, terms)),
    ).toEqual({
      ok: true,
    })
    const authority = {
      payout_id: payoutId,
      idempotency_key: 'a',
      presentation: 'x~',
      challenge_token: 'x.y.z',
      expires_at: Math.floor(Date.now() / 1000) + 3600,
      principal_signature: `0x${'11'.repeat(64)}1b`,
    }
    const authorize = await forgeCall('payout-authorize', thief.address, authority)
    expect(await send(authorizeUpdate, payoutId, authorize)).toMatchObject({ ok: false })
    const execute = await forgeCall(
      'payout-execute',
      thief.address,
      await executeBody(thief, payoutId),
    )
    expect(await send(executeUpdate, payoutId, execute)).toMatchObject({ ok: false })

    expect(await rail.db.selectFrom('transfers').selectAll().execute()).toEqual([])
    expect([await rail.balance(wallet), await rail.balance(thief.address)]).toEqual([before, 0n])
    const { body } = await agent.client.call('payout-execute', {
      payout_id: payout.payout_id,
      idempotency_key: 'execute',
    })
    expect(body.payout.state).toBe('executed')
    expect(await rail.balance(wallet)).toBe(before - 1_000_000n)
  },
)
