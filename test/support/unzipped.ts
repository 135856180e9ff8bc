import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from './postgres.ts'

/** The files of a zip by name, as an independent program unpacks it. */
export async function unzipped(zip: Uint8Array): Promise<Map<string, string>> {
  const directory = await scratchDirectory()
  const file = join(directory, 'package.zip')
  const target = join(directory, 'files')
  writeFileSync(file, zip)
  const has = spawnSync('unzip', ['-v']).status === 0
  const [program, parts] = has
    ? ['unzip', ['-q', file, '-d', target]]
    : ['python3', ['-m', 'zipfile', '-e', file, target]]
  execFileSync(program, parts)
  const names = readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(target, name)).isFile(),
  )
  const files = new Map(names.map((name) => [name, readFileSync(join(target, name), 'utf8')]))
  rmSync(directory, { recursive: true, force: true })
  return files
}
