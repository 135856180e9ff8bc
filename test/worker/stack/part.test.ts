import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Part } from '../../../worker/stack/part.ts'
import { Supervisor } from '../../../worker/stack/supervisor.ts'
import { verifies } from '../../verifies.ts'

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'agent-rails-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const node = (
  name: string,
  script: string,
  probe: (pid: number) => Promise<void> = async () => undefined,
) =>
  new Part({
    name,
    logFile: join(scratch, `${name}.log`),
    launch: async () => ({ file: process.execPath, args: ['-e', script] }),
    probe,
  })

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a part that ends before it is ready is reported with its log', async () => {
  const part = node('broken', 'console.error("no such setting"); process.exit(3)', () =>
    Promise.reject(new Error('not yet')),
  )
  await part.start()
  await expect(part.waitReady()).rejects.toThrow(
    /broken ended before it was ready:\n.*no such setting/,
  )
})

test('a part that is never ready is given up after its time', async () => {
  const part = node('slow', 'setInterval(() => {}, 1000)', () =>
    Promise.reject(new Error('connection refused')),
  )
  await part.start()
  await expect(part.waitReady(200)).rejects.toThrow(
    /slow was not ready in 200 ms.*connection refused/,
  )
  await part.stop()
})

verifies(
  'stack.supervised',
  'a part that dies is started again and that is said; stopping ends it',
  async () => {
    const said: string[] = []
    const supervisor = new Supervisor((text) => said.push(text))
    const part = node('restless', 'setInterval(() => {}, 1000)')
    await supervisor.start(part)
    const first = part.pid as number
    await part.kill('SIGKILL')
    await expect.poll(() => part.pid).toBeGreaterThan(0)
    await expect.poll(() => said.at(-1)).toMatch(/restless is up again/)
    expect(part.pid).not.toBe(first)
    const second = part.pid as number
    await supervisor.stop()
    expect(isAlive(second)).toBe(false)
    expect(said).toEqual([
      expect.stringMatching(/^restless is up/),
      expect.stringMatching(/^restless ended unexpectedly/),
      expect.stringMatching(/^restless is up again/),
      'restless is stopped',
    ])
  },
)

test('the last started is the first stopped', async () => {
  const said: string[] = []
  const supervisor = new Supervisor((text) => said.push(text))
  for (const name of ['one', 'two', 'three'])
    await supervisor.start(node(name, 'setInterval(() => {}, 1000)'))
  await supervisor.stop()
  expect(said.slice(3)).toEqual(['three is stopped', 'two is stopped', 'one is stopped'])
})

test('a part has ended once what runs with it has ended', async () => {
  let isOver = false
  const part = new Part({
    name: 'accompanied',
    logFile: join(scratch, 'accompanied.log'),
    launch: async () => ({ file: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] }),
    probe: async () => undefined,
    whileRunning: () => async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      isOver = true
    },
  })
  await part.start()
  await part.stop()
  expect(isOver).toBe(true)
})

verifies('stack.supervised', 'a part does not outlive a supervisor that was killed', async () => {
  const pidFile = join(scratch, 'pid')
  const script = `
    const { spawn } = await import('node:child_process')
    const { writeFileSync } = await import('node:fs')
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    const { watchdog } = await import(${JSON.stringify(new URL('../../../dist/worker/stack/parent-watchdog.js', import.meta.url).href)})
    watchdog(child.pid, 'SIGTERM')
    writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
    setInterval(() => {}, 1000)`
  const supervisor = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: 'ignore',
  })
  const pid = async () => Number(await readFile(pidFile, 'utf8').catch(() => '0'))
  await expect.poll(pid).toBeGreaterThan(0)
  supervisor.kill('SIGKILL')
  await expect.poll(async () => isAlive(await pid())).toBe(false)
})
