import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { citedIds } from '../cited-ids.ts'
import { stolenRequirements } from '../requirements/stolen.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'docs/security.md'), 'utf8')
const [, section = ''] = /^## What a thief can do\n([\s\S]*?)^## /m.exec(text) ?? []
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Stolen'))

test('each stolen thing has its line, and tests that prove it', () => {
  const ids = Object.keys(stolenRequirements)
  expect(rows).toHaveLength(ids.length)
  for (const [index, id] of ids.entries()) {
    const links = [...(rows[index] ?? '').matchAll(/\(\.\.\/(test\/[^)]+)\)/g)].map(([, path]) =>
      join(root, String(path)),
    )
    expect(
      links.filter((path) => !existsSync(path)),
      id,
    ).toEqual([])
    for (const path of links)
      expect([...citedIds(readFileSync(path, 'utf8'))], `${path} for ${id}`).toContain(id)
  }
})
