import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect } from 'vitest'
import { checkpointText } from '#domain/log/checkpoint.ts'
import { coseSigned } from '#domain/log/cose.ts'
import { createLogGuard, openHeadJournal } from '../../../activities/signer/log-guard.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-guard-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const rootOf = (fill: number) => new Uint8Array(32).fill(fill)
const checkpoint = (size: number, fill = size) =>
  Buffer.from(checkpointText({ origin: 'svc.example/log', size, root: rootOf(fill) }))
const root = (fill: number) => coseSigned('log-1', rootOf(fill))

verifies('signer.remembers', 'no smaller tree or other root is signed after a start', async () => {
  const path = join(scratch, 'keys.json.journal')
  const started = () => createLogGuard(openHeadJournal(path))
  const first = started()
  await expect(first.admit(root(0))).rejects.toThrow('not that of the last checkpoint')
  for (const size of [0, 3, 5, 5]) await first.admit(checkpoint(size))
  for (const guard of [first, started(), started()]) {
    await expect(guard.admit(checkpoint(4))).rejects.toThrow('5 entries is signed already')
    await expect(guard.admit(checkpoint(5, 6))).rejects.toThrow('another root of 5 entries')
    await expect(guard.admit(root(4))).rejects.toThrow('not that of the last checkpoint')
    await guard.admit(checkpoint(5))
    await guard.admit(root(5))
  }
  const last = started()
  const parallel = [checkpoint(7), checkpoint(7, 8), checkpoint(6), checkpoint(7)]
  const answers = await Promise.allSettled(parallel.map((bytes) => last.admit(bytes)))
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ])
  await expect(started().admit(checkpoint(7, 8))).rejects.toThrow('another root')
})
