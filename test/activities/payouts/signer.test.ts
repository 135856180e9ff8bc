import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recoverAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { authorizationDigest } from '../../../activities/chain/authorization.ts'
import { digestSigner } from '../../../activities/chain/secp256k1.ts'
import { openDayJournal } from '../../../activities/payouts/day-count.ts'
import { createPayoutSigner } from '../../../activities/payouts/signer.ts'
import { authorizationOf } from '../../../activities/payouts/transfer.ts'
import { newWallet } from '../../support/chain.ts'
import { type Order, signingPolicy as policy, signedOrders } from '../../support/signing-order.ts'
import { verifies } from '../../verifies.ts'

const START = Math.floor(Date.now() / 1000)
const key = newWallet().privateKey
const limit = { ...policy, dailyCapAtomic: 10_000_000n }

verifies('signer.counts-day', 'payouts above twice the cap are withheld for a day', async () => {
  let now = START
  const signer = createPayoutSigner(digestSigner(key), limit, { nowSeconds: () => now })
  const orders = await signedOrders(6)
  for (const order of orders.slice(0, 4)) {
    const answer = await signer.sign(order)
    if (!('signature' in answer)) throw new Error(answer.withheld)
    const hash = authorizationDigest(policy.asset, authorizationOf(order.transfer))
    expect(await recoverAddress({ hash, signature: answer.signature as `0x${string}` })).toBe(
      privateKeyToAccount(key).address,
    )
    now += 60
  }
  const [first, , , , fifth, sixth] = orders as [never, never, never, never, never, never]
  const withheld = {
    withheld:
      'this signer signed 20000000 atomic units in the last 24 hours, and 20000000 is its limit',
  }
  expect(await signer.sign(fifth)).toEqual(withheld)
  // What was signed already is signed again and counts once.
  expect(await signer.sign(first)).toHaveProperty('signature')
  now = START + 24 * 3600
  expect(await signer.sign(fifth)).toEqual(withheld)
  now = START + 24 * 3600 + 1
  expect(await signer.sign(fifth)).toHaveProperty('signature')
  expect(await signer.sign(sixth)).toHaveProperty('withheld')
})

verifies('signer.counts-day', 'a payout that is withheld does not count', async () => {
  const signer = createPayoutSigner(digestSigner(key), limit)
  const orders = await signedOrders(4)
  const [first] = orders
  if (first === undefined) throw new Error('no order')
  for (let time = 0; time < 10; time += 1)
    expect(await signer.sign({ ...first, inUse: 10_000_001n })).toHaveProperty('withheld')
  for (const order of orders) expect(await signer.sign(order)).toHaveProperty('signature')
})

verifies('signer.remembers', 'a signer that starts again has the count of its day', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-day-'))
  const path = join(scratch, 'payout.json.journal')
  let now = START
  const started = () => {
    const journal = openDayJournal(path, () => now)
    return createPayoutSigner(digestSigner(key), limit, { journal, nowSeconds: () => now })
  }
  const [first, ...others] = (await signedOrders(5)) as [Order, ...Order[]]
  expect(await started().sign(first)).toHaveProperty('signature')
  now += 60
  const again = started()
  expect(await Promise.all([again.sign(first), again.sign(first)])).toHaveLength(2)
  const answers = await Promise.all(others.map((order) => again.sign(order)))
  expect(answers.filter((answer) => 'signature' in answer)).toHaveLength(3)
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(4)
  const [, , , last] = others as [Order, Order, Order, Order]
  expect(await started().sign(last)).toEqual({
    withheld: expect.stringContaining('signed 20000000 atomic units'),
  })
  now = START + 24 * 3600 + 1
  expect(await started().sign(last)).toHaveProperty('signature')
  expect(readFileSync(path, 'utf8')).not.toContain(first.payout.payout_id)
  rmSync(scratch, { recursive: true })
})
