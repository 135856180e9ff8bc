import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { z } from 'zod'
import { openJournal } from '../../../activities/config/journal.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-journal-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const schema = z.strictObject({ n: z.int() })
type Entry = z.output<typeof schema>
let count = 0
const newPath = () => join(scratch, `${++count}.journal`)
const opened = (path: string, live = (entries: readonly Entry[]) => entries) =>
  openJournal(path, { schema, live })
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ n: from + index }))

async function filled(to: number): Promise<string> {
  const path = newPath()
  const journal = opened(path)
  for (const entry of numbers(0, to)) await journal.append(entry)
  return path
}

verifies('signer.journal', 'what was appended, also at once, is there after a start', async () => {
  const path = newPath()
  const journal = opened(path)
  expect(journal.entries).toEqual([])
  await Promise.all(numbers(0, 500).map((entry) => journal.append(entry)))
  expect(readFileSync(path, 'utf8').match(/\n/g)).toHaveLength(500)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  for (let start = 0; start < 2; start++) expect(opened(path).entries).toEqual(numbers(0, 500))
})

verifies('signer.journal', 'a torn last line is left out, wherever it is torn', async () => {
  const path = await filled(3)
  const whole = readFileSync(path)
  const before = whole.lastIndexOf('\n', whole.length - 2) + 1
  for (let length = before; length < whole.length; length++) {
    writeFileSync(path, whole.subarray(0, length))
    const journal = opened(path)
    expect(journal.entries).toEqual(numbers(0, 2))
    await journal.append({ n: 7 })
    expect(opened(path).entries).toEqual([...numbers(0, 2), { n: 7 }])
  }
  writeFileSync(path, whole)
  appendFileSync(path, Buffer.alloc(4096))
  expect(opened(path).entries).toEqual(numbers(0, 3))
})

verifies('signer.journal', 'any other damage stops the start and changes nothing', async () => {
  const path = await filled(4)
  const whole = readFileSync(path, 'utf8')
  const [first, second, third, fourth] = whole.split('\n')
  const changed = [...whole].flatMap((char, at) =>
    char === '\n' || at % 7 !== 0
      ? []
      : [`${whole.slice(0, at)}${char === '0' ? '1' : '0'}${whole.slice(at + 1)}`],
  )
  const damages = [
    ...changed,
    `${[first, third, fourth].join('\n')}\n`,
    `${[second, third, fourth].join('\n')}\n`,
    `${[first, second, second, third, fourth].join('\n')}\n`,
    `${[first, third, second, fourth].join('\n')}\n`,
    whole.replace('\n', ''),
    `${whole}\n`,
    `\0\n${whole}`,
  ]
  for (const damaged of damages) {
    writeFileSync(path, damaged)
    expect(() => opened(path), damaged).toThrow(/is damaged in line \d\. Restore it/)
    expect(readFileSync(path, 'utf8')).toBe(damaged)
  }
  writeFileSync(path, whole)
  const other = () => openJournal(path, { schema: z.string(), live: (entries) => entries })
  expect(other).toThrow('is damaged in line 1')
})

verifies('signer.journal', 'what no longer counts does not make the file grow', async () => {
  const path = newPath()
  const lastTwo = (entries: readonly Entry[]) => entries.slice(-2)
  const journal = opened(path, lastTwo)
  for (let from = 0; from < 5_000; from += 100)
    await Promise.all(numbers(from, from + 100).map((entry) => journal.append(entry)))
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  expect(lines.length).toBeLessThan(1_100)
  expect(opened(path, lastTwo).entries).toEqual(numbers(4_998, 5_000))
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(2)
})

verifies('signer.journal', 'it belongs to the process that opened it last', async () => {
  const path = newPath()
  const earlier = opened(path)
  await earlier.append({ n: 1 })
  const later = opened(path)
  const refused = await Promise.allSettled(numbers(2, 4).map((entry) => earlier.append(entry)))
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(earlier.append({ n: 4 })).rejects.toThrow('another process writes')
  await later.append({ n: 5 })
  expect(opened(path).entries).toEqual([{ n: 1 }, { n: 5 }])
})
