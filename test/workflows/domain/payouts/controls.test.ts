import { expect } from 'vitest'
import { controlTarget, pauseNote } from '#domain/payouts/controls.ts'
import { verifies } from '../../../verifies.ts'
import { refusalOf } from '../refusal.ts'

const wallet = `0x${'aB'.repeat(20)}`
const payout = `po_${'0'.repeat(64)}`
const agent = `agt_${'0'.repeat(64)}`
const allowanceWallet = `aw_${'0'.repeat(64)}`

verifies('switches.scopes', 'each scope takes the target of its kind, or none', () => {
  expect(controlTarget('wallet', wallet)).toBe(wallet.toLowerCase())
  expect(controlTarget('payout', payout)).toBe(payout)
  expect(controlTarget('wallet', allowanceWallet)).toBe(allowanceWallet)
  expect(controlTarget('rail', 'EnergyOps')).toBe('energyops')
  expect(controlTarget('agent', agent)).toBe(agent)
  for (const scope of ['service', 'payouts'] as const)
    for (const target of [undefined, '']) expect(controlTarget(scope, target)).toBe('')
  for (const [scope, target] of [
    ['service', wallet],
    ['payouts', 'payouts'],
    ['wallet', undefined],
    ['wallet', payout],
    ['wallet', '0x12'],
    ['payout', wallet],
    ['payout', undefined],
    ['wallet', `${wallet}0`],
    ['wallet', `x${wallet}`],
    ['wallet', 'aw_a'],
    ['wallet', `aw_${'g'.repeat(64)}`],
    ['payout', `${payout}0`],
    ['payout', `x${payout}`],
    ['rail', undefined],
    ['rail', 'energy'],
    ['rail', 'energyopsx'],
    ['agent', undefined],
    ['agent', payout],
  ] as const) {
    expect(refusalOf(() => controlTarget(scope, target))).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/target', message: expect.stringMatching(/\S/) }],
    })
  }
})

verifies('switches.shown', 'the note names the pause of everything and counts the rest', () => {
  const single = { scope: 'wallet', target: wallet, reason: 'private' } as const
  expect(pauseNote([])).toBeUndefined()
  expect(pauseNote([{ scope: 'payouts', target: '', reason: 'night' }])).toBe(
    'paused: payouts (night)',
  )
  expect(
    pauseNote([
      { scope: 'service', target: '', reason: 'audit' },
      { scope: 'payouts', target: '', reason: 'night' },
      single,
    ]),
  ).toBe('paused: everything (audit), payouts (night), 1 single wallet, payout or agent')
  expect(pauseNote([{ scope: 'rail', target: 'energyops', reason: 'tariffs' }])).toBe(
    'paused: energyops (tariffs)',
  )
  expect(pauseNote([single, single])).toBe('paused: 2 single wallets, payouts or agents')
})
