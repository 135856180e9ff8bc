import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import { verifyArtifact } from '#domain/verification/artifact.ts'
import { openFile } from '#domain/verification/file.ts'
import { readKeyDocument } from '#domain/verification/key-document.ts'
import { judgeOnChain } from '#domain/verification/on-chain.ts'
import { reasons } from '#domain/verification/reasons.ts'
import { settle } from '#domain/verification/signed.ts'
import { artifactKinds, type Verdict } from '#domain/verification/verdict.ts'
import { neverOver50ms } from '../../../support/never-over.ts'
import {
  authorityKinds,
  claimsOf,
  completion,
  goodObject,
  goodToken,
  headerFor,
  packageView,
  signToken,
  tokenKinds,
} from '../../../vectors/artifacts.ts'
import { bodyKinds, goodBody } from '../../../vectors/bodies.ts'
import { goodBundle } from '../../../vectors/bundles.ts'
import { isoTime, keySets, logSets, signedAt } from '../../../vectors/keys.ts'
import { eachLeafChanged, eachMemberRemoved } from '../../../vectors/mutations.ts'
import { verifies } from '../../../verifies.ts'

const keys = keySets.current
const at = signedAt + 60
const reasonOf = ({ verdict, reasons: [reason] }: Verdict) =>
  verdict === 'valid' ? 'valid' : reason
const verifyFile = (content: string, more: object = {}) =>
  settle(openFile({ content, keys, at, ...more }))

const alphabet = ['A', 'z', '_', '.', '=', ' ', '\n', '+', '\u0000', 'é', '😀']
const base64url = /^[\w-]*$/

verifies('verify.mutations', 'each changed character of a token has its reason', () => {
  const headerReasons = [
    'malformed',
    'wrong_algorithm',
    'wrong_type',
    'unknown_key',
    'signature_invalid',
  ]
  for (const kind of tokenKinds) {
    const jws = goodToken(kind)
    const [headEnd, bodyEnd] = [jws.indexOf('.'), jws.lastIndexOf('.')]
    for (let index = 0; index < jws.length; index++) {
      const swapped = jws[index] === 'A' ? 'B' : 'A'
      for (const other of [swapped, alphabet[index % alphabet.length] ?? 'A']) {
        const changed = jws.slice(0, index) + other + jws.slice(index + 1)
        if (changed.trim() === jws) continue
        const verdict = verifyArtifact({ kind, artifact: changed, keys, at })
        const where = `${kind} ${index} ${other}`
        expect(verdict.verdict, where).toBe('invalid')
        const reason = reasonOf(verdict)
        if (index < headEnd) expect(headerReasons, where).toContain(reason)
        else if (index === headEnd || index === bodyEnd || !base64url.test(other))
          expect(reason, where).toBe('malformed')
        else expect(['signature_invalid', 'malformed'], where).toContain(reason)
      }
    }
  }
})

verifies('verify.mutations', 'each bit of the claims counts where they stay JSON', () => {
  for (const kind of tokenKinds) {
    const [head, body = '', signature] = goodToken(kind).split('.')
    const good = Buffer.from(body, 'base64url')
    const found = [...good].flatMap((byte, index) => {
      const changed = Buffer.from(good)
      changed[index] = byte ^ 1
      const artifact = [head, changed.toString('base64url'), signature].join('.')
      const reason = reasonOf(verifyArtifact({ kind, artifact, keys, at }))
      return isObject(changed) === (reason === 'signature_invalid') ? [] : [index]
    })
    expect(found, kind).toEqual([])
  }
})

function isObject(bytes: Uint8Array): boolean {
  try {
    return typeof JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) === 'object'
  } catch {
    return false
  }
}

verifies('verify.mutations', 'each bit of a signature counts, in every kind', () => {
  const flipped = (signature: string, bit: number): string => {
    const bytes = Buffer.from(signature, 'base64url')
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    return bytes.toString('base64url')
  }
  for (let bit = 0; bit < 512; bit += 3) {
    for (const kind of tokenKinds) {
      const [head, body, signature = ''] = goodToken(kind).split('.')
      const artifact = [head, body, flipped(signature, bit)].join('.')
      expect(reasonOf(verifyArtifact({ kind, artifact, keys }))).toBe('signature_invalid')
    }
    for (const kind of authorityKinds) {
      const good = goodObject(kind)
      const artifact = { ...good, signature: flipped(String(good['signature']), bit) }
      expect(reasonOf(verifyArtifact({ kind, artifact, keys }))).toBe('signature_invalid')
    }
  }
})

verifies('verify.mutations', 'each member counts: changed, removed and added', () => {
  for (const kind of authorityKinds) {
    const good = goodObject(kind)
    const changes = [...eachLeafChanged(good), ...eachMemberRemoved(good)]
    const added = { path: 'added', value: { ...good, added: null } }
    for (const { path, value } of [...changes, added]) {
      const verdict = verifyArtifact({ kind, artifact: value, keys, at })
      expect(verdict.verdict, `${kind} ${path}`).toBe('invalid')
      expect(verdict.claims).toBeNull()
    }
  }
  for (const kind of tokenKinds) {
    const [head, , signature] = goodToken(kind).split('.')
    for (const { path, value } of eachMemberRemoved(claimsOf[kind])) {
      const body = Buffer.from(JSON.stringify(value)).toString('base64url')
      const artifact = [head, body, signature].join('.')
      const verdict = verifyArtifact({ kind, artifact, keys, at })
      expect(reasonOf(verdict), `${kind} ${path}`).toBe('signature_invalid')
    }
  }
})

