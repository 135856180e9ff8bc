import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { InputOf } from '../../api/http/client.ts'
import { freshKey } from './agent-use.ts'

export type ProofInput = InputOf<'commerce-proof-evaluate'>

/** A named text with its digest. */
export const artifactOf = (content: string, name = 'report.md') => ({
  name,
  sha256: sha256Hex(content),
  content,
})

/** Evidence that is a text of today. */
export const notedToday = (text: string, id = 'note') => ({
  id,
  sha256: sha256Hex(text),
  text,
  dated: new Date().toISOString(),
})

/** A package that was not proven before: its text has a fresh name in it. */
export function freshPackage() {
  const content = `The invoice ${freshKey()} of November comes to 412.80 USD in all.`
  return {
    artifacts: [artifactOf(content)],
    claims: [{ claim: 'comes to 412.80 USD', artifact: 'report.md' }],
  }
}

/** A handoff that lacks nothing for an agent with a credential, and that needs no payment. */
export const handoff = (more: Partial<ProofInput> = {}): ProofInput => ({
  schema_version: 'v1',
  mission: { mission_id: `m-${freshKey()}`, kind: 'agent_handoff', objective: 'Hand it over.' },
  agent: { name: 'Ledger reader' },
  return_package: freshPackage(),
  evidence: [notedToday('The customer took it over.')],
  idempotency_key: freshKey(),
  ...more,
})

/** The mission of a proof with other members. */
export const missionOf = (
  kind: ProofInput['mission']['kind'],
  more: Partial<ProofInput['mission']> = {},
): ProofInput['mission'] => ({
  mission_id: `m-${freshKey()}`,
  kind,
  objective: 'Deliver the report.',
  ...more,
})
