import fc from 'fast-check'
import { expect } from 'vitest'
import { isPublicAddress, readTarget } from '../../../activities/http/address-rules.ts'
import { verifies } from '../../verifies.ts'
import { carriers, insideV4, insideV6, writings } from './address-forms.ts'
import { firstAndLast, isPublicByRegistry, specialV4, specialV6 } from './iana-registry.ts'

verifies(
  'outgoing.addresses',
  'public addresses are allowed, and no address of special space',
  () => {
    for (const address of [
      '1.1.1.1',
      '8.8.8.8',
      '93.184.215.14',
      '2606:4700::1111',
      '2a00:1450:4001:80b::200e',
    ])
      expect(isPublicAddress(address), address).toBe(true)
    const inside = [...insideV4, ...insideV6, ...insideV4.flatMap(carriers), ...carriers('8.8.8.8')]
    expect(inside.filter(isPublicAddress)).toEqual([])
  },
)

verifies(
  'outgoing.addresses',
  'a text that is not one address in plain notation is refused',
  () => {
    for (const text of [
      '',
      'localhost',
      '1.1.1',
      '01.1.1.1',
      '16843009',
      '0x1010101',
      '2606:4700::1%eth0',
      '[2606:4700::1]',
    ])
      expect(isPublicAddress(text), text).toBe(false)
  },
)

verifies(
  'outgoing.addresses',
  'the edges of every block of the IANA registries are refused',
  () => {
    const edges = [...specialV4, ...specialV6].flatMap((cidr) => firstAndLast(cidr))
    expect(edges.filter(isPublicAddress)).toEqual([])
  },
)

verifies('outgoing.addresses', 'an address is public if no IANA block contains it', () => {
  const block = fc.constantFrom(...specialV4, ...specialV6)
  const edge = block.chain((cidr) => fc.constantFrom(...firstAndLast(cidr)))
  const globalV6 = fc.ipV6().map((address) => address.replace(/^[^:]*/, '2a00'))
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), globalV6, edge), (address) => {
      expect(isPublicAddress(address), address).toBe(isPublicByRegistry(address))
    }),
    { numRuns: 20_000 },
  )
})

verifies('outgoing.urls', 'a plain HTTPS URL with a DNS name is accepted', () => {
  for (const text of [
    'https://hooks.receiver.example',
    'https://hooks.receiver.example/',
    'https://hooks.receiver.example:443/in?x=1&y=%2F#part',
    'HTTPS://Hooks.Receiver.Example/In',
    'https://xn--bcher-kva.example/a',
    'https://a1.b-2.example/',
    `https://hooks.receiver.example/${'x'.repeat(2017)}`,
  ])
    expect(readTarget(text), text).toMatchObject({ ok: true })
})

const forms = [
  'http://hooks.receiver.example/',
  'ftp://hooks.receiver.example/',
  'file:///etc/passwd',
  'gopher://hooks.receiver.example/',
  'javascript:alert(1)',
  'data:text/plain,x',
  '//hooks.receiver.example/',
  'hooks.receiver.example',
  'https:hooks.receiver.example/',
  'https:/hooks.receiver.example/',
  'https:///hooks.receiver.example/',
  'https:\\\\hooks.receiver.example\\',
  ' https://hooks.receiver.example/',
  'https://hooks.receiver.example/ ',
  'https://hooks.receiver.example/a b',
  'https://hooks.receiver.example/\n',
  'https://hooks.receiver.example/\r\nHost: 127.0.0.1',
  'https://hooks.re\tceiver.example/',
  'https://hooks.receiver.example\u0000.other.example/',
  'https://hooks.receiver.example/\u00e9',
  'https://localhost/',
  'https://localhost./',
  'https://receiver/',
  'https://hooks.receiver.example./',
  'https://hooks..receiver.example/',
  'https://.receiver.example/',
  'https://-hooks.receiver.example/',
  'https://hooks-.receiver.example/',
  'https://hooks_1.receiver.example/',
  'https://*.receiver.example/',
  'https://hooks.receiver.123/',
  'https://hooks.receiver.0x1/',
  'https://hooks.receiver.example:8443/',
  'https://hooks.receiver.example:80/',
  'https://hooks.receiver.example:0443/',
  'https://hooks.receiver.example:/',
  'https://hooks.receiver.example:443:443/',
  'https://user@hooks.receiver.example/',
  'https://user:secret@hooks.receiver.example/',
  'https://:secret@hooks.receiver.example/',
  'https://@hooks.receiver.example/',
  'https://hooks.receiver.example\\@127.0.0.1/',
  'https://hooks.receiver.example/\\@127.0.0.1/',
  'https://h\u00f6\u00f6ks.receiver.example/',
  'https://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/',
  'https://hooks\u3002receiver\u3002example/',
  'https://hooks.receiver\uff0eexample/',
  'https://hooks.rec\u0435iver.example/',
  'https://hooks%2ereceiver.example/',
  'https://hooks.receiver.example%00.other.example/',
  'https://xn--a.example/',
  `https://${'a'.repeat(64)}.example/`,
  `https://${'abcdefghi.'.repeat(26)}example/`,
  `https://hooks.receiver.example/${'x'.repeat(2018)}`,
]

verifies('outgoing.urls', 'every other form of URL is refused', () => {
  for (const text of forms)
    expect(readTarget(text), JSON.stringify(text)).toMatchObject({ ok: false })
})

verifies('outgoing.urls', 'an address as host is refused in every notation', () => {
  const hosts = [...insideV4, '8.8.8.8']
    .flatMap(writings)
    .concat(insideV6.map((address) => `[${address}]`))
  expect(hosts.length).toBeGreaterThan(900)
  expect(hosts.filter((host) => readTarget(`https://${host}/`).ok)).toEqual([])
})

verifies('outgoing.urls', 'our own hosts are refused in any case', () => {
  for (const text of ['https://api.rails.example/x', 'https://API.Rails.Example:443/'])
    expect(readTarget(text, ['api.rails.example']), text).toMatchObject({ ok: false })
  expect(readTarget('https://other.rails.example/x', ['api.rails.example'])).toMatchObject({
    ok: true,
  })
})

verifies('outgoing.urls', 'the URL parser reads an accepted URL the same way', () => {
  const piece = fc.constantFrom(
    'https://',
    'hooks.receiver.example',
    '127.0.0.1',
    '@',
    ':',
    '/',
    '\\',
    '#',
    '?',
    '.',
    '443',
    '%2e',
    '[::1]',
    '\u3002',
    'a',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = `https://${pieces.join('')}`
      const target = readTarget(text)
      if (!target.ok) return
      expect(target.url.origin).toBe(`https://${target.url.hostname}`)
      expect(text.slice(8).toLowerCase().startsWith(target.url.hostname)).toBe(true)
      expect(target.url.username + target.url.password).toBe('')
    }),
    { numRuns: 5_000 },
  )
})
