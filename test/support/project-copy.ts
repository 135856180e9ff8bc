import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageRoot as root } from '../../activities/config/package-root.ts'

/** Copies everything that is committed or about to be into a new folder; what is installed is not installed again. */
export function copyProject(name: string): string {
  const copy = mkdtempSync(join(tmpdir(), `agent-rails-${name}-`))
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of files.split('\n').filter((one) => one !== '' && existsSync(join(root, one)))) {
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