verifies('verify.mutations', 'what is good for one kind is good for no other', () => {
  const set = logSets.with_log
  const made = [
    ...tokenKinds.map(goodToken),
    ...authorityKinds.map(goodObject),
    packageView,
    goodBundle,
    ...bodyKinds.map(goodBody),
  ]
  const accepted = made.flatMap((artifact) =>
    artifactKinds.filter(
      (kind) => verifyArtifact({ kind, artifact, keys: set, at }).verdict === 'valid',
    ),
  )
  const others = ['return_package', 'receipt_bundle', ...bodyKinds]
  expect(accepted).toEqual([...tokenKinds, ...authorityKinds, ...others])
})

verifies('verify.hostile', 'any text, value and key set ends in a verdict within 50 ms', () => {
  const known = Object.keys(reasons)
  const kind = fc.constantFrom(...artifactKinds)
  const part = fc.oneof(
    fc.base64String(),
    fc.json().map((text) => Buffer.from(text).toString('base64url')),
    fc.constantFrom(...goodToken('receipt').split('.')),
  )
  const token = fc.array(part, { maxLength: 4 }).map((parts) => parts.join('.'))
  const names = [...Object.keys(goodObject('mandate')), ...Object.keys(packageView), 'jws']
  const members = fc.dictionary(fc.constantFrom(...names), fc.jsonValue(), { minKeys: 1 })
  const good = goodObject('mandate')
  const like = members
    .map((more) => ({ ...good, ...more }))
    .filter((mandate) => !isDeepStrictEqual(mandate, good))
  const artifact = fc.oneof(fc.string({ unit: 'binary' }), token, fc.jsonValue(), members, like)
  const text = fc.oneof(
    artifact.map((value) => JSON.stringify(value)),
    fc.string(),
    token,
  )
  const given = fc.tuple(kind, artifact, text, fc.jsonValue())
  neverOver50ms(given, ([of, value, content, document]) => {
    const verdicts = [
      verifyArtifact({ kind: of, artifact: value, keys, at }),
      verifyFile(content, { kind: of }),
      verifyFile(content, { keys: readKeyDocument(document) }),
    ]
    for (const { verdict, reasons: found } of verdicts) {
      expect(verdict).not.toBe('valid')
      expect(known).toContain(found[0])
    }
  })
})

verifies('verify.hostile', 'deep nesting and long texts end in a verdict', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const nested = `{"schema":"authority-mandate.v1","x":${deep}}`
  for (const content of [
    deep,
    nested,
    `{"jws":${deep}}`,
    '.'.repeat(200_000),
    `{"jws":`.repeat(99),
  ])
    expect(verifyFile(content).verdict).not.toBe('valid')
  const packed = JSON.stringify(packageView).replace('"result":{', `"result":{"x":${deep},`)
  expect(verifyFile(packed).verdict).toBe('invalid')
  const weird = {
    ...packageView,
    files: [{ name: 'constructor', sha256: '0'.repeat(64), bytes: 0 }],
  }
  expect(verifyFile(JSON.stringify(weird)).reasons).toEqual([
    'manifest_mismatch',
    'file_changed',
    'file_surplus',
  ])
})

verifies('verify.standing', 'a key is judged at the date of what it signed', () => {
  const keysWith = (more: object) => ({
    keys: keys.keys.map((key) => ({ ...key, ...more })),
  })
  const second = fc.integer({ min: -90_000, max: 90_000 })
  const end = fc.option(second, { nil: null })
  fc.assert(
    fc.property(second, end, end, (shift, retired, revoked) => {
      const iat = signedAt + shift
      const time = (of: number | null) => (of === null ? null : isoTime(signedAt + of))
      const set = keysWith({ retired_at: time(retired), revoked_at: time(revoked) })
      const artifact = signToken(headerFor('receipt'), { ...claimsOf.receipt, iat })
      const { verdict } = verifyArtifact({ kind: 'receipt', artifact, keys: set })
      if (retired !== null && shift > retired) expect(verdict).toBe('invalid')
      else if (revoked === null) expect(verdict).toBe('valid')
      else expect(verdict).toBe(shift >= revoked ? 'invalid' : 'indeterminate')
    }),
    { numRuns: 60 },
  )
})

