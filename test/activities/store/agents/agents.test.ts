import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyMoves, keyStates } from '#domain/agents/credential.ts'
import { accessKeyDelivery } from '#domain/agents/onboarding.ts'
import { trustStates } from '#domain/agents/trust.ts'
import {
  claimCredential,
  findCredential,
  insertCredential,
  listCredentials,
  revokeCredential,
} from '../../../../activities/store/agents/agent-credentials.ts'
import {
  insertSigningVersion,
  takeKeyBack,
} from '../../../../activities/store/agents/agent-signing-versions.ts'
import {
  findAgentByToken,
  insertAgent,
  listAgents,
  moveTrust,
} from '../../../../activities/store/agents/agents.ts'
import {
  listDeliveries,
  recordDelivery,
} from '../../../../activities/store/agents/credential-deliveries.ts'
import {
  countInWindows,
  forgetWindows,
  readWindows,
} from '../../../../activities/store/calls/window-counts.ts'
import { transaction } from '../../../../activities/store/postgres/db.ts'
import { newAgent, registeredAgent } from '../../../support/agent-rows.ts'
import { trustMoves } from '../../../support/moves.ts'
import { startDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { verifies } from '../../../verifies.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await startDatabase()
})
afterAll(async () => {
  await database?.stop()
})

const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const run = (text: string) => sql.raw(text).execute(database.db)
const refused = /check_violation|violates check|no such|never|begins as|comes before/

