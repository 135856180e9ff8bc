import fc from 'fast-check'
import { expect } from 'vitest'
import { countedAddress, networkOf } from '../../api/client-address.ts'
import { verifies } from '../verifies.ts'

verifies('admission.address-form', 'IPv6 counts by its /64, and mapped IPv4 as IPv4', () => {
  const cases: Record<string, string> = {
    '192.0.2.7': '192.0.2.7',
    '::ffff:192.0.2.7': '192.0.2.7',
    '::ffff:c000:207': '192.0.2.7',
    '0:0:0:0:0:ffff:c000:0207': '192.0.2.7',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:DB8:1:2::': '2001:db8:1:2::/64',
    '2001:db8::1': '2001:db8:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '::1': '0:0:0:0::/64',
    unknown: 'unknown',
  }
  for (const [address, counted] of Object.entries(cases))
    expect(countedAddress(address), address).toBe(counted)
})

verifies('admission.address-form', 'the network of IPv4 is its /24, of IPv6 its /64', () => {
  const networks = ['192.0.2.7', '192.0.2.250', '2001:db8:1:2::9', 'unknown'].map((address) =>
    networkOf(countedAddress(address)),
  )
  expect(networks).toEqual(['192.0.2.0/24', '192.0.2.0/24', '2001:db8:1:2::/64', 'unknown'])
})

verifies(
  'admission.address-form',
  'two addresses count as one exactly when their first 64 bits are equal',
  () => {
    const group = fc.integer({ min: 1, max: 0xffff }).map((value) => value.toString(16))
    const network = fc.array(group, { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(network, network, network, network, (one, other, host, otherHost) => {
        const counted = countedAddress([...one, ...host].join(':'))
        expect(countedAddress([...one, ...otherHost].join(':'))).toBe(counted)
        expect(countedAddress([...other, ...host].join(':')) === counted).toBe(
          one.join() === other.join(),
        )
      }),
    )
  },
)
