import { z } from 'zod'
import { parseCredential } from '#domain/agents/credential.ts'
import { digestOf } from '#domain/core/canonical-json.ts'
import { harnessRails, type suites } from '#domain/harness/suites.ts'
import { expireSandboxCredential } from '../../store/harness/runs.ts'
import { USE_PATH } from '../play-run.ts'
import {
  claimAccessKey,
  expectRefusal,
  type KeyedPlayer,
  keep,
  keyFor,
  openPlayer,
  read,
  registerPlayer,
  type Session,
} from '../session.ts'
import type { ScriptsOf } from './scripts.ts'

/** A call that any good access key with `runs:read` may make. */
const listRuns = ({ surface }: Session, headers: Record<string, string> = {}) =>
  surface.send({ method: 'POST', path: USE_PATH, headers, body: { mode: 'read_agent_use_runs' } })

/** Shows once that the key of an agent works, before the test takes it away. */
const seeWorking = (session: Session, name: string, { headers }: KeyedPlayer) =>
  keep(session, `works:${name}`, async () => {
    read(await listRuns(session, headers), 200, z.looseObject({}))
    return 'yes'
  })

type Rotation = { name: string; overlap_seconds?: number; revoke_old?: boolean; agent_id?: string }

const rotate = (session: Session, { headers }: KeyedPlayer, { name, ...asked }: Rotation) =>
  session.surface.send({
    method: 'POST',
    path: '/api/signing-secret-rotation',
    headers,
    body: {
      mode: 'rotate_signing_credential',
      target: 'own_access_key',
      reason: 'a test of this service',
      idempotency_key: keyFor(session, `rotate-${name}`),
      ...asked,
    },
  })

/** Access keys in ten states and uses, each presented to the call that it would open. */
export const credentialEnforcement: ScriptsOf<
  (typeof suites)['credential-enforcement-agent-test']
> = {
  none: async (session) => expectRefusal(await listRuns(session), 401, 'credential_required'),
  malformed: async (session) => {
    const refused = await listRuns(session, { authorization: 'Bearer no-access-key' })
    expectRefusal(refused, 401, 'credential_required', 'credential_invalid')
  },
  unknown: async (session) => {
    const secret = digestOf({ unknown: session.run.test_run_id })
    const authorization = `Bearer ag_${secret.slice(0, 16)}_${secret}`
    expectRefusal(await listRuns(session, { authorization }), 401, 'credential_invalid')
  },
  revoked: async (session) => {
    const player = await openPlayer(session, 'revoked')
    await seeWorking(session, 'revoked', player)
    // A repeat finds the key revoked, so that only the call after it decides.
    await rotate(session, player, { name: 'revoked', revoke_old: true })
    expectRefusal(await listRuns(session, player.headers), 401, 'credential_invalid')
  },
  expired: async (session) => {
    const player = await openPlayer(session, 'expired')
    await seeWorking(session, 'expired', player)
    const { agentId, accessKey } = player
    const { credentialId = '' } = parseCredential(accessKey) ?? {}
    await expireSandboxCredential(session.db, { agentId, credentialId })
    expectRefusal(await listRuns(session, player.headers), 401, 'credential_invalid')
  },
  'wrong scope': async (session) => {
    const { headers } = await openPlayer(session, 'active')
    const path = `/api/agent-allowance-wallet?wallet_id=aw_${'0'.repeat(64)}`
    const refused = await session.surface.send({ method: 'GET', path, headers })
    expectRefusal(refused, 403, 'scope_denied')
  },
  'wrong rail': async (session) => {
    const { headers } = await openPlayer(session, 'active')
    const rail = harnessRails.find((one) => one !== session.run.rail)
    const body = { rail, tier: 'entry', idempotency_key: keyFor(session, 'wrong-rail') }
    const path = '/api/agents/quote'
    const refused = await session.surface.send({ method: 'POST', path, headers, body })
    expectRefusal(refused, 403, 'rail_not_allowed')
  },
  'retiring version': async (session) => {
    const player = await openPlayer(session, 'retiring')
    const rotated = await rotate(session, player, { name: 'retiring', overlap_seconds: 3600 })
    read(rotated, 201, z.looseObject({ version: z.looseObject({}) }))
    await claimAccessKey(session, 'retiring', player, 2)
    read(await listRuns(session, player.headers), 200, z.looseObject({}))
  },
  active: async (session) => {
    const { headers } = await openPlayer(session, 'active')
    read(await listRuns(session, headers), 200, z.looseObject({}))
  },
  'cross-account': async (session) => {
    const player = await openPlayer(session, 'active')
    const { agentId: agent_id } = await registerPlayer(session, 'other')
    expectRefusal(await rotate(session, player, { name: 'cross', agent_id }), 403, 'not_owner')
  },
}
