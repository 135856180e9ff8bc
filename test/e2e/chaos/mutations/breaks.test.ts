import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { packageRoot } from '../../../../activities/config/package-root.ts'
import { verifies } from '../../../verifies.ts'
import { edited, inBrokenCopy } from './apply.ts'
import { breaks, testedBreaks } from './breaks.ts'

verifies(
  'chaos.mutations',
  'nine breaks apply; a text that is missing or not unique is refused',
  () => {
    expect([breaks.length, testedBreaks.length]).toEqual([6, 3])
    for (const { edits } of [...breaks, ...testedBreaks]) {
      for (const edit of edits)
        expect(edited(readFileSync(join(packageRoot, edit.file), 'utf8'), edit)).toContain(
          edit.replace,
        )
    }
    const edit = { file: 'f', find: 'a', replace: 'b' }
    expect(() => edited('nothing', edit)).toThrow('does not fit')
    expect(() => edited('aa', edit)).toThrow('does not fit')
  },
)

verifies(
  'chaos.mutations',
  'the rail compiles with all breaks at once',
  async () => {
    const edits = [...breaks, ...testedBreaks].flatMap((one) => one.edits)
    const compiler = join(packageRoot, 'node_modules', 'typescript', 'bin', 'tsc')
    const { status, stdout } = await inBrokenCopy(edits, async (directory) =>
      spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--noEmit'], {
        cwd: directory,
        encoding: 'utf8',
      }),
    )
    expect(stdout).toBe('')
    expect(status).toBe(0)
  },
  300_000,
)