/** Every pair of states by SQL typed by hand, each on a row that stands in the first of them. */
async function allowedPairs(
  states: readonly string[],
  rowIn: (state: string) => Promise<(to: string) => Promise<unknown>>,
) {
  const allowed: string[] = []
  for (const from of states) {
    for (const to of states) {
      const move = await rowIn(from)
      const moved = await move(to).then(
        () => true,
        (error: Error) => {
          expect(error.message).toMatch(refused)
          return false
        },
      )
      if (moved && from !== to) allowed.push(`${from} ${to}`)
    }
  }
  return allowed.sort()
}
const pairsOf = (moves: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(moves)
    .flatMap(([from, tos]) => tos.map((to) => `${from} ${to}`))
    .sort()

/** Which states lead to one. */
const ways: Record<string, string[]> = {
  submitted: [],
  under_review: ['under_review'],
  trusted: ['under_review', 'trusted'],
  rejected: ['under_review', 'rejected'],
  suspended: ['under_review', 'trusted', 'suspended'],
}

verifies(
  'agent.trust.guarded-in-sql',
  'SQL typed by hand moves the trust of an agent only along the table',
  async () => {
    const set = (id: string, state: string) =>
      run(`update agents set trust_state = '${state}' where agent_id = '${id}'`)
    const pairs = await allowedPairs(trustStates, async (state) => {
      const { agent_id } = await registeredAgent(database.db, {
        sandbox: state === 'sandbox_trusted',
      })
      for (const step of ways[state] ?? []) await set(agent_id, step)
      return (to) => set(agent_id, to)
    })
    expect(pairs).toEqual(pairsOf(trustMoves))
  },
)

verifies(
  'agent.trust.guarded-in-sql',
  'what was registered never changes, and an agent is never deleted',
  async () => {
    const { agent_id } = await registeredAgent(database.db)
    for (const change of [
      "name = 'other'",
      `public_key = '{}'`,
      `key_sha256 = '${hex(32)}'`,
      `status_token_sha256 = '${hex(32)}'`,
      `rails = '[]'`,
      'sandbox = true',
    ])
      await expect(
        run(`update agents set ${change} where agent_id = '${agent_id}'`),
        change,
      ).rejects.toThrow(refused)
    await expect(run(`delete from agents where agent_id = '${agent_id}'`)).rejects.toThrow(refused)
  },
)

const members: Record<string, string> = {
  pending: '',
  active: `, secret_sha256 = coalesce(secret_sha256, encode(sha256(credential_id::bytea), 'hex')), claimed_at = coalesce(claimed_at, now()), expires_at = now()`,
  retiring: ', retire_at = now()',
  retired: '',
  revoked: ', revoked_at = coalesce(revoked_at, now())',
}
const keyWays: Record<string, string[]> = {
  pending: [],
  active: ['active'],
  retiring: ['active', 'retiring'],
  retired: ['active', 'retiring', 'retired'],
  revoked: ['revoked'],
}

async function pendingCredential(agentId: string, version = 1): Promise<string> {
  const credentialId = hex(8)
  await insertCredential(database.db, {
    credentialId,
    agentId,
    version,
    scopes: ['runs:read'],
    rails: ['tokenops'],
    overlapSeconds: 60,
  })
  return credentialId
}

verifies(
  'agent.credential.guarded-in-sql',
  'SQL typed by hand moves a credential only along its table',
  async () => {
    const set = (id: string, state: string) =>
      run(
        `update agent_credentials set state = '${state}'${members[state]} where credential_id = '${id}'`,
      )
    const pairs = await allowedPairs(keyStates, async (state) => {
      const credentialId = await pendingCredential((await registeredAgent(database.db)).agent_id)
      for (const step of keyWays[state] ?? []) await set(credentialId, step)
      return (to) => set(credentialId, to)
    })
    expect(pairs).toEqual(pairsOf(keyMoves))
  },
)

verifies(
  'agent.credential.guarded-in-sql',
  'SQL typed by hand moves a signing version only along the same table',
  async () => {
    const more: Record<string, string> = { ...members, active: ', not_before = now()' }
    const set = (id: string, state: string) =>
      run(
        `update agent_signing_versions set state = '${state}'${more[state]} where agent_id = '${id}'`,
      )
    const pairs = await allowedPairs(keyStates, async (state) => {
      const { agent_id } = await registeredAgent(database.db)
      for (const step of keyWays[state] ?? []) await set(agent_id, step)
      return (to) => set(agent_id, to)
    })
    expect(pairs).toEqual(pairsOf(keyMoves))
  },
)

verifies(
  ['agent.register.key-once', 'agent.register.key-taken-back'],
  'a key speaks for one agent, which keeps it once it claimed something',
  async () => {
    const { agent_id, key_sha256: keySha256, public_key } = await registeredAgent(database.db)
    const other = await registeredAgent(database.db, { keySha256 })
    const version = { agentId: other.agent_id, version: 1, publicKey: public_key, keySha256 }
    expect(await insertSigningVersion(database.db, version)).toBe(false)
    const credentialId = await pendingCredential(agent_id)
    await run(
      `update agent_credentials set state = 'active'${members['active']} where credential_id = '${credentialId}'`,
    )
    expect(await takeKeyBack(database.db, agent_id)).toBe(false)
    await expect(
      run(`delete from agent_signing_versions where agent_id = '${agent_id}'`),
    ).rejects.toThrow(refused)
    expect(await insertSigningVersion(database.db, version)).toBe(false)
  },
)

verifies(
  'agent.credential.guarded-in-sql',
  'an agent has one credential that is active and one that waits',
  async () => {
    const { agent_id } = await registeredAgent(database.db)
    await pendingCredential(agent_id)
    await expect(pendingCredential(agent_id, 2)).rejects.toThrow(/agent_credentials_one/)
  },
)

verifies(
  'agent.credential.digest',
  'only the SHA-256 of a claimed secret is stored, and it never changes',
  async () => {
    const { agent_id } = await registeredAgent(database.db)
    const credentialId = await pendingCredential(agent_id)
    const digest = hex(32)
    await transaction(database.db, async (tx) => {
      const [row] = await listCredentials(tx, agent_id)
      await claimCredential(tx, row!, digest)
    })
    expect(await findCredential(database.db, credentialId)).toMatchObject({
      state: 'active',
      secret_sha256: digest,
      trust_state: 'submitted',
    })
    for (const change of [
      `secret_sha256 = '${hex(32)}'`,
      "scopes = '[]'",
      "rails = '[]'",
      'version = 9',
    ])
      await expect(
        run(`update agent_credentials set ${change} where credential_id = '${credentialId}'`),
        change,
      ).rejects.toThrow(refused)
  },
)

verifies(
  'agent.credential.rotated',
  'claiming the next credential keeps the previous one for the overlap',
  async () => {
    const { agent_id } = await registeredAgent(database.db)
    const claim = (digest: string) =>
      transaction(database.db, async (tx) =>
        claimCredential(tx, (await listCredentials(tx, agent_id))[0]!, digest),
      )
    await pendingCredential(agent_id)
    const first = await claim(hex(32))
    await pendingCredential(agent_id, 2)
    const second = await claim(hex(32))
    const [now2, now1] = await listCredentials(database.db, agent_id)
    expect(now2).toMatchObject({
      credential_id: second.credential_id,
      state: 'active',
      retire_at: null,
    })
    expect(now1).toMatchObject({ credential_id: first.credential_id, state: 'retiring' })
    const overlapMs = now1!.retire_at!.getTime() - now2!.claimed_at!.getTime()
    expect(Math.abs(overlapMs - 60_000)).toBeLessThan(10_000)
    expect(await revokeCredential(database.db, first.credential_id)).toMatchObject({
      state: 'revoked',
    })
    await expect(revokeCredential(database.db, first.credential_id)).rejects.toThrow()
  },
)

verifies(
  'agent.delivery.order',
  'no step of key delivery is skipped, repeated or undone',
  async () => {
    const credentialId = await pendingCredential((await registeredAgent(database.db)).agent_id)
    for (const [index, step] of accessKeyDelivery.entries()) {
      for (const later of accessKeyDelivery.slice(index + 1))
        await expect(
          recordDelivery(database.db, credentialId, later, 'test'),
          later,
        ).rejects.toThrow(refused)
      await recordDelivery(database.db, credentialId, step, 'test')
      await recordDelivery(database.db, credentialId, step, 'again')
    }
    expect(await listDeliveries(database.db, credentialId)).toEqual(accessKeyDelivery)
    const again = database.db
      .selectFrom('credential_deliveries')
      .select('step')
      .where('actor', '=', 'again')
    expect(await again.execute()).toEqual([])
    await expect(
      run(`delete from credential_deliveries where credential_id = '${credentialId}'`),
    ).rejects.toThrow(refused)
  },
)

verifies(
  'agent.register.key-once',
  'twenty registrations of one key at once make one agent',
  async () => {
    const agent = newAgent()
    const made = await Promise.all(
      Array.from({ length: 20 }, () =>
        transaction(database.db, (tx) => insertAgent(tx, agent)).catch(() => undefined),
      ),
    )
    expect(made.filter((row) => row !== undefined)).toHaveLength(1)
  },
)

test('agents are found by token digest and listed by state, rail and review', async () => {
  const agent = await registeredAgent(database.db, { rails: ['energyops'] })
  expect((await findAgentByToken(database.db, agent.status_token_sha256))?.agent_id).toBe(
    agent.agent_id,
  )
  expect(await findAgentByToken(database.db, hex(32))).toBeUndefined()
  const ids = async (undecided: boolean) =>
    (
      await listAgents(
        database.db,
        { states: ['submitted', 'under_review'], rail: 'energyops', undecided },
        10,
      )
    ).map((row) => row.agent_id)
  expect(await ids(true)).toEqual([agent.agent_id])
  await moveTrust(database.db, agent.agent_id, ['under_review'], {
    decisionId: 'dec',
    limits: undefined,
  })
  expect([await ids(true), await ids(false)]).toEqual([[], [agent.agent_id]])
})

verifies(
  'agent.attempts.counted',
  'failed attempts are counted over connections and expire',
  async () => {
    const [address, credential] = [`failed:address:${hex(4)}`, `failed:credential:${hex(8)}`]
    const count = (counts: Record<string, number>) =>
      countInWindows(database.db, new Map(Object.entries(counts)), 60)
    const read = async () => {
      const counted = await readWindows(database.db, [address, credential, 'unknown'])
      return [address, credential, 'unknown'].map((subject) => counted.get(subject)?.points)
    }
    await Promise.all(Array.from({ length: 25 }, () => count({ [address]: 2, [credential]: 1 })))
    expect((await count({ [address]: 1 })).get(address)?.points).toBe(51)
    expect(await read()).toEqual([51, 25, undefined])
    await run(
      `update window_counts set window_ends_at = now() - interval '1 second' where key = '${address}'`,
    )
    expect(await read()).toEqual([undefined, 25, undefined])
    expect((await count({ [address]: 3 })).get(address)?.points).toBe(3)
    await run(
      `update window_counts set window_ends_at = now() - interval '2 hours' where key = '${address}'`,
    )
    await forgetWindows(database.db, 100)
    const { rows } = await run(
      `select key from window_counts where key in ('${address}', '${credential}')`,
    )
    expect(rows).toEqual([{ key: credential }])
  },
)
