import { strToU8, zipSync } from 'fflate'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import type { KeySet } from '#domain/receipts/key-set.ts'
import { packageTexts } from '#domain/runs/package-files.ts'
import type { PackageFile } from '#domain/runs/return-package.ts'
import type { TokenKind } from '#domain/verification/artifact.ts'
import type { AuthorityKind } from '#domain/verification/authority.ts'
import type { Reason } from '#domain/verification/reasons.ts'
import type { BodyKind } from '#domain/verification/signed-body.ts'
import type { ArtifactKind } from '#domain/verification/verdict.ts'
import { provenAgain, withoutReport } from '../support/proven-again.ts'
import {
  altered,
  authorityKinds,
  claimsOf,
  completion,
  goodObject,
  goodToken,
  headerFor,
  membersOf,
  packageMade,
  packageView,
  signObject,
  signToken,
  tokenKinds,
  viewOf,
} from './artifacts.ts'
import { bodyCases, goodBody } from './bodies.ts'
import { bundleCases, goodBundle } from './bundles.ts'
import {
  type KeySetName,
  keySets,
  logSets,
  ofRing,
  receiptKey,
  signedAt,
  smallOrderSets,
  strangers,
} from './keys.ts'
import { eachLeafChanged, eachMemberRemoved } from './mutations.ts'

/** `artifact` is the text of a file, the value of its JSON, or the base64 of a zip. */
export type Vector = {
  name: string
  kind: ArtifactKind
  artifact: unknown
  keys: string
  at?: number
  expect: { verdict: 'valid' | 'invalid' | 'indeterminate'; reason: Reason | null }
}
export type VectorFile = { keys: Record<string, KeySet>; vectors: Vector[] }

/** `reason` is that of an invalid one; null: it is valid. */
export type Case = [name: string, artifact: unknown, reason: Reason | null, more?: Partial<Vector>]

const invalid = (kind: ArtifactKind, [name, artifact, reason, more]: Case): Vector => ({
  name,
  kind,
  artifact,
  keys: 'current',
  expect: { verdict: reason === null ? 'valid' : 'invalid', reason },
  ...more,
})

/** What each key set makes of something that was signed at `signedAt`. */
const byDatedKeys: Record<Exclude<KeySetName, 'current'>, Reason | null> = {
  retired_later: null,
  retired_before: 'key_retired',
  retired_then: null,
  active_then: null,
  active_later: 'key_not_active',
  not_active: 'key_not_active',
  without_activation: null,
  revoked_later: 'key_revoked',
  revoked_before: 'key_revoked',
  revoked_then: 'key_revoked',
  retired_and_revoked_later: 'key_revoked',
  empty: 'unknown_key',
  of_another_service: 'signature_invalid',
  for_another_purpose: 'unknown_key',
  not_canonical: 'key_unsound',
  not_a_point: 'signature_invalid',
  too_short: 'key_unsound',
  on_another_curve: 'key_unsound',
}
const undecided: readonly KeySetName[] = ['revoked_later', 'retired_and_revoked_later']
/** A mandate does not show when it was signed; a replay package has the time of its last entry. */
const byKeysOf: Partial<Record<ArtifactKind, typeof byDatedKeys>> = {
  mandate: { ...byDatedKeys, retired_before: null, active_later: null },
  replay_package: { ...byDatedKeys, active_later: null },
}

function ofKeySets(kind: ArtifactKind, artifact: unknown): Vector[] {
  const isGrant = kind === 'mandate' || kind === 'action_grant'
  return Object.entries(byKeysOf[kind] ?? byDatedKeys).map(([name, reason]) => {
    const keys = name as KeySetName
    const vector = invalid(kind, [`keys: ${name.replaceAll('_', ' ')}`, artifact, reason, { keys }])
    const open = !isGrant && undecided.includes(keys)
    return open ? { ...vector, expect: { verdict: 'indeterminate' as const, reason } } : vector
  })
}

const headerReasons: Readonly<Record<string, Reason>> = {
  alg: 'wrong_algorithm',
  kid: 'unknown_key',
  typ: 'wrong_type',
}

