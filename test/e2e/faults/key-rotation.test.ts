import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import {
  type RingName,
  type RotationState,
  ringNames,
  rotationStates,
} from '#domain/keys/rotation.ts'
import { decodeCompact } from '../../../activities/keys/compact.ts'
import { type KeySet, verifyReceipt } from '../../../clients/typescript/src/verify.ts'
import { eventually } from '../../support/agent.ts'
import { pause, restart } from '../../support/processes.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'
import { readPostgres } from '../chaos/checker/read-postgres.ts'

let stack: TestStack
beforeAll(async () => {
  stack = await startStack({ workers: 2, env: { KEY_PUBLISH_S: '2', SWEEP_EVERY_MS: '500' } })
})
afterAll(() => stack?.stop())

const operator = () => operatorOf(stack)
const listed = async () => (await operator().call('keys-list', {})).body
const keySet = async () => (await operator().call('jwks', {})).body as unknown as KeySet
const order = (ring?: RingName, more: object = {}) =>
  operator().call('signing-rotate', {
    mode: 'rotate_signing_credential',
    target: 'service',
    ...(ring === undefined ? {} : { ring }),
    overlap_seconds: 3,
    revoke_old: false,
    reason: 'a rotation in a test',
    idempotency_key: crypto.randomUUID(),
    ...more,
  })

const keysFile = z.object({
  rings: z.record(z.string(), z.array(z.object({ kid: z.string(), state: z.string() }))),
})
const fileOf = (ring: string) => {
  const path = join(stack.dataDirectory, 'keys', 'signing-keys.json')
  return keysFile.parse(JSON.parse(readFileSync(path, 'utf8'))).rings[ring] ?? []
}

/** Signs receipts without a pause until `stop`; `refused` has what any call got instead. */
function signing() {
  const receipts: string[] = []
  const refused: string[] = []
  let stopped = false
  const loop = async () => {
    while (!stopped) {
      await operator()
        .call('keys-list', {})
        .then(
          ({ body }) => receipts.push(body.receipt.jws),
          (error: unknown) => refused.push(String(error)),
        )
      await pause(20)
    }
  }
  const loops = [loop(), loop()]
  const stop = async () => {
    stopped = true
    await Promise.all(loops)
    return { receipts, refused }
  }
  return { receipts, stop }
}

const kidOf = (jws: string) => String(decodeCompact(jws).header['kid'])
async function expectAllVerify(receipts: readonly string[]): Promise<void> {
  const keys = await keySet()
  for (const receipt of receipts) await verifyReceipt(receipt, keys)
}

/** What the stored receipts say that was done for a rotation, and to which key. */
async function actsOf(rotationId: string): Promise<unknown[][]> {
  const { receipts } = await readPostgres(stack.databaseUrl)
  return receipts
    .map(({ jws }) => decodeCompact(jws).payload)
    .filter((claims) => claims['rotation_id'] === rotationId)
    .map((claims) => [claims['act'], claims['act_on']])
    .toSorted()
}

/** The state of a rotation; undefined while the service cannot answer. */
const stateOf = (rotationId: string) =>
  listed().then(
    ({ rotations }) => rotations.find(({ rotation_id }) => rotation_id === rotationId)?.state,
    () => undefined,
  )
const reached = (rotationId: string, from: RotationState) =>
  eventually(
    () => stateOf(rotationId),
    (state) => state !== undefined && rotationStates.indexOf(state) >= rotationStates.indexOf(from),
    60_000,
    20,
  )

