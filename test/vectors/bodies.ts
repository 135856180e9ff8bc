import { digestOf, sha256Hex } from '#domain/core/canonical-json.ts'
import { packClaims } from '#domain/reviews/audit-pack.ts'
import {
  buildReplayPackage,
  type ReplayPackage,
  replayClaims,
  verifyInstructions,
} from '#domain/runs/replay-package.ts'
import { ledgerEntry } from '#domain/tasks/ledger.ts'
import type { Reason } from '#domain/verification/reasons.ts'
import { type BodyKind, bodyForms } from '#domain/verification/signed-body.ts'
import { receiptView } from '../../activities/keys/receipt-view.ts'
import {
  altered,
  authorityKinds,
  claimsOf,
  goodObject,
  goodToken,
  packageMade,
  packageView,
  signToken,
  tokenKinds,
} from './artifacts.ts'
import { goodBundle } from './bundles.ts'
import { authorityKey, isoTime, receiptKey, signedAt, strangers, type TestKey } from './keys.ts'
import type { Case, Vector } from './make.ts'
import { eachLeafChanged, eachMemberRemoved } from './mutations.ts'

type Members = Record<string, unknown>
export const bodyKinds = Object.keys(bodyForms) as BodyKind[]
const { iss: issuer } = claimsOf.receipt as { iss: string }
const taskId = `task-${sha256Hex('vector task')}`

const headerFor = (kind: BodyKind, key: TestKey = receiptKey): Members => ({
  alg: 'EdDSA',
  kid: key.kid,
  typ: bodyForms[kind].typ,
})
const signFor = (kind: BodyKind, claims: unknown): string => signToken(headerFor(kind), claims)

const { proof_hash, run_id } = packageMade
const attested: Members = {
  iss: issuer,
  iat: signedAt,
  sub: taskId,
  kind: 'attestation',
  usage: 'operational',
  environment: 'live',
  prev: sha256Hex('vector receipt before'),
  task_id: taskId,
  outcome: 'completed',
  run_id,
  proof_hash,
  ledger_entries: 17,
}

const entry = ledgerEntry(taskId, undefined, {
  event: 'submit',
  from_state: 'none',
  to_state: 'created',
  at: isoTime(signedAt),
  actor: 'Zürich ✓',
  data: { terms_sha256: sha256Hex('vector terms') },
})
const replayParts: Parameters<typeof buildReplayPackage>[0] = {
  issuer,
  task_id: taskId,
  rail: 'packetops',
  exception_id: null,
  resume_state: 'created',
  from_step: null,
  ledger: [{ ...entry, data: { terms_sha256: sha256Hex('vector terms') } }],
  loop_steps: [
    { attempt: 0, round: 0, step: 'return_package', verdict: 'done', output_sha256: proof_hash },
  ],
  receipts: [],
  documents: [{ sha256: sha256Hex('vector terms'), content: { score: 0.75, partial: true } }],
  return_package: null,
  keys: { keys: [] },
}

/** A replay package as of one release: the vectors do not change with the version of the code. */
function replayOf(more: Members): Members & { replay_package: ReplayPackage; claims: Members } {
  const { package_sha256: _, ...made } = buildReplayPackage(replayParts)
  const body = { ...made, code_version: '1.0.0', ...more }
  const replay_package = { ...body, package_sha256: digestOf(body) } as ReplayPackage
  const claims = replayClaims(replay_package)
  const jws = signFor('replay_package', claims)
  return { replay_package, claims, jws, verify_instructions: verifyInstructions }
}

function auditOf(decision: Members): Members & { claims: Members } {
  const parts = {
    decisions: [decision],
    loops: [{ run_id, steps: ['intake', 'review'] }],
    ledger_heads: [{ task_id: taskId, sequence: 17, hash: sha256Hex('vector head') }],
    receipts: [{ receipt_id: `rc_${sha256Hex('vector receipt')}`, kind: 'attestation' }],
  }
  const page = { offset: 0, limit: 50, total: 1 }
  const about = { asked: { run_id, from: isoTime(signedAt) }, page, parts }
  const claims = packClaims(about, { issuer, iat: signedAt })
  return { ...parts, ...page, pack_sha256: claims.sub, jws: signFor('audit_pack', claims), claims }
}