/** What is wrong with a compact JWS in its form alone. */
function tokenForms(kind: TokenKind): Case[] {
  const jws = goodToken(kind)
  const [head = '', body = '', signature = ''] = jws.split('.')
  const header = headerFor(kind)
  const claims = claimsOf[kind]
  const badHeader = (more: object) => signToken({ ...header, ...more }, claims)
  const raw = (text: string) => `${head}.${Buffer.from(text).toString('base64url')}.${signature}`
  const withoutClaim = (name: string): Case => [
    `without ${name}, signed`,
    signToken(header, without(claims, name)),
    'claims_invalid',
  ]
  return [
    ['good', jws, null],
    ['with a line break at the end', `${jws}\n`, null],
    ['with white space of all kinds around it', `\ufeff \t${jws}\u00a0\u2029\r\n `, null],
    ['with another member', signToken(header, { ...claims, later_version: ['✓', 1, null] }), null],
    ['empty', '', 'malformed'],
    ['two parts', `${head}.${body}`, 'malformed'],
    ['four parts', `${jws}.`, 'malformed'],
    ['no signature', `${head}.${body}.`, 'signature_invalid'],
    ['a signature of 63 bytes', `${head}.${body}.${signature.slice(0, 84)}`, 'signature_invalid'],
    ['a signature of zeros', `${head}.${body}.${'A'.repeat(86)}`, 'signature_invalid'],
    ['padded base64', `${head}.${body}.${signature}==`, 'malformed'],
    ['a character that is not base64url', `${head}.${body}.${signature.slice(1)}+`, 'malformed'],
    ['a space in the middle', `${head}. ${body}.${signature}`, 'malformed'],
    ['a header that is a list', jws.replace(head, 'W10'), 'malformed'],
    ['claims that are no JSON', raw('{"iss":'), 'malformed'],
    ['claims that are a text', raw('"claims"'), 'malformed'],
    ['claims with NaN', raw('{"iat":NaN}'), 'malformed'],
    ['a byte order mark before the claims', raw(`\ufeff${JSON.stringify(claims)}`), 'malformed'],
    ['alg none', altered(jws, { header: { ...header, alg: 'none' } }), 'wrong_algorithm'],
    ['alg none, signed', badHeader({ alg: 'none' }), 'wrong_algorithm'],
    ['alg ES256, signed', badHeader({ alg: 'ES256' }), 'wrong_algorithm'],
    ['alg Ed25519, signed', badHeader({ alg: 'Ed25519' }), 'wrong_algorithm'],
    ['crit, signed', badHeader({ crit: ['b64'], b64: false }), 'wrong_algorithm'],
    ['no typ, signed', signToken({ alg: 'EdDSA', kid: header['kid'] }, claims), 'wrong_type'],
    ['typ JWT, signed', badHeader({ typ: 'JWT' }), 'wrong_type'],
    ['kid that is a number, signed', badHeader({ kid: 1 }), 'unknown_key'],
    ['kid of a key for callbacks', badHeader({ kid: 'callback-test-1' }), 'unknown_key'],
    [
      'signed by another key of the set',
      altered(jws, { header: { ...header, kid: 'receipt-test-2' } }),
      'signature_invalid',
    ],
    ['signed by a stranger', signToken(header, claims, strangers[0]), 'signature_invalid'],
    [
      'iat that is a text, signed',
      signToken(header, { ...claims, iat: String(signedAt) }),
      'claims_invalid',
    ],
    [
      'iat with a fraction, signed',
      signToken(header, { ...claims, iat: signedAt + 0.5 }),
      'claims_invalid',
    ],
    ['iat that is true, signed', signToken(header, { ...claims, iat: true }), 'claims_invalid'],
    ['iat of 2^53, signed', signToken(header, { ...claims, iat: 2 ** 53 }), 'claims_invalid'],
    withoutClaim('iss'),
    withoutClaim('iat'),
    withoutClaim('sub'),
  ]
}

const without = (members: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(members).filter(([other]) => other !== name))

function tokenMutations(kind: TokenKind): Case[] {
  const jws = goodToken(kind)
  const heads = eachLeafChanged(headerFor(kind)).map(
    ({ path, value }): Case => [
      `header ${path} changed`,
      altered(jws, { header: value as Record<string, unknown> }),
      headerReasons[path] ?? 'signature_invalid',
    ],
  )
  const bodies = eachLeafChanged(claimsOf[kind]).map(
    ({ path, value }): Case => [
      `claim ${path} changed`,
      altered(jws, { claims: value as Record<string, unknown> }),
      'signature_invalid',
    ],
  )
  return [...heads, ...bodies]
}

