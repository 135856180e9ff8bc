import { execFile } from 'node:child_process'
import { chown, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Launch } from './part.ts'

const run = promisify(execFile)
const USER = 'postgres'

type Identity = { uid: number; gid: number }

/**
 * The command as PostgreSQL agrees to run it: as it is, unless we are root; then as the user `postgres`, who is created when missing.
 * Where that user cannot pass through to the `paths` (a checkout in /root), it keeps the one capability it needs for that.
 */
export async function unprivileged(
  file: string,
  args: readonly string[],
  paths: readonly string[],
): Promise<Launch> {
  const identity = await postgresUser()
  if (identity === undefined) return { file, args }
  if ((await Promise.all(paths.map(isOpen))).every(Boolean)) return { file, args, ...identity }
  const ids = [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, '--clear-groups']
  // access(2), with which initdb looks for its programs, heeds a capability of another user than root only with this bit.
  const kept = [
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    '--securebits=+no_setuid_fixup',
  ]
  return { file: 'setpriv', args: [...ids, ...kept, file, ...args] }
}

/** Gives a file or folder to the user that PostgreSQL runs as. */
export async function giveToPostgres(path: string): Promise<void> {
  const identity = await postgresUser()
  if (identity !== undefined) await chown(path, identity.uid, identity.gid)
}

async function postgresUser(): Promise<Identity | undefined> {
  if (userInfo().uid !== 0) return undefined
  const known = await lookUp().catch(() => undefined)
  if (known !== undefined) return known
  await run('groupadd', ['-f', USER])
  await run('useradd', ['-g', USER, '-M', USER])
  return await lookUp()
}

async function lookUp(): Promise<Identity> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, USER])).stdout)),
  )
  if (uid === undefined || gid === undefined) throw new Error('id printed nothing')
  return { uid, gid }
}

/** Whether every folder above the path lets others through. */
async function isOpen(path: string): Promise<boolean> {
  const parent = dirname(path)
  if (parent === path) return true
  return ((await stat(parent)).mode & 0o001) !== 0 && (await isOpen(parent))
}
