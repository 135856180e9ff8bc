import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { diligenceops } from '#domain/rails/diligenceops/index.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { packageRoot } from '../../activities/config/package-root.ts'
import { finishedTask, keySet, receiptKey, withoutResult } from '../support/finished-task.ts'
import { verifies } from '../verifies.ts'

let scratch: string
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'agent-rails-replay-'))
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const file = await finishedTask(diligenceops)

function save(name: string, content: unknown): string {
  const path = join(scratch, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

/** Runs the program with an environment in which nothing but itself can be found. */
function replay(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const program = join(packageRoot, 'dist', 'worker', 'cli.js')
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [program, 'replay', ...args],
      { env: {}, cwd: scratch },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    ),
  )
}

verifies(
  'replay.cli',
  'proves a package against a saved key set, and says which key it was',
  async () => {
    const { code, stdout } = await replay(
      save('package.json', file),
      '--keys',
      save('keys.json', keySet()),
    )
    expect(stdout).toContain(`key ${receiptKey.kid}, active\nproven\n`)
    expect(stdout).toMatch(/^ok {2}replay +diligenceops gives the result [0-9a-f]{64} again$/m)
    expect(stdout).not.toContain('agrees with itself')
    expect(code).toBe(0)
  },
)

verifies(
  ['replay.cli', 'replay.withheld'],
  'names a result that is withheld, and proves nothing of it',
  async () => {
    const withheld = await withoutResult(file, 'result_attested')
    const { code, stdout } = await replay(
      save('withheld.json', withheld),
      '--keys',
      save('keys.json', keySet()),
    )
    const { result_sha256 } = file.replay_package.return_package ?? {}
    expect(stdout).toMatch(
      new RegExp(`^ok {2}result +withheld: ${result_sha256} was not delivered$`, 'm'),
    )
    expect(stdout).toMatch(/^ok {2}replay +there is no result to compare with/m)
    expect(stdout).toMatch(/^indeterminate: .* or its result is withheld$/m)
    expect(code).toBe(2)
  },
)

verifies('replay.cli', 'exits non-zero with the reason for each bad package', async () => {
  const { replay_package } = file
  const changed = {
    ...file,
    replay_package: { ...replay_package, ledger: replay_package.ledger.slice(1) },
  }
  const refused = await replay(save('changed.json', changed))
  expect(refused.stdout).toMatch(/^NO {2}ledger +entry 1: an entry is missing$/m)
  expect(refused.stdout).toContain('agrees with itself')
  expect(refused.code).toBe(1)

  const alone = await replay(save('alone.json', file), '--json')
  expect(JSON.parse(alone.stdout)).toMatchObject({ verdict: 'indeterminate' })
  expect(alone.code).toBe(2)

  const revoked = keySet({ revoked_at: '2026-12-01T00:00:00Z' })
  const doubtful = await replay(
    save('package.json', file),
    '--json',
    '--keys',
    save('revoked.json', revoked),
  )
  expect(JSON.parse(doubtful.stdout)).toMatchObject({
    verdict: 'indeterminate',
    keys: [{ standing: 'revoked' }],
  })
  expect(doubtful.code).toBe(2)

  writeFileSync(join(scratch, 'text.json'), 'text')
  for (const name of ['text.json', 'nowhere.json']) {
    const unread = await replay(join(scratch, name))
    expect(unread).toMatchObject({ code: 1, stdout: '' })
    expect(unread.stderr).not.toBe('')
  }
})

verifies(
  'replay.cli',
  'takes the input from a file where the package holds only its digest',
  async () => {
    const { replay_package } = file
    const documents = replay_package.documents.slice(0, -1)
    const withheld = save('withheld.json', {
      ...file,
      replay_package: { ...replay_package, documents },
    })
    const without = await replay(withheld, '--json')
    expect(checkOf(without.stdout)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('give it as a file'),
    })
    const given = await replay(
      withheld,
      '--json',
      '--input',
      save('input.json', diligenceops.sandboxInput),
    )
    expect(checkOf(given.stdout)).toMatchObject({ ok: true })
  },
)

verifies('replay.cli', 'replays the work on uploaded files by their digests', async () => {
  const { usage, ...head } = tokenops.sandboxInput
  const text = usage.map((row) => JSON.stringify(row)).join('\n')
  const list = join(scratch, 'usage.jsonl')
  writeFileSync(list, text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const path = save(
    'uploads.json',
    await finishedTask(tokenops as never, { ...head, usage: { sha256 } }),
  )
  const without = await replay(path, '--json')
  expect(checkOf(without.stdout)).toMatchObject({
    ok: false,
    detail: expect.stringContaining(sha256),
  })
  const other = await replay(path, '--json', '--upload', save('other.jsonl', {}))
  expect(checkOf(other.stdout)).toMatchObject({
    ok: false,
    detail: expect.stringContaining(sha256),
  })
  const given = await replay(path, '--json', '--upload', join(scratch, 'other.jsonl'), list)
  expect(checkOf(given.stdout)).toMatchObject({
    ok: true,
    detail: expect.stringContaining('again'),
  })
})

const checkOf = (stdout: string) =>
  JSON.parse(stdout).checks.find(({ check }: { check: string }) => check === 'replay')