const ofTokens: Partial<Record<TokenKind, () => Case[]>> = {
  receipt: () =>
    Object.keys(smallOrderSets).map((keys) => [
      `keys: ${keys.replaceAll('_', ' ')}`,
      goodToken('receipt'),
      'key_unsound',
      { keys },
    ]),
  passport: () => [
    [
      'another kind, signed',
      signToken(headerFor('passport'), { ...claimsOf.passport, kind: 'x' }),
      'claims_invalid',
    ],
  ],
  handoff_pack: () => {
    const pack = goodToken('handoff_pack')
    const signed = (more: object) =>
      signToken(headerFor('handoff_pack'), { ...claimsOf.handoff_pack, ...more })
    return [
      ['before it expires', pack, null, { at: signedAt + 3599 }],
      ['when it expires', pack, 'expired', { at: signedAt + 3600 }],
      ['after it expired', pack, 'expired', { at: signedAt + 9999 }],
      ['exp that is a text, signed', signed({ exp: 'never' }), 'claims_invalid'],
      ['without aud, signed', signed({ aud: null }), 'claims_invalid'],
      ['another kind, signed', signed({ kind: 'receipt_passport' }), 'claims_invalid'],
    ]
  },
}

const memberReasons: Readonly<Record<string, Reason>> = {
  schema: 'wrong_type',
  context: 'wrong_type',
  key_id: 'unknown_key',
}

function objectForms(kind: AuthorityKind): Case[] {
  const good = goodObject(kind)
  const members = membersOf[kind]
  const signature = String(good['signature'])
  const signed = (more: object) => signObject(kind, { ...members, ...more })
  const number = kind === 'delegated_action' ? 'spent_usd' : 'spend_usd_max'
  const withNumber = (text: string) => {
    const value = { ...good, [kind === 'mandate' ? 'version' : number]: '#' }
    return JSON.stringify(value).replace('"#"', text)
  }
  const text = JSON.stringify(good)
  const reversed = Object.fromEntries(Object.entries(good).reverse())
  return [
    ['good', good, null],
    ['with its members in another order', reversed, null],
    ['with spaces and line breaks', JSON.stringify(good, null, 2), null],
    ['with a number written as a fraction', withNumber(kind === 'mandate' ? '1.0' : '50.0'), null],
    [
      'with a number written with an exponent',
      withNumber(kind === 'mandate' ? '1e0' : '5E1'),
      null,
    ],
    [
      'with another member, signed',
      signed({ later_version: { b: [true, null], a: '"\\\u007f\u2028\n' } }),
      null,
    ],
    ['with names beyond ASCII, signed', signed({ '\ufb33': 1, '😀': 2, é: 3 }), null],
    ['with another member', { ...good, more: true }, 'signature_invalid'],
    ['with a fraction', withNumber('1.5'), 'malformed'],
    ['with an integer of 2^53', withNumber('9007199254740992'), 'malformed'],
    ['with a number beyond all', withNumber('1e400'), 'malformed'],
    ['with NaN', withNumber('NaN'), 'malformed'],
    ['with half a surrogate pair', text.replace('"issuer":"', '"issuer":"\\ud800'), 'malformed'],
    ['empty', '', 'malformed'],
    ['a list', [good], 'malformed'],
    ['cut off', text.slice(0, -1), 'malformed'],
    ['with a byte order mark', `\ufeff${text}`, 'malformed'],
    ['without a signature', without(good, 'signature'), 'signature_invalid'],
    [
      'a signature of 63 bytes',
      { ...good, signature: signature.slice(0, 84) },
      'signature_invalid',
    ],
    ['a padded signature', { ...good, signature: `${signature}==` }, 'signature_invalid'],
    ['a signature that is a list', { ...good, signature: [signature] }, 'signature_invalid'],
    ['signed by a stranger', signObject(kind, members, strangers[1]), 'signature_invalid'],
    ['signed by a receipt key', signObject(kind, members, receiptKey), 'unknown_key'],
    ['an issuer that is a number, signed', signed({ issuer: 1 }), 'claims_invalid'],
    ['without agent_id, signed', signObject(kind, without(members, 'agent_id')), 'claims_invalid'],
  ]
}

const objectMutations = (kind: AuthorityKind): Case[] => [
  ...eachLeafChanged(goodObject(kind)).map(
    ({ path, value }): Case => [
      `${path} changed`,
      value,
      memberReasons[path] ?? 'signature_invalid',
    ],
  ),
  ...eachMemberRemoved(membersOf[kind]).map(
    ({ path }): Case => [
      `${path} removed`,
      without(goodObject(kind), path),
      memberReasons[path] ?? 'signature_invalid',
    ],
  ),
]

