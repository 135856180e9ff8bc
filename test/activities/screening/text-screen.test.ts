import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { rails } from '#domain/rails/index.ts'
import type { UploadType } from '#domain/rails/input/documents.ts'
import { textScreenOf } from '../../../activities/screening/text-screen.ts'
import { secrets } from '../../support/secrets.ts'
import { verifies } from '../../verifies.ts'
import { contractWith, frozen, tuning } from '../../workflows/domain/rails/contractops/clauses.ts'
import { questionnaire } from '../../workflows/domain/rails/diligenceops/questionnaire.ts'
import { goldenInputs } from '../../workflows/domain/rails/golden.ts'
import { fullPacket } from '../../workflows/domain/rails/packetops/packet.ts'

type TextType = 'text/plain' | 'text/csv' | 'application/x-ndjson'
const written: Record<TextType, (text: string) => string> = {
  'text/plain': (text) => `It says: ${text} and no more.\n`,
  'text/csv': (text) => `at,note,count\n2026-01-01,"${text.replaceAll('"', '""')}",1\n`,
  'application/x-ndjson': (text) => `${JSON.stringify({ at: '2026-01-01', note: text })}\n`,
}
const types = Object.keys(written) as TextType[]

async function found(type: UploadType, bytes: Buffer, chunk = 512 * 1024) {
  const screen = textScreenOf(type)
  for (let from = 0; from < bytes.length; from += chunk) {
    const kind = await screen?.take(bytes.subarray(from, from + chunk))
    if (kind !== undefined) return kind
  }
  return screen?.end()
}
/** Screens a text of a type that is all right but for what is given. */
const foundIn = (type: TextType, text: string) => found(type, Buffer.from(written[type](text)))
const missed = async (cases: (readonly [string, Promise<string | undefined>])[]) => {
  const all = await Promise.all(cases.map(async ([name, kind]) => [name, await kind] as const))
  return all.filter(([, kind]) => kind === undefined).map(([name]) => name)
}

verifies('input.screened', 'each kind of secret is found in each type of text', async () => {
  const cases = types.flatMap((type) =>
    secrets.flatMap(([secret]) => [
      [`${type} ${secret}`, foundIn(type, secret)] as const,
      [`${type} line ${secret}`, foundIn(type, `first\n${secret}`)] as const,
    ]),
  )
  expect(await missed(cases)).toEqual([])
})

const PIECE = 128 * 1024
const filler = 'A visit of 5 people, twice.\n'
verifies('input.screened', 'a secret across pieces and chunks is found at any place', async () => {
  const cases = secrets.flatMap(([secret]) =>
    [0, 0.2, 0.5, 0.8, 1].map((share) => {
      const before = PIECE - Math.round(share * secret.length) - 1
      const text = `${filler.repeat(PIECE / filler.length).slice(0, before)} ${secret} ${filler.repeat(PIECE / 4)}`
      return [`${share} ${secret}`, found('text/plain', Buffer.from(text), 1_000)] as const
    }),
  )
  expect(await missed(cases)).toEqual([])
  const far = `{"kty":"RSA","n":"${'n'.repeat(1_366)}","e":"AQAB",${'"x":"y",'.repeat(600)}"d":"${'d'.repeat(1_366)}"}`
  const apart = `${filler.repeat(4_500)}${far}`
  expect(await found('text/plain', Buffer.from(apart))).toBe('a private JWK')
})

verifies('input.screened', 'numbers and words are never cut into secrets', async () => {
  const numbers = '5123-45-6789 123-45-67890 xAKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLEX '
  const digits = `seed of ${'ab'.repeat(33)} `
  for (let shift = 0; shift < 160; shift += 7) {
    const text = '.'.repeat(shift) + (numbers + digits).repeat(6_000)
    expect(await found('text/plain', Buffer.from(text)), String(shift)).toBeUndefined()
  }
})

