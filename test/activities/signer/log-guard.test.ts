import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect } from 'vitest'
import { checkpointText } from '#domain/log/checkpoint.ts'
import { coseSigned } from '#domain/log/cose.ts'
import {
  continuationsOf,
  continuationText,
  isContinuations,
  logOrigin,
  logOrigins,
  lossOf,
} from '#domain/log/origin.ts'
import { createLogGuard, openHeadJournal } from '../../../activities/signer/log-guard.ts'
import { checkpointOfTree, growth, rootOf, treeOf } from '../../support/memory-log.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-guard-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const origin = logOrigin('https://svc.example')
/** The checkpoint of the tree of this size; of another tree with another salt. */
const checkpoint = (size: number, salt = '', name = origin) =>
  Buffer.from(checkpointOfTree(name, size, salt))
const root = (size: number, salt = '') => coseSigned('log-1', rootOf(treeOf(size, salt)))

verifies('signer.remembers', 'no smaller tree or other root is signed after a start', async () => {
  const path = join(scratch, 'keys.json.journal')
  const started = () => createLogGuard(openHeadJournal(path))
  const first = started()
  await expect(first.admit(root(0))).rejects.toThrow('not that of the last checkpoint')
  await first.admit(checkpoint(0))
  await first.admit(checkpoint(3), growth(0, 3))
  for (const _ of [1, 2]) await first.admit(checkpoint(5), growth(3, 5))
  for (const guard of [first, started(), started()]) {
    await expect(guard.admit(checkpoint(4))).rejects.toThrow('5 entries is signed already')
    await expect(guard.admit(checkpoint(5, 'x'))).rejects.toThrow('another root of 5 entries')
    await expect(guard.admit(root(4))).rejects.toThrow('not that of the last checkpoint')
    await guard.admit(checkpoint(5))
    await guard.admit(root(5))
  }
  const last = started()
  const parallel = [
    last.admit(checkpoint(7), growth(5, 7)),
    last.admit(checkpoint(7, 'x'), growth(5, 7, 'x')),
    last.admit(checkpoint(6), growth(5, 6)),
    last.admit(checkpoint(7), growth(5, 7)),
  ]
  const answers = await Promise.allSettled(parallel)
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ])
  await expect(started().admit(checkpoint(7, 'x'))).rejects.toThrow('another root')
})

verifies(
  'signer.log-grows',
  'a larger tree is signed only with the proof that it grew',
  async () => {
    const guard = createLogGuard()
    await guard.admit(checkpoint(5))
    const other = { kind: 'other_head', message: '5' }
    await expect(guard.admit(checkpoint(9))).rejects.toMatchObject(other)
    await expect(guard.admit(checkpoint(9), growth(4, 9))).rejects.toMatchObject(other)
    const forked = [growth(5, 9), growth(5, 9, 'x'), { from: 5, path: [] }]
    for (const proof of forked)
      await expect(guard.admit(checkpoint(9, 'x'), proof)).rejects.toThrow('does not begin with')
    await guard.admit(checkpoint(9), growth(5, 9))
  },
)

verifies('signer.log-grows', 'whatever is asked, each signed tree begins with the one before', () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          from: fc.nat(12),
          size: fc.nat(12),
          salt: fc.constantFrom('', 'x'),
          proves: fc.constantFrom('', 'x'),
        }),
        { maxLength: 30 },
      ),
      async (asks) => {
        const guard = createLogGuard()
        const signed: { size: number; salt: string }[] = []
        for (const { from, size, salt, proves } of asks) {
          const proof = from <= size ? growth(from, size, proves) : undefined
          const admitted = await guard.admit(checkpoint(size, salt), proof).then(
            () => true,
            () => false,
          )
          if (admitted) signed.push({ size, salt })
        }
        for (const [index, { size, salt }] of signed.entries()) {
          const before = signed[index - 1]
          if (before === undefined || before.size === 0) continue
          expect(before.size).toBeLessThanOrEqual(size)
          expect(before.salt).toBe(salt)
        }
      },
    ),
  ),
)

verifies('log.continues', 'a log of another origin begins with the restored leaves', async () => {
  const lost = { restored: 4, witnessed: 9, checkpoint: 'a'.repeat(64) }
  const next = logOrigin('https://svc.example', continuationText(lost))
  const path = join(scratch, 'restored.journal')
  const before = createLogGuard(openHeadJournal(path))
  await before.admit(checkpoint(9))
  const guard = createLogGuard(openHeadJournal(path))
  await expect(guard.admit(checkpoint(3, '', next))).rejects.toThrow('fewer leaves')
  await guard.admit(checkpoint(6, 'x', next))
  await expect(guard.admit(checkpoint(8, '', next), growth(6, 8))).rejects.toThrow('begin with')
  await guard.admit(checkpoint(8, 'x', next), growth(6, 8, 'x'))
  // The log before stays as it was signed.
  const started = createLogGuard(openHeadJournal(path))
  await expect(started.admit(checkpoint(10, 'x'), growth(9, 10, 'x'))).rejects.toThrow('begin with')
  await expect(started.admit(checkpoint(7, '', next))).rejects.toThrow('8 entries is signed')
})

verifies('log.continues', 'only one form of a name says how a log continues', () => {
  const text = continuationText({ restored: 0, witnessed: 1, checkpoint: '0'.repeat(64) })
  expect(
    checkpointText({ origin: logOrigin('http://a', text), size: 0, root: rootOf([]) }),
  ).toContain(`a/log/${text}\n`)
  expect(continuationsOf(logOrigin('http://a', text))).toMatchObject([
    { restored: 0, witnessed: 1 },
  ])
  expect(continuationsOf(logOrigin('http://a'))).toEqual([])
  const digest = 'a'.repeat(64)
  const others = [`01-2-${digest}`, `1-1-${digest}`, `2-1-${digest}`, `1-2-${digest}a`]
  for (const other of [...others, `1-2-${digest.toUpperCase()}`])
    expect(isContinuations(other), other).toBe(false)
})

verifies('log.continues', 'the name of a log says what each of its restores lost', () => {
  const restores = [
    { restored: 50, witnessed: 80, checkpoint: 'a'.repeat(64) },
    { restored: 30, witnessed: 60, checkpoint: 'b'.repeat(64) },
  ]
  const text = restores.map(continuationText).join('/')
  expect(isContinuations(text)).toBe(true)
  const [first = '', second = '', current = ''] = logOrigins('https://svc.example', text)
  expect([first, current]).toEqual([origin, logOrigin('https://svc.example', text)])
  const loses = (of: string, index: number) => lossOf(current, { origin: of, index })?.restored
  expect([29, 30, 49, 50, 79, 80].map((index) => loses(first, index))).toEqual([
    undefined,
    30,
    30,
    50,
    50,
    undefined,
  ])
  expect([29, 30, 59, 60].map((index) => loses(second, index))).toEqual([
    undefined,
    30,
    30,
    undefined,
  ])
  expect(loses(current, 40)).toBeUndefined()
  expect(loses('other.example/log', 40)).toBeUndefined()
})