verifies(
  ['keys.rotation', 'keys.no-restart'],
  'every ring rotates while receipts are signed, and no call is refused',
  async () => {
    const before = (await listed()).keys
    const signed = signing()
    const key = { idempotency_key: 'rotate-all' }
    const { body, status } = await order(undefined, key)
    expect(status).toBe(201)
    expect((await order(undefined, key)).body).toEqual(body)
    await expect(order('log')).rejects.toMatchObject({ code: 'rotation_in_progress' })
    const { rotations } = await eventually(
      listed,
      (answer) => answer.rotations.every(({ state }) => state === 'done'),
      60_000,
    )
    expect(rotations.map(({ state }) => state)).toEqual(ringNames.map(() => 'done'))
    await pause(200)
    const { receipts, refused } = await signed.stop()
    expect(refused).toEqual([])
    const { keys } = await listed()
    for (const ring of ringNames) {
      const [old, next, ...more] = keys.filter((one) => one.ring === ring)
      expect(more).toEqual([])
      expect(old).toMatchObject({
        kid: before.find((one) => one.ring === ring)?.kid,
        state: 'retired',
      })
      expect(next).toMatchObject({ state: 'active' })
      expect(fileOf(ring).map(({ state }) => state)).toEqual(['retired', 'active'])
    }
    const kids = keys.filter(({ ring }) => ring === 'receipt').map(({ kid }) => kid)
    expect([...new Set(receipts.map(kidOf))]).toEqual(kids)
    const [old, current] = keys.filter(({ ring }) => ring === 'authority')
    const authority = (await operator().call('authority-key', {})).body
    expect(authority).toMatchObject({
      key_id: current?.kid,
      previous_versions: [{ key_id: old?.kid, retired_at: old?.retired_at, revoked_at: null }],
    })
    await expectAllVerify(receipts)
  },
)

const waits = [0, 30, 100, 300]

verifies(
  'keys.rotation-killed',
  'a kill at each step loses nothing and makes no second key',
  async () => {
    const signed = signing()
    for (const [attempt, ring] of (['receipt', 'authority', 'log'] as const).entries()) {
      const count = fileOf(ring).length
      const { body } = await order(ring)
      const id = 'rotations' in body ? String(body.rotations[0]?.rotation_id) : ''
      for (const [index, state] of (['requested', 'published', 'active'] as const).entries()) {
        await reached(id, state)
        await pause(waits[(attempt + index) % waits.length] as number)
        const victims = [stack.worker(0), stack.worker(1), stack.api(), stack.signer]
        await Promise.all(victims.map((part) => part.kill('SIGKILL')))
        for (const part of victims.reverse()) await restart(part)
      }
      expect(await reached(id, 'done')).toBe('done')
      const [previous, next] = fileOf(ring).slice(-2)
      expect(fileOf(ring)).toHaveLength(count + 1)
      expect([previous?.state, next?.state]).toEqual(['retired', 'active'])
      const { keys } = await listed()
      const published = keys.filter((one) => one.ring === ring)
      expect(published.map(({ kid }) => kid)).toEqual(fileOf(ring).map(({ kid }) => kid))
      expect(published.map(({ state }) => state)).toEqual([
        ...Array.from({ length: count }, () => 'retired'),
        'active',
      ])
      expect(await actsOf(id)).toEqual([
        ['signing_key_activate', next?.kid],
        ['signing_key_publish', next?.kid],
        ['signing_key_retire', previous?.kid],
      ])
    }
    const { receipts } = await signed.stop()
    expect(receipts.length).toBeGreaterThan(50)
    await expectAllVerify(receipts)
  },
  360_000,
)

verifies(
  'keys.rotation-hastened',
  'a rotation within its overlap ends at once by an order or with its key',
  async () => {
    const overlapping = async (ring: RingName) => {
      const { body } = await order(ring, { overlap_seconds: 3_600 })
      const id = 'rotations' in body ? String(body.rotations[0]?.rotation_id) : ''
      expect(await reached(id, 'active')).toBe('active')
      return id
    }
    const standings = async (ring: RingName) =>
      (await listed()).keys.filter((one) => one.ring === ring).map(({ state }) => state)

    const leaked = await overlapping('checkout')
    expect((await order('checkout', { revoke_old: true })).status).toBe(201)
    expect(await reached(leaked, 'done')).toBe('done')
    expect((await standings('checkout')).slice(-2)).toEqual(['revoked', 'active'])

    const dropped = await overlapping('log')
    await operator().call('keys-revoke', {
      mode: 'revoke_key',
      kid: fileOf('log').find(({ state }) => state === 'active')?.kid ?? '',
      reason: 'a leak in a test',
      idempotency_key: crypto.randomUUID(),
    })
    expect(await reached(dropped, 'done')).toBe('done')
    expect((await standings('log')).slice(-2)).toEqual(['retiring', 'revoked'])
    expect(
      fileOf('log')
        .map(({ state }) => state)
        .slice(-2),
    ).toEqual(['active', 'retired'])
  },
)
