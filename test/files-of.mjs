import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What a filter of `npm test -- FILTER` means to vitest. A path, as `e2e/payouts` or `fees.test.ts`, stays itself. A noun, in
 * singular or plural, is every test file outside `test/e2e` that lies in a folder of that name or has it in its own name.
 */
export function filesOf(filter, folder) {
  if (/[/.]/.test(filter)) return [filter]
  const noun = singular(filter)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('e2e/'))
    .filter((path) => wordsOf(path).some((word) => singular(word) === noun))
  return files.length === 0 ? [filter] : files.map((path) => join(folder, path))
}

/** The names of the folders, that of the file, and the words of that one: `api/calls/client-address.test.ts`. */
function wordsOf(path) {
  const names = path.replace(/\.test\.ts$/, '').split('/')
  const name = names.at(-1)
  return [...names, ...name.split('-')]
}

function singular(word) {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
