import fc from 'fast-check'
import { expect } from 'vitest'
import {
  type ArtifactKind,
  artifactSchemas,
  authorityContexts,
} from '#domain/authority/artifacts.ts'
import { readArtifact, signArtifact } from '../../../activities/authority/artifacts.ts'
import { generateSigningKeys } from '../../../activities/keys/generate.ts'
import { keyRings } from '../../../activities/keys/key-ring.ts'
import { keyStatus } from '../../support/key-status.ts'
import { neverOver50ms } from '../../support/never-over.ts'
import { verifies } from '../../verifies.ts'

const keys = keyRings(generateSigningKeys(new Date()))
const status = keyStatus(keys, 1_795_000_000)
const hex = (digit: string) => digit.repeat(64)
const named = {
  issuer: 'http://127.0.0.1:3000',
  mandate_id: `mdt_${hex('1')}`,
  agent_id: `agt_${hex('2')}`,
}
const time = '2026-11-24T12:00:00Z'

const artifacts: Readonly<Record<ArtifactKind, Record<string, unknown>>> = {
  mandate: await signArtifact('mandate', status, {
    ...named,
    schema: 'authority-mandate.v1',
    version: 1,
    principal_id: 'acme',
    purpose: 'Größe € and "quotes"',
    allowed_operations: ['start-agent-run', 'usage-ledger-record'],
    rails: ['packetops'],
    resources: ['wal_1'],
    limits: { per_action_usd: 49, total_usd: 490, actions_max: 10 },
    valid_from: time,
    expires_at: '2026-11-25T12:00:00Z',
    may_redelegate: false,
  }),
  grant: await signArtifact('grant', status, {
    ...named,
    schema: 'action-grant.v1',
    grant_id: `gr_${hex('3')}`,
    operation_id: 'start-agent-run',
    input_sha256: hex('4'),
    spend_usd_max: 49,
    expires_at: time,
    nonce: '5'.repeat(32),
  }),
  action: await signArtifact('action', status, {
    ...named,
    schema: 'delegated-action.v1',
    action_id: `da_${hex('6')}`,
    grant_id: `gr_${hex('3')}`,
    operation_id: 'start-agent-run',
    input_sha256: hex('4'),
    spent_usd: 49,
    result_status: 202,
    result_sha256: hex('7'),
    executed_at: time,
  }),
}
const kinds = Object.keys(artifactSchemas) as ArtifactKind[]

type Path = readonly string[]
const leaves = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, part]) => leaves(part, [...path, key]))
    : [path]

const at = (value: unknown, path: Path): unknown =>
  path.reduce((part, key) => (part as Record<string, unknown>)[key], value)

function changed(artifact: object, path: Path, value: unknown): Record<string, unknown> {
  const copy = structuredClone(artifact) as Record<string, unknown>
  const parent = at(copy, path.slice(0, -1)) as Record<string, unknown>
  const last = path.at(-1) ?? ''
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}

/** Other values of a member: of its own form where it has one, of another type, and none at all. */
function mutations(value: unknown): unknown[] {
  const others = [undefined, null, [], {}, '', 2 ** 53, 0.5, -1]
  if (typeof value === 'number') return [...others, value + 1, value - 1, String(value)]
  if (typeof value === 'boolean') return [...others, !value]
  const text = String(value)
  const flips = [...text].flatMap((character, index) => {
    const swapped = [character === 'a' ? 'b' : 'a', character === '0' ? '1' : '0']
    return swapped.map((other) => text.slice(0, index) + other + text.slice(index + 1))
  })
  return [...others, ...flips, `${text} `, text.slice(1), text.toUpperCase(), `${text}\u0000`]
}

verifies('authority.artifacts', 'each artifact as it was signed is genuine', () => {
  for (const kind of kinds)
    expect(readArtifact(kind, status, artifacts[kind])).toEqual({ artifact: artifacts[kind] })
})

verifies('authority.artifacts', 'a change of any member or byte is refused', () => {
  let refused = 0
  for (const kind of kinds)
    for (const path of leaves(artifacts[kind]))
      for (const value of mutations(at(artifacts[kind], path))) {
        const forged = changed(artifacts[kind], path, value)
        if (at(forged, path) === at(artifacts[kind], path)) continue
        const fits = artifactSchemas[kind].safeParse(forged).success
        const flaw = fits ? 'signature' : 'schema'
        expect([path, value, readArtifact(kind, status, forged)]).toEqual([path, value, { flaw }])
        refused++
      }
  expect(refused).toBeGreaterThan(2_000)
})

verifies('authority.artifacts', 'an additional member is refused', () => {
  for (const kind of kinds)
    expect(readArtifact(kind, status, { ...artifacts[kind], more: true })).toEqual({
      flaw: 'schema',
    })
})

verifies('authority.artifacts', 'a key of another ring signs no artifact', () => {
  const others = keyRings(generateSigningKeys(new Date()))
  const foreign = keyStatus(others, 1_795_000_000)
  for (const kind of kinds)
    expect(readArtifact(kind, foreign, artifacts[kind])).toEqual({ flaw: 'signature' })
})

verifies('authority.cross-use', 'no artifact passes for one of another kind', () => {
  for (const kind of kinds)
    for (const other of kinds.filter((one) => one !== kind)) {
      expect(readArtifact(other, status, artifacts[kind])).toEqual({ flaw: 'schema' })
      // With every member of the other kind, and only the signature of this one.
      const { signature } = artifacts[kind]
      const dressed = { ...artifacts[other], signature }
      expect(readArtifact(other, status, dressed)).toEqual({ flaw: 'signature' })
      const context = authorityContexts[kind]
      expect(readArtifact(other, status, { ...artifacts[other], context })).toEqual({
        flaw: 'schema',
      })
    }
})

verifies('authority.foreign-input', 'no value makes a reader throw or take 50 ms', () => {
  const kind = fc.constantFrom(...kinds)
  const part = fc.oneof(
    fc.jsonValue(),
    fc.string({ unit: 'binary' }),
    fc.integer({ min: 0, max: 100_000 }).map((length) => 'a'.repeat(length)),
    fc.integer({ min: 0, max: 5_000 }).map((length) => Array(length).fill('start-agent-run')),
    fc.constantFrom('9999-12-31T23:59:59Z', time, 'A'.repeat(86), '='.repeat(86), Number.NaN),
  )
  const replaced = kind.chain((of) =>
    fc
      .tuple(fc.constantFrom(...leaves(artifacts[of])), part)
      .map(([path, value]) => changed(artifacts[of], path, value)),
  )
  const given = fc.oneof(fc.jsonValue(), replaced)
  neverOver50ms(fc.tuple(kind, given), ([of, value]) => {
    const read = readArtifact(of, status, value)
    if ('artifact' in read) expect(read.artifact).toEqual(artifacts[of])
    else expect(['schema', 'signature']).toContain(read.flaw)
  })
})
