import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../activities/config/package-root.ts'
import { writeSecret } from '../../activities/config/secret-file.ts'
import type { Demo } from './demo-run.ts'

/**
 * Saves documents in the directory of the demo, has a command of the CLI judge the first by the others, in a process without any
 * setting of the stack, and says the command. Answers what it prints as JSON; throws where it refuses.
 */
export async function judgeOffline<Report extends { verdict: string }>(
  { directory, say }: Pick<Demo, 'directory' | 'say'>,
  command: 'replay' | 'verify',
  { name, content, keys }: { name: string; content: unknown; keys: unknown },
): Promise<Report> {
  const save = (file: string, value: unknown) => {
    const path = join(directory, file)
    writeSecret(path, value)
    return path
  }
  const args = [command, save(name, content), '--keys', save('jwks.json', keys)]
  const program = join(packageRoot, 'dist', 'worker', 'cli.js')
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args, '--json'], {
    env: {},
  })
  say(`            npx agent-rails ${args.join(' ')}`)
  return JSON.parse(stdout) as Report
}
