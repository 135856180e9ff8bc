import fc from 'fast-check'
import { test } from 'vitest'
import { bumpFees, type Fees } from '../../../activities/chain/fees.ts'
import { verifies } from '../../verifies.ts'

const wei = fc.bigInt({ min: 1n, max: 10n ** 15n })
/** As estimates are: the priority fee is part of the most that is offered. */
const fees: fc.Arbitrary<Fees> = fc.tuple(wei, wei).map(([base, maxPriorityFeePerGas]) => ({
  maxFeePerGas: base + maxPriorityFeePerGas,
  maxPriorityFeePerGas,
}))
const parts = ['maxFeePerGas', 'maxPriorityFeePerGas'] as const
const ceilingOf = (network: Fees) => (network.maxFeePerGas + network.maxPriorityFeePerGas) * 20n

verifies(
  'gas-wallets.laws',
  'a replacement pays an eighth more in both fees, within the ceiling',
  () => {
    fc.assert(
      fc.property(fees, fees, (old, network) => {
        const raised = bumpFees(old, network)
        if (raised === undefined)
          return old.maxFeePerGas * 1125n + 999n > ceilingOf(network) * 1000n
        const enough = parts.every(
          (part) => raised[part] * 1000n >= old[part] * 1125n && raised[part] >= network[part],
        )
        return (
          enough &&
          raised.maxPriorityFeePerGas <= raised.maxFeePerGas &&
          raised.maxFeePerGas <= ceilingOf(network)
        )
      }),
    )
  },
)

verifies(
  'gas-wallets.laws',
  'a replacement never pays less than before or than the network asks',
  () => {
    fc.assert(
      fc.property(fees, fees, wei, wei, (old, network, more, asked) => {
        const one = bumpFees(old, network)
        const dearer = {
          maxFeePerGas: old.maxFeePerGas + more,
          maxPriorityFeePerGas: old.maxPriorityFeePerGas + more,
        }
        const higher = bumpFees(dearer, network)
        if (
          one !== undefined &&
          higher !== undefined &&
          parts.some((part) => higher[part] < one[part])
        )
          return false
        const busy = { ...network, maxFeePerGas: network.maxFeePerGas + asked }
        const there = bumpFees(old, busy)
        return (
          one === undefined ||
          (there !== undefined && parts.every((part) => there[part] >= one[part]))
        )
      }),
    )
  },
)

test('repeated raises reach the ceiling within forty steps and stay there', () => {
  fc.assert(
    fc.property(fees, (network) => {
      let offered: Fees | undefined = network
      for (let steps = 0; steps <= 40; steps++) {
        const next = bumpFees(offered, network)
        if (next === undefined) return bumpFees(offered, network) === undefined
        offered = next
      }
      return false
    }),
  )
})
