import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, expect } from 'vitest'
import { railKeys } from '#domain/rails/rail.ts'
import { packageRoot } from '../../../activities/config/package-root.ts'
import { startStack, type TestStack } from '../../support/stack.ts'
import { verifies } from '../../verifies.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'agent-rails-examples-'))
let stack: TestStack
beforeAll(async () => {
  stack = await startStack({})
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await stack?.stop()
})

for (const rail of railKeys)
  verifies('pages.rails', `the worked example of ${rail} runs as pasted`, async () => {
    const read = await fetch(`${stack.baseUrls[0]}/rails/${rail}/example.sh`)
    const program = await read.text()
    const { stdout } = await run('bash', ['-eu', '-o', 'pipefail', '-c', program], { cwd: folder })
    expect(stdout).not.toBe('')
    const sample = await fetch(`${stack.baseUrls[0]}/rails/${rail}/result.json`)
    const zip = join(folder, `${rail}.zip`)
    const { 'result.json': result } = unzipSync(readFileSync(zip))
    expect(JSON.parse(Buffer.from(result ?? []).toString())).toEqual(await sample.json())
    const keys = join(folder, 'keys.json')
    const published = await fetch(`${stack.baseUrls[0]}/.well-known/jwks.json`)
    writeFileSync(keys, await published.text())
    const cli = join(packageRoot, 'dist/worker/cli.js')
    const verified = await run(process.execPath, [cli, 'verify', zip, '--keys', keys])
    expect(verified.stdout).toMatch(/^ok +report +made from the result by version 1$/m)
  })
