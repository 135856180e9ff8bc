import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { lockInstance } from '../../../worker/stack/instance-lock.ts'
import { Part } from '../../../worker/stack/part.ts'
import { choosePorts } from '../../../worker/stack/ports.ts'
import { verifies } from '../../verifies.ts'

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'agent-rails-'))
})
afterAll(() => rm(scratch, { recursive: true, force: true }))

const module = join(packageRoot, 'dist', 'worker', 'stack', 'instance-lock.js')

/** A process that is ready to take the lock at a given time, and keeps it until it is ended. */
async function openContender(file: string) {
  const script = `import(${JSON.stringify(module)}).then(({ lockInstance }) => {
    process.on('message', (at) => {
      while (Date.now() < at) {}
      try { lockInstance(${JSON.stringify(file)}); process.send('taken') } catch { process.send('refused') }
    })
    process.send('ready')
  })`
  const child = spawn(process.execPath, ['-e', script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const said = async () => String((await once(child, 'message'))[0])
  expect(await said()).toBe('ready')
  return {
    take: (at: number): Promise<string> => {
      const answer = said()
      child.send(at)
      return answer
    },
    end: async (): Promise<void> => {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

/** The id of a process that has ended. */
const deadPid = () =>
  new Promise<number>((resolve) => {
    const child = spawn(process.execPath, ['-e', ''])
    child.once('exit', () => resolve(child.pid ?? 0))
  })

verifies(
  'local.instance-lock',
  'of processes that start at once on one data directory, one gets it',
  async () => {
    for (const round of [1, 2, 3, 4]) {
      const file = join(scratch, `data-${round}`, 'stack.pid')
      lockInstance(file)()
      if (round % 2 === 0) await writeFile(file, String(await deadPid()))
      const contenders = await Promise.all(Array.from({ length: 4 }, () => openContender(file)))
      const at = Date.now() + 100
      const said = await Promise.all(contenders.map(({ take }) => take(at)))
      await Promise.all(contenders.map(({ end }) => end()))
      expect(said.toSorted(), `round ${round}`).toEqual(['refused', 'refused', 'refused', 'taken'])
    }
  },
)

verifies(
  'local.private-files',
  'the data directory, logs and files of parts are private',
  async () => {
    const data = join(scratch, 'private')
    lockInstance(join(data, 'stack.pid'))
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777
    expect((await modeOf(data)) & 0o066).toBe(0)
    const logFile = join(data, 'logs', 'writer.log')
    const made = join(data, 'made.db')
    const script = `require('fs').writeFileSync(${JSON.stringify(made)}, 'x')`
    const part = new Part({
      name: 'writer',
      logFile,
      launch: async () => ({ file: process.execPath, args: ['-e', script] }),
      probe: async () => undefined,
    })
    await part.start()
    await part.exited
    const modes = await Promise.all(
      [join(data, 'stack.pid'), join(data, 'logs'), logFile, made].map(modeOf),
    )
    expect(modes).toEqual([0o600, 0o700, 0o600, 0o600])
  },
)

verifies(
  'local.blocked-ports',
  'a PORT_BASE that reaches a port which fetch refuses is refused',
  async () => {
    await expect(choosePorts(6000)).rejects.toThrow(
      /port 6000 \(base\) is one that browsers and fetch refuse/,
    )
    await expect(choosePorts(10_077)).rejects.toThrow(/port 10080 .* choose another PORT_BASE/)
    await expect(choosePorts(6662)).rejects.toThrow(/port 6665/)
  },
)
