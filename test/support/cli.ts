import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../activities/config/package-root.ts'

/** Runs the command line with these settings; answers its exit code, what it printed, and all of that with what it complained of. */
export async function runCli(
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<{ code: number; out: string; text: string }> {
  const run = promisify(execFile)(
    process.execPath,
    [join(packageRoot, 'dist', 'worker', 'cli.js'), ...args],
    {
      env,
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      out: error.stdout,
      text: error.stdout + error.stderr,
    }),
  )
}
