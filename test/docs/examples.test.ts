import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import { afterAll, beforeAll, expect } from 'vitest'
import {
  nextTaskState,
  resumeStateAfter,
  type TaskEvent,
  type TaskState,
} from '#domain/tasks/lifecycle.ts'
import { verifies } from '../verifies.ts'
import { read, root } from './pictures.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'agent-rails-docs-'))

// The folder of a stranger who installed the client.
beforeAll(() => {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'stranger', type: 'module' }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

verifies(
  'docs.examples',
  'the TypeScript of the README type-checks against the package’s client',
  async () => {
    const blocks = [...read('README.md').matchAll(/```ts\n([\s\S]*?)```/g)].map(
      ([, code = '']) => code,
    )
    expect(blocks.length).toBeGreaterThan(1)
    const files = blocks.map((block, at) => {
      writeFileSync(join(folder, `readme-${at}.ts`), block)
      return `readme-${at}.ts`
    })
    const options = {
      strict: true,
      target: 'es2022',
      module: 'nodenext',
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files }),
    )
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const notified = await run(process.execPath, [tsc, '-p', folder]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
    expect(notified).toBe('')
  },
)

verifies(
  ['docs.examples', 'receipt.chain'],
  'the tour’s offline check accepts a chain and refuses a forged one',
  async () => {
    const [, program = ''] =
      read('docs/tour.md').match(/cat > verify\.mjs <<'END'\n([\s\S]*?)\nEND\n/) ?? []
    writeFileSync(join(folder, 'verify.mjs'), program)
    const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' })
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'EdDSA', use: 'sig' }
    const sign = (facts: object, typ = 'receipt+jwt') =>
      new CompactSign(new TextEncoder().encode(JSON.stringify(facts)))
        .setProtectedHeader({ alg: 'EdDSA', kid: 'k', typ })
        .sign(privateKey)
    const digest = (jws: string) => createHash('sha256').update(jws).digest('hex')
    const first = await sign({ kind: 'payout_created', amount_usdc: '1.25', prev: null })
    const second = await sign({
      kind: 'payout_authorized',
      amount_usdc: '1.25',
      prev: digest(first),
    })
    writeFileSync(join(folder, 'jwks.json'), JSON.stringify({ keys: [jwk] }))
    const verify = (receipts: string[]) => {
      writeFileSync(join(folder, 'status.json'), JSON.stringify({ receipts }))
      return run(process.execPath, ['verify.mjs'], { cwd: folder })
    }
    expect((await verify([first, second])).stdout).toBe(
      'payout_created 1.25 \npayout_authorized 1.25 \n',
    )
    await expect(verify([second])).rejects.toThrow('a receipt is missing')
    await expect(verify([first, `${second.slice(0, -4)}AAAA`])).rejects.toThrow(
      'signature verification failed',
    )
    await expect(verify([await sign({ prev: null }, 'jwt')])).rejects.toThrow('this is no receipt')
  },
)

verifies('docs.examples', 'what the tour’s programs load is there', async () => {
  const loaded = [
    ...read('docs/tour.md').matchAll(/import \{ ([^}]+) \} from '\.\/dist\/([^']+)\.js'/g),
  ]
  expect(loaded.length).toBeGreaterThan(3)
  for (const [, names = '', file] of loaded) {
    const module: unknown = await import(join(root, `${file}.ts`))
    for (const name of names.split(', ')) expect(module, file).toHaveProperty(name)
  }
})

verifies('docs.examples', 'the task paths that the tour prints follow the table', () => {
  const paths = [...read('docs/tour.md').matchAll(/^\w+(?: → \w+)+$/gm)].map(([path]) =>
    path.split(' → '),
  )
  expect(paths.map(([first]) => first)).toEqual(['submit', 'started'])
  for (const pipeline of paths) {
    let state: TaskState | 'none' = pipeline[0] === 'submit' ? 'none' : 'queued'
    let resume: TaskState | null = null
    for (const event of pipeline as TaskEvent[]) {
      const next = nextTaskState(state, event, resume)
      expect(next, `${state}: ${event}`).toBeDefined()
      if (state !== 'none') resume = resumeStateAfter(state, event, resume)
      state = next ?? 'closed'
    }
    expect(state).toBe('closed')
  }
})