verifies(
  'input.screened',
  'UTF-16 is read with and without its mark, and bytes do no harm',
  async () => {
    const [[pem]] = secrets as [readonly [string, string]]
    const little = Buffer.from(`\ufeff${filler}${pem}`, 'utf16le')
    for (const bytes of [little, little.subarray(2), Buffer.from(little).swap16()])
      for (const type of types) expect(await found(type, bytes)).toBe('a PEM block')
    expect(await found('text/csv', Buffer.from(`\ufeff${filler}${pem}`))).toBe('a PEM block')
    const blank = Buffer.from('Passwörter: password:\xa0hunter2hunter2', 'latin1')
    for (const type of types) expect(await found(type, blank)).toBe('a password')
    const noise = createHash('shake256', { outputLength: 400_000 }).update('noise').digest()
    const bytes = [
      gzipSync(randomBytes(1_000)),
      noise,
      Buffer.alloc(300_000),
      Buffer.of(0xff),
      Buffer.of(0xc3),
    ]
    for (const one of bytes)
      for (const type of types) expect(await found(type, one, 777)).toBeUndefined()
    for (const type of ['application/pdf', 'image/png'] as const)
      expect(textScreenOf(type)).toBeUndefined()
  },
)

verifies(
  'input.screened',
  'columns of a few words and empty passwords are no secrets',
  async () => {
    const words = ['cash', 'credit', 'average', 'month', 'still', 'used']
    const rows = Array.from(
      { length: 40_000 },
      (_, at) => `${at},${words[(at * at) % 6]},${words[at % 6]}`,
    )
    expect(await found('text/csv', Buffer.from(rows.join('\n')))).toBeUndefined()
    const empty = { password: null, secret: '', passcode: false, tokens: 12 }
    const lines = Buffer.from(`${JSON.stringify(empty)}\n`.repeat(2_000))
    expect(await found('application/x-ndjson', lines)).toBeUndefined()
  },
)

verifies('input.screened', 'the evidence of the tests and judges is no secret', async () => {
  const root = join(import.meta.dirname, '../..')
  const files = ['workflows/domain/rails/contractops/contracts', 'e2e/judges/diligenceops'].flatMap(
    (folder) =>
      readdirSync(join(root, folder)).map((name) => readFileSync(join(root, folder, name), 'utf8')),
  )
  const inputs = Object.values(rails).flatMap((rail) =>
    goldenInputs(rail).map((input) => JSON.stringify(input)),
  )
  const clauses = [...tuning, ...frozen].map(contractWith)
  const texts = [
    ...files,
    ...inputs,
    ...clauses,
    JSON.stringify(fullPacket()),
    JSON.stringify(questionnaire()),
  ]
  expect(texts.length).toBeGreaterThan(40)
  const refused = []
  for (const type of types)
    for (const text of texts) {
      const kind = await foundIn(type, text)
      if (kind !== undefined) refused.push([type, kind, text.slice(0, 80)])
    }
  expect(refused).toEqual([])
})

verifies(
  'input.screened',
  'the work is linear, and other work continues between the pieces',
  async () => {
    const text = Buffer.from(`${'2026-05-01,gpt-mini,12,usage of the ledger\n'.repeat(50_000)}`)
    const cost = async (times: number) => {
      const before = process.cpuUsage()
      for (let at = 0; at < times; at++) expect(await found('text/csv', text)).toBeUndefined()
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    let turns = 0
    const turning = setInterval(() => turns++, 0)
    await cost(1)
    clearInterval(turning)
    expect(turns).toBeGreaterThan(5)
    const ratios = [await Promise.resolve(ratio(await cost(1), await cost(2)))]
    for (let tries = 0; Math.min(...ratios) > 3 && tries < 5; tries++)
      ratios.push(ratio(await cost(1), await cost(2)))
    expect(Math.min(...ratios)).toBeLessThan(3)
  },
)
const ratio = (one: number, two: number) => two / one