verifies('verify.cli', 'an answer of the service is found to carry what it carries', () => {
  const receipt = goodToken('receipt')
  const found = (answer: unknown) => {
    const { kind, verdict } = verifyFile(JSON.stringify(answer))
    return [kind, verdict]
  }
  const mandate = goodObject('mandate')
  expect(found(receipt)).toEqual(['receipt', 'valid'])
  expect(found({ receipt_id: 'rc_1', payload: {}, jws: receipt })).toEqual(['receipt', 'valid'])
  expect(found({ signed_mandate: mandate, receipt: { jws: receipt } })).toEqual([
    'mandate',
    'valid',
  ])
  expect(found({ passport: goodToken('passport'), receipt: { jws: receipt } })).toEqual([
    'passport',
    'valid',
  ])
  expect(found({ task: {}, return_package: packageView })).toEqual(['return_package', 'valid'])
  const action = { signed_action: goodObject('delegated_action'), result: { jws: receipt } }
  expect(found({ delegated_action: action })).toEqual(['delegated_action', 'valid'])
  expect(found({ result: { jws: receipt } })).toEqual([null, 'indeterminate'])
  expect(found({ jws: completion })).toEqual([null, 'indeterminate'])
  expect(found({ acknowledgement: { jws: receipt } })).toEqual(['receipt', 'valid'])
  expect(verifyFile(receipt, { kind: 'passport' }).reasons).toEqual(['wrong_type'])
  const unproven = verifyFile(JSON.stringify({ receipt, tlog_proof: 'c2sp.org/tlog-proof@v1' }))
  expect(unproven).toMatchObject({ kind: 'receipt_bundle', reasons: ['malformed'] })
  const unknown = verifyFile(receipt, { keys: undefined })
  expect(unknown).toMatchObject({ verdict: 'indeterminate', reasons: ['keys_missing'] })
})

verifies('verify.cli', 'both key documents of the service are read', () => {
  const [current, earlier] = [keySets.current.keys[1]!, keySets.of_another_service.keys[1]!]
  const document = {
    alg: 'Ed25519',
    contexts: [],
    version: 2,
    key_id: current.kid,
    public_key: { kty: 'OKP', crv: 'Ed25519', x: current['x'], kid: current.kid },
    previous_versions: [
      {
        version: 1,
        key_id: 'authority-test-0',
        public_key: { kty: 'OKP', crv: 'Ed25519', x: earlier['x'] },
        retired_at: isoTime(signedAt),
        revoked_at: null,
      },
    ],
  }
  const read = readKeyDocument(document)
  const artifact = goodObject('mandate')
  expect(verifyArtifact({ kind: 'mandate', artifact, keys: read! }).verdict).toBe('valid')
  expect(read?.keys.map(({ kid }) => kid)).toEqual([current.kid, 'authority-test-0'])
  expect(readKeyDocument({ ...document, key_id: null, public_key: null })?.keys).toHaveLength(1)
  expect(readKeyDocument(keySets.current)).toEqual(keySets.current)
  for (const other of [{}, { keys: {} }, [], null, { key_id: 1 }])
    expect(readKeyDocument(other)).toBeUndefined()
})

verifies('verify.chain', 'only the very transfer that is named counts', () => {
  const { claims, ...receipt } = verifyArtifact({
    kind: 'receipt',
    artifact: goodToken('receipt'),
    keys,
  })
  const facts = claimsOf.receipt
  const transfer = {
    transactionHash: String(facts['transaction_hash']),
    logIndex: 1,
    blockNumber: '38123456',
    blockHash: '0x1',
    from: String(facts['payout_wallet']),
    to: String(facts['recipient']),
    amountAtomic: '12500000',
    nonce: null,
  }
  const judged = (transfers: object[] | null, chainId = 8453, more: object = {}) => {
    const found = transfers === null ? null : { blockHash: '0x1', blockTime: 1, transfers }
    const verdict = { ...receipt, claims, ...more } as Verdict
    return reasonOf(judgeOnChain(verdict, { chainId, found: found as never }))
  }
  expect(judged([{ ...transfer, to: '0x0' }, transfer])).toBe('valid')
  expect(judged(null)).toBe('receipt_missing')
  expect(judged([])).toBe('transfer_absent')
  for (const change of [{ to: '0x0' }, { from: '0x0' }, { amountAtomic: '12500001' }])
    expect(judged([{ ...transfer, ...change }])).toBe('transfer_absent')
  expect(judged([transfer], 84532)).toBe('chain_other')
  expect(judgeOnChain({ ...receipt, claims }, undefined)).toMatchObject({
    verdict: 'indeterminate',
    reasons: ['chain_unavailable'],
  })
  const unproven = { verdict: 'invalid', reasons: ['signature_invalid'] }
  expect(judged([transfer], 8453, unproven)).toBe('signature_invalid')
  const payment = {
    transaction_hash: '0x1',
    asset: '0x2',
    payer: transfer.from,
    pay_to: transfer.to,
    amount_atomic: '12500000',
  }
  const ofPassport = { kind: 'passport', claims: { proven: { payment } } }
  expect(judged([transfer], 8453, ofPassport)).toBe('valid')
  expect(judged(null, 8453, ofPassport)).toBe('receipt_missing')
  const withoutPayment = { kind: 'passport', claims: claimsOf.passport }
  expect(judged(null, 8453, withoutPayment)).toBe('valid')
})
