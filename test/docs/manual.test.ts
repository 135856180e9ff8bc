import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { packageRoot } from '../../activities/config/package-root.ts'
import { verifies } from '../verifies.ts'

const statement =
  /\b(select\b[^.]*\bfrom|insert into|update \w+ set|delete from|alter (table|role)|drop (table|role)|truncate)\b/i

verifies('keys.manual', 'the manual has a command for every action and no SQL', () => {
  expect(
    statement.test("update operators set revoked_at = clock_timestamp() where operator_id = '1'"),
  ).toBe(true)
  for (const page of ['operations.md', 'security.md']) {
    const text = readFileSync(join(packageRoot, 'docs', page), 'utf8')
    expect(statement.exec(text)?.[0], page).toBeUndefined()
  }
})
