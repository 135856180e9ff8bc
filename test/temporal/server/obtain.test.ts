import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { withBuildLock } from '../../../temporal/server/build-lock.ts'
import { obtainTemporal } from '../../../temporal/server/obtain.ts'
import { serverArguments } from '../../../temporal/server/run.ts'
import { verifies } from '../../verifies.ts'

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
  'without a binary, a download or Go the ways out are named',
  async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')))
    const nowhere = { ...settings(''), cacheHome: join(scratch, 'empty') }
    await expect(obtainTemporal(nowhere)).rejects.toThrow(
      /install the Temporal CLI[\s\S]*install Go 1\.21[\s\S]*temporal\.download/,
    )
    vi.unstubAllGlobals()
  },
)

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
