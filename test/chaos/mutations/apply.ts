import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Edit } from './breaks.ts'

/** A file's text with the edit made; throws when what it looks for is not there exactly once. */
export function edited(text: string, { file, find, replace }: Edit): string {
  const [before, after, ...more] = text.split(find)
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`the break does not fit ${file} any more: not exactly once there is\n${find}`)
  return `${before}${replace}${after}`
}

/** Breaks the copy of the project in this directory. */
export function applyEdits(directory: string, edits: readonly Edit[]): void {
  for (const edit of edits) {
    const path = join(directory, edit.file)
    writeFileSync(path, edited(readFileSync(path, 'utf8'), edit))
  }
}