function attestationOf(more: Members): Members & { claims: Members } {
  const claims = { ...attested, ...more }
  return { ...receiptView(signFor('attestation', claims)), claims }
}

const decided = { decision: 'approve', note: 'Zürich ✓', share: 0.5, conditions: [], by: null }
/** A good one of each kind with the claims of its signature, from the members that are given. */
const makers: Record<BodyKind, (more: Members) => Members & { claims: Members }> = {
  attestation: attestationOf,
  replay_package: replayOf,
  audit_pack: (more) => auditOf({ ...decided, ...more }),
}
function made(kind: BodyKind, more: Members = {}): { good: Members; claims: Members } {
  const { claims, ...good } = makers[kind](more)
  return { good, claims }
}
export const goodBody = (kind: BodyKind): Members => made(kind).good

const missing: Partial<Vector> = { expect: { verdict: 'indeterminate', reason: 'body_missing' } }
const undecided: Partial<Vector> = {
  keys: 'revoked_later',
  expect: { verdict: 'indeterminate', reason: 'body_missing' },
}
const headerReasons: Readonly<Record<string, Reason>> = {
  alg: 'wrong_algorithm',
  kid: 'unknown_key',
  typ: 'wrong_type',
}

const neededClaims = ['iss', 'sub', 'kind', 'iat']

/** What is wrong with the JWS next to a body, whatever the body says. */
function signatureCases(kind: BodyKind): Case[] {
  const { good, claims } = made(kind)
  const header = headerFor(kind)
  const jws = String(good['jws'])
  const [head, body, signature = ''] = jws.split('.')
  const other = (jws_: unknown) => ({ ...good, jws: jws_ })
  const signed = (more: Members, key?: TestKey) =>
    other(signToken({ ...header, ...more }, claims, key))
  const without = (name: string) =>
    other(signFor(kind, eachMemberRemoved(claims).find(({ path }) => path === name)?.value))
  return [
    ['a JWS that is a number', other(1), 'malformed'],
    ['a JWS that is a list', other([jws]), 'malformed'],
    ['a JWS with a line break', other(`${jws}\n`), 'malformed'],
    ['a JWS of two parts', other(`${head}.${body}`), 'malformed'],
    ['no signature', other(`${head}.${body}.`), 'signature_invalid'],
    ['a signature of 63 bytes', other(jws.slice(0, -2)), 'signature_invalid'],
    ['a signature of zeros', other(`${head}.${body}.${'A'.repeat(86)}`), 'signature_invalid'],
    ['a padded signature', other(`${head}.${body}.${signature}==`), 'malformed'],
    ['alg none, signed', signed({ alg: 'none' }), 'wrong_algorithm'],
    ['crit, signed', signed({ crit: ['b64'], b64: false }), 'wrong_algorithm'],
    ['typ of a later version, signed', signed({ typ: `${header['typ']}.v2` }), 'wrong_type'],
    ['typ of a completion, signed', signed({ typ: 'completion+jwt' }), 'wrong_type'],
    ['signed by a stranger', signed({}, strangers[0]), 'signature_invalid'],
    [
      'signed by the key of an authority',
      signed({ kid: authorityKey.kid }, authorityKey),
      'unknown_key',
    ],
    ...neededClaims.map(
      (name): Case => [`without ${name}, signed`, without(name), 'claims_invalid'],
    ),
    ...eachLeafChanged(header).map(
      ({ path, value }): Case => [
        `header ${path} changed`,
        other(altered(jws, { header: value as Members })),
        headerReasons[path] ?? 'signature_invalid',
      ],
    ),
    ...eachLeafChanged(claims).map(
      ({ path, value }): Case => [
        `claim ${path} changed`,
        other(altered(jws, { claims: value as Members })),
        'signature_invalid',
      ],
    ),
  ]
}

/** The members outside the signature, or that only repeat what it says: without them nothing is contradicted. */
const repeated = (kind: BodyKind, path: string): boolean =>
  kind === 'attestation' || path === 'verify_instructions'
