import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { packageRoot } from '../../../../activities/config/package-root.ts'
import type { Edit } from './breaks.ts'

/** A file's text with the edit made; throws when what it looks for is not there exactly once. */
export function edited(text: string, { file, find, replace }: Edit): string {
  const [before, after, ...more] = text.split(find)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the break does not fit ${file} any more: not exactly once there is\n${find}`)
  return `${before}${replace}${after}`
}

/** Breaks the copy of the project in this directory. */
function applyEdits(directory: string, edits: readonly Edit[]): void {
  for (const edit of edits) {
    const path = join(directory, edit.file)
    writeFileSync(path, edited(readFileSync(path, 'utf8'), edit))
  }
}

/** Does something with a broken copy of the project, which is removed afterwards. */
export async function inBrokenCopy<T>(
  edits: readonly Edit[],
  act: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'agent-rails-mutation-'))
  try {
    const leftOut = /^(node_modules|dist|\.git|\.data)$/
    cpSync(packageRoot, directory, {
      recursive: true,
      filter: (path) => !leftOut.test(relative(packageRoot, path)),
    })
    symlinkSync(join(packageRoot, 'node_modules'), join(directory, 'node_modules'))
    applyEdits(directory, edits)
    return await act(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
