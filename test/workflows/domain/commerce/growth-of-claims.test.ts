import { expect, vi } from 'vitest'
import { judgeClaims } from '#domain/commerce/claims.ts'
import { packetops } from '#domain/rails/packetops/index.ts'
import { denialsIn } from '#domain/rails/text/denial.ts'
import { verifies } from '../../../verifies.ts'

vi.mock('#domain/rails/text/denial.ts', { spy: true })

const claimed = (claims: readonly string[], text: string) =>
  judgeClaims(
    claims.map((claim) => ({ claim, artifact: 'x' })),
    [{ name: 'x', sha256: '', bytes: text.length, text }],
  )

const readText = (content: string) =>
  packetops.work({ title: 'x', items: [{ name: 'x', section: 'x', content }] })

verifies('isolation.growth', 'a sentence is read for denials once, whatever is claimed', () => {
  const text = 'No a is a. Not b is a. A is b.'
  for (const claims of [['a'], Array<string>(50).fill('a'), ['a', 'b', 'is a', 'a is b']]) {
    vi.mocked(denialsIn).mockClear()
    claimed(claims, text)
    expect(denialsIn).toHaveBeenCalledTimes(3)
  }
})

const SIZE = 16_000
const columns = (size: number) => Array.from({ length: size / 8 }, (_, at) => `c${at}`)
const units = [
  'no a ',
  'not a and is ',
  'a, which no ',
  'not closed, ',
  'not only ',
  '__',
  'never be ',
  'not absent ',
  'contract revoked ',
]
const repeated = (unit: string): [string, (size: number) => void] => [
  unit,
  (size) => denialsIn(`not ${unit.repeat(size / unit.length)}`),
]
const texts: [string, (size: number) => void][] = [
  ...units.map(repeated),
  ['claims', (size) => claimed(['a', 'no a', 'a no a'], 'no a '.repeat(size / 5))],
  ['an unclosed quote', (size) => claimed(['a'], `["${'\\"'.repeat(size)} a`)],
  ['spaces in no JSON', (size) => readText(`[${' '.repeat(size)}x`)],
  ['columns', (size) => readText(`${columns(size).join()}\n${columns(size).join()}`)],
]

/** The least of some measurements of processor time. */
function cpuOf(work: (size: number) => void, size: number): number {
  const all = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    work(size)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...all)
}

for (const [name, work] of texts)
  verifies('isolation.growth', `sixteen times of ${name} takes no square of the time`, () => {
    cpuOf(work, SIZE)
    // A square takes 256 times as long; short times say more of the machine than of the work.
    const ratio = () => cpuOf(work, 16 * SIZE) / Math.max(2, cpuOf(work, SIZE))
    expect([1, 2, 3].some(() => ratio() < 64)).toBe(true)
  })