const bodyOf = { attestation: null, replay_package: 'replay_package', audit_pack: 'pack_sha256' }

function removedCases(kind: BodyKind): Case[] {
  const { good } = made(kind)
  const of = kind === 'attestation' ? 'payload' : 'replay_package'
  const inner = kind === 'audit_pack' ? [] : eachMemberRemoved(good[of] as Members)
  return [
    ...eachMemberRemoved(good).map(({ path, value }): Case => {
      const name = `${path} removed`
      if (path === 'jws') return [name, value, 'malformed']
      if (path === bodyOf[kind]) return [name, value, 'body_missing', missing]
      return [name, value, repeated(kind, path) ? null : 'claims_mismatch']
    }),
    ...inner.map(
      ({ path, value }): Case => [
        `${of}.${path} removed`,
        { ...good, [of]: value },
        'claims_mismatch',
      ],
    ),
  ]
}

const changedCases = (kind: BodyKind): Case[] =>
  eachLeafChanged(goodBody(kind)).map(({ path, value }) => {
    // The last character of a JWS has bits that base64url leaves at zero.
    if (path === 'jws') return [`${path} changed`, value, 'malformed']
    return [`${path} changed`, value, path === 'verify_instructions' ? null : 'claims_mismatch']
  })

/** Numbers whose text differs between languages. */
const numbers = [0.1, 1e21, 1e20, 1e-6, 1e-7, 1.5e300, 5e-324, -2.5, 123456789.125, 2 ** 53]

/** What a body may hold, and what no canonical JSON has. */
function contentCases(kind: BodyKind): Case[] {
  const { good } = made(kind)
  const text = JSON.stringify(good)
  const { good: numbered } = made(kind, { later: numbers })
  const { good: named } = made(kind, { later: { '\ufb33': 1, '😀': 2, é: '"\\\u007f\u2028\n' } })
  const later = (member: string) =>
    JSON.stringify(made(kind, { later: '#' }).good).replace('"later":"#"', `"later":${member}`)
  const written = JSON.stringify(numbered)
    .replace('0.1,', '1e-1,')
    .replace('1e+21', '1000000000000000000000.0')
  return [
    ['with numbers of every size, signed', numbered, null],
    ['with numbers written in another way', written, null],
    ['with names beyond ASCII, signed', named, null],
    ['with one of its texts as a number', later('0'), 'claims_mismatch'],
    ['with a number beyond all', later('1e400'), 'claims_mismatch'],
    ['with half a surrogate pair', later('"\\ud800"'), 'claims_mismatch'],
    ['with a member named __proto__', later('"#","__proto__":{}'), 'claims_mismatch'],
    ['with NaN', later('NaN'), 'malformed'],
    ['with a control character in a text', later('"\u0001"'), 'malformed'],
    [
      'with other members outside of what is signed',
      { ...good, constructor: 1, more: {} },
      kind === 'replay_package' ? null : 'claims_mismatch',
    ],
    ['with a member named twice', text.replace('"jws":', '"jws":"x","jws":'), 'malformed'],
    ['with a name written twice', text.replace('"jws":', '"j\\u0077s":"x","jws":'), 'malformed'],
    ['with its members in another order', Object.fromEntries(Object.entries(good).reverse()), null],
    ['with spaces and line breaks', `\n${JSON.stringify(good, null, 2)} \t`, null],
    ['with a byte order mark', `\ufeff${text}`, 'malformed'],
    ['cut off', text.slice(0, -1), 'malformed'],
    ['empty', '', 'malformed'],
    ['null', 'null', 'malformed'],
    ['a list', [good], 'malformed'],
    ['the JWS of another one', { ...good, jws: numbered['jws'] }, 'claims_mismatch'],
    ['the body of another one', { ...numbered, jws: good['jws'] }, 'claims_mismatch'],
  ]
}

