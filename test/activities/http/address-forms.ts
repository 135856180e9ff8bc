/** IPv4 addresses that no outside host may have, one or more of each special range. */
export const insideV4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.254',
  '127.0.0.1',
  '127.1.2.3',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.7',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
]

/** IPv6 addresses of special space; the forms that carry an IPv4 address are made by `carriers`. */
export const insideV6 = [
  '::',
  '::1',
  '100::1',
  'fc00::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '64:ff9b:1::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '3fff::1',
  '5f00::1',
  '4000::1',
  'e000::1',
]

const octets = (address: string) =>
  address.split('.').map(Number) as [number, number, number, number]
const hex = (value: number, digits = 0) => value.toString(16).padStart(digits, '0')
const whole = (address: string) => octets(address).reduce((sum, octet) => sum * 256 + octet, 0)
const pairs = (address: string) => {
  const [a, b, c, d] = octets(address)
  return `${hex(a * 256 + b)}:${hex(c * 256 + d)}`
}

/** IPv6 forms that carry an IPv4 address: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP. */
export const carriers = (address: string): string[] => [
  `::ffff:${address}`,
  `::ffff:${pairs(address)}`,
  `0:0:0:0:0:ffff:${pairs(address)}`,
  `::${pairs(address)}`,
  `::ffff:0:${pairs(address)}`,
  `64:ff9b::${pairs(address)}`,
  `64:ff9b:1::${pairs(address)}`,
  `2002:${pairs(address)}::1`,
  `2001:0:${pairs(address)}::1`,
  `fe80::5efe:${pairs(address)}`,
]

/** Ways to write an address as the host of a URL that some parser or resolver reads as that address. */
export function writings(address: string): string[] {
  const [a, b, c, d] = octets(address)
  const fullWidth = (text: string) =>
    text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
  const enclosed = (text: string) =>
    text
      .replace(/[1-9]/g, (digit) => String.fromCodePoint(0x2460 + Number(digit) - 1))
      .replace(/0/g, '\u24ea')
  const octal = [a, b, c, d].map((octet) => `0${octet.toString(8)}`)
  return [
    address,
    `${address}.`,
    `${address}:443`,
    String(whole(address)),
    `0x${hex(whole(address), 8)}`,
    `0X${hex(whole(address)).toUpperCase()}`,
    `0${whole(address).toString(8)}`,
    octal.join('.'),
    octal.map((octet) => `000${octet}`).join('.'),
    [a, b, c, d].map((octet) => `0x${hex(octet)}`).join('.'),
    `0x${hex(a)}.${b}.${octal[2]}.${d}`,
    `${a}.${whole(address) % 2 ** 24}`,
    `${a}.${b}.${c * 256 + d}`,
    address.replace('.', '%2e'),
    [...address].map((char) => `%${hex(char.charCodeAt(0), 2)}`).join(''),
    fullWidth(address),
    enclosed(address),
    address.replaceAll('.', '\u3002'),
    address.replace('.', '\uff0e'),
    `${a}\u00ad.${b}.${c}.${d}`,
    `hooks.receiver.example@${address}`,
    `hooks.receiver.example:x@${address}`,
    `${address}#@hooks.receiver.example`,
    `${address}\\@hooks.receiver.example`,
    ...carriers(address).map((form) => `[${form}]`),
  ]
}