const ofObjects: Record<AuthorityKind, () => Case[]> = {
  mandate: () => {
    const good = goodObject('mandate')
    const signed = (more: object) => signObject('mandate', { ...membersOf.mandate, ...more })
    return [
      ['before it begins', good, 'not_yet_valid', { at: signedAt - 1 }],
      ['when it begins', good, null, { at: signedAt }],
      ['when it expires', good, 'expired', { at: signedAt + 30 * 24 * 3600 }],
      ['a time that is a number, signed', signed({ valid_from: signedAt }), 'claims_invalid'],
      [
        'a time without its zone, signed',
        signed({ expires_at: '2026-12-01T00:00:00' }),
        'claims_invalid',
      ],
      [
        'a day that no calendar has, signed',
        signed({ expires_at: '2026-02-30T00:00:00Z' }),
        'claims_invalid',
      ],
      ['a time without a fraction, signed', signed({ expires_at: '2026-12-01T00:00:00Z' }), null],
    ]
  },
  action_grant: () => {
    const good = goodObject('action_grant')
    return [
      ['before it expires', good, null, { at: signedAt + 299 }],
      ['when it expires', good, 'expired', { at: signedAt + 300 }],
      [
        'a time that is a text, signed',
        signObject('action_grant', { ...membersOf.action_grant, expires_at: 'soon' }),
        'claims_invalid',
      ],
    ]
  },
  delegated_action: () => [
    [
      'without its time, signed',
      signObject('delegated_action', without(membersOf.delegated_action, 'executed_at')),
      'claims_invalid',
    ],
  ],
}

/** Good artifacts of every other kind, and their content under the form of this kind. */
function crossUse(kind: TokenKind | AuthorityKind): Case[] {
  const isToken = (one: string): one is TokenKind => one in claimsOf
  const others = [...tokenKinds, ...authorityKinds].filter((other) => other !== kind)
  return others.flatMap((other): Case[] => {
    const good = isToken(other) ? goodToken(other) : goodObject(other)
    const reason = isToken(kind) === isToken(other) ? 'wrong_type' : 'malformed'
    const cases: Case[] = [[`a ${other}`, good, reason]]
    if (isToken(kind) && isToken(other))
      cases.push([
        `a ${other} under the typ of a ${kind}`,
        altered(goodToken(other), { header: headerFor(kind) }),
        'signature_invalid',
      ])
    if (!isToken(kind) && !isToken(other)) {
      const { schema, context } = membersOf[kind]
      const named = { ...goodObject(other), schema, context }
      cases.push([`a ${other} under the context of a ${kind}`, named, 'signature_invalid'])
    }
    return cases
  })
}

const resigned = (kind: TokenKind): Case[] => [
  [
    `signed by the key of an authority`,
    signToken(headerFor(kind, ofRing('authority')), claimsOf[kind], ofRing('authority')),
    'unknown_key',
  ],
]

function ofToken(kind: TokenKind): Vector[] {
  const cases = [
    ...tokenForms(kind),
    ...(ofTokens[kind]?.() ?? []),
    ...tokenMutations(kind),
    ...resigned(kind),
    ...crossUse(kind),
  ]
  const invalids = cases.map((one) => invalid(kind, one))
  return [...invalids, ...ofKeySets(kind, goodToken(kind))]
}

function ofObject(kind: AuthorityKind): Vector[] {
  const cases = [
    ...objectForms(kind),
    ...ofObjects[kind](),
    ...objectMutations(kind),
    ...crossUse(kind),
  ]
  const invalids = cases.map((one) => invalid(kind, one))
  return [...invalids, ...ofKeySets(kind, goodObject(kind))]
}

const texts = packageTexts(packageMade, completion)
/** A stored zip at a fixed time: its bytes do not depend on a compressor. */
const zipped = (files: Record<string, string>): string => {
  const entries = Object.entries(files).map(([name, text]) => [name, strToU8(text)] as const)
  return Buffer.from(
    zipSync(Object.fromEntries(entries), { level: 0, mtime: '2026-11-21T12:00:00Z' }),
  ).toString('base64')
}

const provenMembers = new Set(Object.keys(packageView))
for (const name of [
  'result',
  'findings',
  'gaps',
  'files',
  'completion_signature',
  'result_contract',
])
  provenMembers.delete(name)

function packageReason(path: string): Reason {
  // Its last character has bits that base64url leaves at zero; the lists take objects alone.
  if (['completion_signature', 'gaps', 'findings.0.citations'].includes(path)) return 'malformed'
  if (path.startsWith('files')) return 'manifest_mismatch'
  return provenMembers.has(path) ? 'claims_mismatch' : 'file_changed'
}

/** Its receipts are named outside the signature: each is signed by itself. */
const { result_contract: _, ...signedView } = packageView

