import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { followFile } from '../../../activities/keys/follow-file.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-follow-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

test('a file is read again once it changes; a torn change is not taken', () => {
  const file = join(scratch, 'file.json')
  let reads = 0
  const current = followFile(file, () => {
    reads += 1
    return JSON.parse(readFileSync(file, 'utf8'))
  })
  expect(current).toThrow('ENOENT')
  writeFileSync(file, '{"at":1}')
  expect([current(), current()]).toEqual([{ at: 1 }, { at: 1 }])
  expect(reads).toBe(2)
  writeFileSync(file, '{"at":12')
  expect(current()).toEqual({ at: 1 })
  writeFileSync(file, '{"at":12}')
  expect(current()).toEqual({ at: 12 })
  rmSync(file)
  expect(current()).toEqual({ at: 12 })
})
