import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect } from 'vitest'
import { contractTypes } from '../../worker/client-types.ts'
import { root } from '../docs/pictures.ts'
import { verifies } from '../verifies.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'agent-rails-types-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const program = `
import type { InputOf, OperationId } from './contract.js'

/** The operations whose input takes any member at its top. */
type Open = { [Id in OperationId]: string extends keyof InputOf<Id> ? Id : never }[OperationId]
export const open: readonly Open[] = ['provider-event-receive', 'investor-demo-run']

export const known: InputOf<'payout-status'> = { payout_id: 'po_1' }
export const files: string[] = ['payouts:read']
export const listed: InputOf<'usage-ledger-read'> = {}
export const order: InputOf<'verify-receipt'>[] = [{ receipt_id: 'rcp_1' }, { receipt: 'a.b.c' }]
// @ts-expect-error it needs one of two
export const none: InputOf<'payout-status'> = {}
// @ts-expect-error it takes one of two
export const both: InputOf<'payout-status'> = { payout_id: 'po_1', idempotency_key: 'k' }
// @ts-expect-error there is no such member
export const other: InputOf<'verify-receipt'> = { receipt_id: 'rcp_1', reciept: 'a.b.c' }
// @ts-expect-error a number is no id
export const wrong: InputOf<'inspect-service'> = { mode: 'inspect_service', service_id: 1 }
`

verifies('client.package', 'inputs with alternatives are typed as unions of them', async () => {
  writeFileSync(join(folder, 'contract.d.ts'), await contractTypes())
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
  }
  const project = { compilerOptions, files: ['program.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const said = await run(process.execPath, [tsc, '-p', folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
  expect(said).toBe('')
})