const ofPackage = (): Vector[] => {
  const cases: Case[] = [
    ['good', packageView, null],
    ['good zip', zipped(texts), null],
    ['a zip with one file changed', zipped({ ...texts, 'gaps.json': '[1]' }), 'file_changed'],
    ['a zip without one file', zipped(withoutFile('gaps.json')), 'file_changed'],
    ['a zip with another report', zipped({ ...texts, 'report.html': 'forged' }), 'file_changed'],
    ['a zip without one table', zipped(withoutFile('tables/summary.csv')), 'file_changed'],
    ['a zip with one file more', zipped({ ...texts, 'more.json': '{}' }), 'file_surplus'],
    [
      'a zip with another manifest',
      zipped({ ...texts, 'manifest.json': '[]' }),
      'manifest_mismatch',
    ],
    ['a zip without its signature', zipped(withoutFile('completion.jws')), 'malformed'],
    [
      'a zip that is signed by a receipt',
      zipped({ ...texts, 'completion.jws': goodToken('receipt') }),
      'wrong_type',
    ],
    ['without a report', viewOf(withoutReport(packageMade)), null],
    [
      'signed with another report',
      viewOf(provenAgain(packageMade, { files: packageMade.files.map(otherReport) })),
      'report_mismatch',
    ],
    [
      'signed with a report of an unknown version',
      viewOf(provenAgain(packageMade, { report_version: 2 ** 31 })),
      'report_unknown',
    ],
    ['a receipt', goodToken('receipt'), 'malformed'],
    ['without its signature', without(packageView, 'completion_signature'), 'malformed'],
    ['with another member', { ...packageView, more: 1 }, 'malformed'],
    ...eachLeafChanged(signedView)
      .filter(({ path }) => !['rail', 'tier', 'usage'].includes(path))
      .map(
        ({ path, value }): Case => [
          `${path} changed`,
          { ...(value as object), result_contract: packageView['result_contract'] },
          packageReason(path),
        ],
      ),
    [
      'another signature',
      { ...packageView, completion_signature: completion.replace(/.{4}$/, 'AAAA') },
      'signature_invalid',
    ],
    ['another rail', { ...packageView, rail: 'diligenceops' }, 'claims_mismatch'],
    ['another tier', { ...packageView, tier: 'pro' }, 'claims_mismatch'],
    ['another usage', { ...packageView, usage: 'synthetic' }, 'claims_mismatch'],
  ]
  return [
    ...cases.map((one) => invalid('return_package', one)),
    ...ofKeySets('return_package', packageView),
  ]
}

const otherReport = (file: PackageFile): PackageFile =>
  file.name === 'report.html' ? { ...file, sha256: sha256Hex('forged') } : file

const withoutFile = (name: string) =>
  Object.fromEntries(Object.entries(texts).filter(([file]) => file !== name))

const ofBundle = (): Vector[] => {
  const cases = bundleCases().map(([name, artifact, reason, keys = 'with_log']) =>
    invalid('receipt_bundle', [name, artifact, reason, { keys }]),
  )
  const revoked = invalid('receipt_bundle', [
    'keys: log revoked',
    goodBundle,
    'log_key_revoked',
    { keys: 'with_revoked_log' },
  ])
  const expected = { verdict: 'indeterminate', reason: 'log_key_revoked' } as const
  return [...cases, { ...revoked, expect: expected }]
}

const ofBody = (kind: BodyKind): Vector[] => [
  ...bodyCases(kind).map((one) => invalid(kind, one)),
  ...ofKeySets(kind, goodBody(kind)),
]

const makers: Readonly<Record<ArtifactKind, () => Vector[]>> = {
  receipt: () => ofToken('receipt'),
  passport: () => ofToken('passport'),
  handoff_pack: () => ofToken('handoff_pack'),
  statement: () => ofToken('statement'),
  mandate: () => ofObject('mandate'),
  action_grant: () => ofObject('action_grant'),
  delegated_action: () => ofObject('delegated_action'),
  return_package: ofPackage,
  receipt_bundle: ofBundle,
  attestation: () => ofBody('attestation'),
  replay_package: () => ofBody('replay_package'),
  audit_pack: () => ofBody('audit_pack'),
}

/** All vectors by kind, each file with the key sets that it names. */
export function makeVectors(): Record<ArtifactKind, VectorFile> {
  const made = Object.entries(makers).map(([kind, make]) => {
    const vectors = make()
    const named = Object.entries({ ...keySets, ...smallOrderSets, ...logSets }).filter(([name]) =>
      vectors.some(({ keys }) => keys === name),
    )
    return [kind, { keys: Object.fromEntries(named), vectors }] as const
  })
  return Object.fromEntries(made) as Record<ArtifactKind, VectorFile>
}
