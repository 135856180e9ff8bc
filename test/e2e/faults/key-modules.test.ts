import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { type RingName, ringNames } from '#domain/keys/rotation.ts'
import { readSecret, writeSecret } from '../../../activities/config/secret-file.ts'
import { decodeCompact } from '../../../activities/keys/compact.ts'
import type { SigningKeysFile } from '../../../activities/keys/key-ring.ts'
import { type KeySet, verifyReceipt } from '../../../clients/typescript/src/verify.ts'
import { layoutOf } from '../../../worker/stack/layout.ts'
import { type Agent, eventually, openRail, type Rail } from '../../support/agent.ts'
import { buyRun, openAgentUse } from '../../support/agent-use.ts'
import { expectExecutedOnce, insist, refusalOf, restart } from '../../support/faults.ts'
import { makeToken, noSoftHsm, type SoftHsm } from '../../support/softhsm.ts'
import { operatorOf, startStack, type TestStack } from '../../support/stack.ts'
import { walletKeyObject } from '../../support/wallet-key.ts'
import { verifies } from '../../verifies.ts'

describe.skipIf(noSoftHsm !== undefined)('every key of the signer is in SoftHSM', () => {
  let token: SoftHsm
  let stack: TestStack
  let rail: Rail
  beforeAll(async () => {
    token = makeToken()
    const times = { KEY_PUBLISH_S: '2', SWEEP_EVERY_MS: '500' }
    stack = await startStack({
      env: { ...token.env, ...times, PKCS11_RINGS: ringNames.join(',') },
    })
    rail = await openRail(stack)
    await moveWallets()
    await rotate()
  })
  afterAll(async () => {
    await rail?.stop()
    await stack?.stop()
    token?.remove()
  })

  /** The keys of both kinds of wallets leave their files; the addresses stay. */
  async function moveWallets(): Promise<void> {
    const { payoutWalletKey, gasWalletKeys } = layoutOf(stack.dataDirectory)
    const { payoutWallet, gasWallets } = rail.service
    const moved = [payoutWallet, ...gasWallets].map(({ private_key }, index) => {
      const id = `a${index}`
      token.add({ label: `wallet ${index}`, id }, walletKeyObject(private_key))
      return { pkcs11: { id } }
    })
    writeSecret(payoutWalletKey, moved[0])
    writeSecret(gasWalletKeys, moved.slice(1))
    await stack.signer.kill('SIGKILL')
    await restart(stack.signer)
  }

  const operator = () => operatorOf(stack)
  const listed = async () => (await operator().call('keys-list', {})).body

  /** Rotates one ring, or each, and waits until the previous keys are retired. */
  async function rotate(ring?: RingName): Promise<void> {
    await operator().call('signing-rotate', {
      mode: 'rotate_signing_credential',
      target: 'service',
      ...(ring === undefined ? {} : { ring }),
      overlap_seconds: 1,
      revoke_old: false,
      reason: 'keys move into the token',
      idempotency_key: crypto.randomUUID(),
    })
    const { rotations } = await eventually(
      listed,
      (answer) => answer.rotations.every(({ state }) => state === 'done'),
      60_000,
    )
    expect(new Set(rotations.map(({ state }) => state))).toEqual(new Set(['done']))
  }

  const entriesOf = (ring: RingName) =>
    readSecret<SigningKeysFile>(join(stack.dataDirectory, 'keys', 'signing-keys.json'))?.rings[
      ring
    ] ?? []
  const keySet = async () => (await operator().call('jwks', {})).body as unknown as KeySet
  const execute = (agent: Agent, payout_id: string) =>
    agent.client.call('payout-execute', { payout_id, idempotency_key: 'execute' })

  verifies(
    ['signer.modules', 'signer.module-rotation'],
    'a payout and a paid run are signed in the token, across a rotation',
    async () => {
      for (const ring of ringNames) {
        const [old, made, ...more] = entriesOf(ring)
        expect([old?.state, made?.state, more], ring).toEqual(['retired', 'active', []])
        expect(made).toMatchObject({ pkcs11: { label: expect.stringContaining(ring) } })
        expect(made).not.toHaveProperty('private_jwk')
      }
      const agent = await rail.openAgent()
      const first = await rail.authorized(agent)
      const paid = (await insist(() => execute(agent, first.payout_id))).body
      await expectExecutedOnce(rail, paid)

      await rotate('receipt')
      const states = entriesOf('receipt').map(({ state }) => state)
      expect(states).toEqual(['retired', 'retired', 'active'])
      expect(entriesOf('receipt')[2]).toHaveProperty('pkcs11.label')
      const second = await rail.authorized(agent)
      const again = (await insist(() => execute(agent, second.payout_id))).body
      await expectExecutedOnce(rail, again)

      const run = await paidRun()
      expect(run.verification_packet).toMatchObject({ verified: true })
      const receipts = [
        ...paid.receipts,
        ...again.receipts,
        run.return_package.completion_signature,
      ]
      const keys = await keySet()
      for (const receipt of receipts.slice(0, -1)) await verifyReceipt(receipt, keys)
      const kids = receipts.map((jws) => decodeCompact(String(jws)).header['kid'])
      expect([...new Set(kids)]).toEqual(
        entriesOf('receipt')
          .slice(1)
          .map(({ kid }) => kid),
      )
    },
    180_000,
  )

  async function paidRun() {
    const hosts = { base: stack.baseUrls[0] as string, os: stack.osUrls[0] as string }
    return buyRun(await openAgentUse(hosts, stack.accounts.operator.credential))
  }

  verifies(
    'signer.module-faults',
    'calls are refused while the token is away, and work when it is back',
    async () => {
      const agent = await rail.openAgent()
      const payout = await rail.authorized(agent)
      const putBack = token.takeOut()
      expect(await refusalOf(rail.create(agent))).toMatchObject({ code: 'unavailable' })
      putBack()
      await expectExecutedOnce(rail, (await insist(() => execute(agent, payout.payout_id))).body)
    },
  )
})
