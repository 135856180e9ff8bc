import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '../../api/operations/index.ts'
import { citedIds } from '../cited-ids.ts'
import type { RequirementId } from '../requirements/index.ts'

const tests = join(import.meta.dirname, '..')
type OperationId = (typeof operations)[number]['id']

/** What each operation of authority, keys, trust and log has to meet. */
export const requirementsOf: Readonly<Partial<Record<OperationId, readonly RequirementId[]>>> = {
  'authority-contract': ['authority.contract'],
  'read-control-plane': ['authority.contract'],
  'draft-mandate': ['authority.draft'],
  'issue-mandate': ['authority.issue', 'ap2.issue'],
  'inspect-mandate': ['authority.inspect', 'ap2.inspect'],
  'issue-action-grant': ['authority.grant'],
  'evaluate-action': ['authority.decisions', 'authority.rules'],
  'execute-delegated-action': [
    'authority.execute',
    'authority.execute.single-use',
    'authority.execute.refused',
    'authority.execute.durable',
    'authority.budget',
  ],
  'revoke-mandate': ['authority.revoke', 'ap2.revoke'],
  'mandates-list': ['console.authority'],
  'mandate-read': ['console.authority'],
  'grants-list': ['console.authority'],
  'delegated-actions-list': ['console.authority'],
  'payment-reference-create': ['ap2.present', 'ap2.budget'],
  'signing-versions-read': ['agent.signing.rotated'],
  'signing-rotate': ['keys.rotation', 'keys.rotation-killed', 'keys.rotation-hastened'],
  'signing-sign': ['agent.statement.signed'],
  'signing-verify': ['agent.statement.signed'],
  'key-rings': ['console.rings'],
  'keys-list': ['keys.commands'],
  'keys-publish': ['keys.commands'],
  'keys-retire': ['keys.commands'],
  'keys-revoke': ['keys.commands'],
  jwks: ['discovery.jwks'],
  'authority-key': ['authority.artifacts', 'keys.rotation'],
  'trust-contract': ['trust.published'],
  'passport-issue': ['trust.passport.issue', 'trust.passport.not-found', 'trust.passport.one'],
  'passport-verify': ['trust.passport.verify'],
  'proof-store': ['trust.inbox.store', 'trust.inbox.genuine', 'trust.inbox.limits'],
  'proof-list': ['trust.inbox.read'],
  'proof-retrieve': ['trust.inbox.read'],
  'scorecard-compute': ['trust.score.chain', 'trust.score.signed', 'trust.score.unmoved'],
  'handoff-build': ['trust.pack.build', 'trust.pack.series'],
  'handoff-verify': ['trust.pack.verify'],
  'verify-receipt': ['receipt.verify', 'receipt.verify.log', 'keys.revoked-receipt'],
  'log-inclusion': ['log.http.proofs'],
  'log-consistency': ['log.http.proofs'],
  'receipt-bundle': ['log.http.bundle'],
  'schema-index': ['schemas.published'],
  'schema-read': ['schemas.published', 'schemas.immutable'],
}

/** What is served or run without being an operation. */
const others: Readonly<Record<string, readonly RequirementId[]>> = {
  'GET `/log/checkpoint`': ['log.http.checkpoint'],
  'GET `/log/tile/…`': ['log.http.tiles'],
  'the page `/verify`': ['verify.page'],
  '`agent-rails verify`': ['verify.cli', 'verify.log', 'verify.chain'],
  '`docs/verify.py`': ['verify.vectors'],
  '`agent-rails mandates`': ['authority.commands'],
  '`agent-rails witness`': ['log.witness.follows', 'log.witness.endpoint', 'log.witness.state'],
  '`agent-rails audit`': ['log.audit.honest', 'log.audit.deceptions'],
}

/** The rows of the table: what is called, and each of its requirements with links to the tests that cite it. */
export function proofRows(): string[][] {
  const citing = citations()
  const proofs = (ids: readonly RequirementId[]) =>
    ids.map((id) => `\`${id}\`: ${testsOf(id, citing.get(id))}`).join('<br>')
  const ofOperations = operations.flatMap((operation) => {
    const { id, http, mode } = operation as typeof operation & { mode?: string }
    const ids = requirementsOf[id]
    const suffix = mode === undefined ? '' : `, mode \`${mode}\``
    return ids === undefined ? [] : [[`${http.method} \`${http.path}\`${suffix}`, proofs(ids)]]
  })
  return [...ofOperations, ...Object.entries(others).map(([name, ids]) => [name, proofs(ids)])]
}

function testsOf(id: RequirementId, files: readonly string[] = []): string {
  if (files.length === 0) throw new Error(`no test proves ${id}`)
  return files.map((file) => `[${nameOf(file)}](../../test/${file})`).join(', ')
}

const nameOf = (file: string): string => file.replace(/^.*\//, '').replace('.test.ts', '')

/** The files whose tests cite each requirement, by its id. */
function citations(): Map<string, string[]> {
  const citing = new Map<string, string[]>()
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' }).sort()
  for (const file of files.filter((path) => path.endsWith('.test.ts')))
    for (const id of citedIds(readFileSync(join(tests, file), 'utf8')))
      citing.set(id, [...(citing.get(id) ?? []), file])
  return citing
}
