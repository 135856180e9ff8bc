import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { packageRoot } from '../../../activities/package-root.ts'
import { verifies } from '../../verifies.ts'
import { edited } from './apply.ts'
import { breaks, testedBreaks } from './breaks.ts'

verifies(
  'chaos.mutations',
  'five breaks fit the rail of today; a text that has gone or stands twice is refused',
  () => {
    expect(breaks).toHaveLength(5)
    for (const { edits } of [...breaks, ...testedBreaks]) {
      for (const edit of edits)
        expect(edited(readFileSync(join(packageRoot, edit.file), 'utf8'), edit)).toContain(edit.replace)
    }
    const edit = { file: 'f', find: 'a', replace: 'b' }
    expect(() => edited('nothing', edit)).toThrow('does not fit')
    expect(() => edited('aa', edit)).toThrow('does not fit')
  },
)