const ofKind: Record<BodyKind, () => Case[]> = {
  attestation: () => {
    const { good } = made('attestation')
    const { prev: _prev, usage: _usage, ...first } = attested
    const view = receiptView(signFor('attestation', first))
    return [
      ['with its JWS alone', { jws: good['jws'] }, null],
      ['its JWS alone', good['jws'], 'body_missing', missing],
      ['of another kind of receipt', receiptView(goodToken('receipt')), 'claims_invalid'],
      ['the first of its subject', view, null],
      ['the first, with a receipt before it', { ...view, prev_receipt_id: '' }, 'claims_mismatch'],
      ['a payload that is a text', { ...good, payload: 'x' }, 'claims_mismatch'],
      ['a sample', attestationView(sample), 'claims_invalid'],
      ['a sample of a key not active', attestationView(sample), 'claims_invalid', notActive],
    ]
  },
  replay_package: () => {
    const { good } = made('replay_package')
    const kind = { ...replayOf({}).claims, kind: 'loop_audit_pack' }
    return [
      ['another kind, signed', { ...good, jws: signFor('replay_package', kind) }, 'claims_invalid'],
      ['a body that is a list', { ...good, replay_package: [] }, 'body_missing', missing],
      ['an empty body', { ...good, replay_package: {} }, 'claims_mismatch'],
      ...aloneCases('replay_package'),
    ]
  },
  audit_pack: () => {
    const { good, claims } = made('audit_pack')
    const signed = (more: Members) => ({ ...good, jws: signFor('audit_pack', more) })
    return [
      ['another kind, signed', signed({ ...claims, kind: 'replay_package' }), 'claims_invalid'],
      ['another question, signed', signed({ ...claims, asked: {} }), 'claims_mismatch'],
      ['no question, signed', signed({ ...claims, asked: null }), 'claims_mismatch'],
      ['loops that are none', { ...good, loops: null }, 'claims_mismatch'],
      ['a digest that is a number', { ...good, pack_sha256: 1 }, 'body_missing', missing],
      ...aloneCases('audit_pack'),
    ]
  },
}

const sample = { kind: 'sample', usage: 'synthetic', sub: 'sample:x' }
const attestationView = (more: Members): Members => made('attestation', more).good
const notActive: Partial<Vector> = { keys: 'not_active' }

const aloneCases = (kind: BodyKind): Case[] => {
  const { jws } = goodBody(kind)
  return [
    ['its JWS alone', jws, 'body_missing', missing],
    ['its JWS alone with a line break', `${jws}\n`, 'body_missing', missing],
    ['its JWS alone in an object', { jws }, 'body_missing', missing],
    ['its JWS alone, keys: revoked later', jws, 'body_missing', undecided],
  ]
}

/** Good artifacts of every other kind. */
function crossUse(kind: BodyKind): Case[] {
  const isReceipt = (other: string) => kind === 'attestation' && other === 'receipt'
  return [
    ...tokenKinds.map(
      (other): Case => [
        `a ${other}`,
        goodToken(other),
        isReceipt(other) ? 'claims_invalid' : 'wrong_type',
      ],
    ),
    ...authorityKinds.map((other): Case => [`a ${other}`, goodObject(other), 'malformed']),
    ...bodyKinds
      .filter((other) => other !== kind)
      .map((other): Case => [`a ${other}`, goodBody(other), 'wrong_type']),
    ['a return_package', packageView, 'malformed'],
    ['a receipt_bundle', goodBundle, 'malformed'],
  ]
}

/** What becomes of an answer with a signed body by its parts. */
export const bodyCases = (kind: BodyKind): Case[] => [
  ['good', goodBody(kind), null],
  ...contentCases(kind),
  ...ofKind[kind](),
  ...signatureCases(kind),
  ...changedCases(kind),
  ...removedCases(kind),
  [
    'a changed body, keys: revoked later',
    { ...goodBody(kind), ...changedPart[kind] },
    'claims_mismatch',
    { keys: 'revoked_later' },
  ],
  ...crossUse(kind),
]

const changedPart: Record<BodyKind, Members> = {
  attestation: { subject: 'another' },
  replay_package: { replay_package: { package_sha256: sha256Hex('another') } },
  audit_pack: { total: 2 },
}
