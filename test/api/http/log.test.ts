import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect } from 'vitest'
import { digestOf } from '#domain/core/canonical-json.ts'
import { receiptId } from '#domain/core/ids.ts'
import { checkBundle, type ReceiptBundle } from '#domain/log/bundle.ts'
import {
  cosignatureBytes,
  cosignedText,
  NOTE_COSIGNATURE,
  type NoteKey,
  openCheckpoint,
  parseVerifierKey,
  signatureLine,
  verifierKey,
  verifyCosignature,
} from '#domain/log/checkpoint.ts'
import { coseSigned } from '#domain/log/cose.ts'
import { parseKeptProof } from '#domain/log/kept-proof.ts'
import { leafHash, merkleRoot, verifyConsistency, verifyInclusion } from '#domain/log/merkle.ts'
import { logOrigin } from '#domain/log/origin.ts'
import type { KeySet } from '#domain/receipts/key-set.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { verifyArtifact } from '#domain/verification/artifact.ts'
import { signCompact } from '../../../activities/keys/compact.ts'
import {
  type KeyRings,
  keyRings,
  loadKeyRings,
  readKeysFile,
} from '../../../activities/keys/key-ring.ts'
import { publishKeys } from '../../../activities/keys/publish-keys.ts'
import { type LogDeps, noteKeyOf, sequence } from '../../../activities/log/sequencer.ts'
import { activateKey, endKey } from '../../../activities/store/keys/signing-keys.ts'
import { insertCosignature } from '../../../activities/store/log/checkpoints.ts'
import { type ComposedApis, startComposed } from '../../support/composed-api.ts'
import { parseEntryBundle } from '../../support/entry-bundle.ts'
import { entryOf, jwsOf, receiptIdOf, storeReceipts } from '../../support/log.ts'
import { rotateSigningKeys } from '../../support/rotated-keys.ts'
import { verifies } from '../../verifies.ts'

const COUNT = 530
const pair = generateKeyPairSync('ed25519')
const witness: NoteKey = {
  name: 'witness.example/w1',
  type: NOTE_COSIGNATURE,
  key: new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)),
}
let apis: ComposedApis
let log: LogDeps
let key: NoteKey
let base: string
const leaves = Array.from({ length: COUNT }, (_, n) => leafHash(entryOf(n)))

beforeAll(async () => {
  apis = await startComposed({
    sequences: false,
    env: { LOG_WITNESSES: `${verifierKey(witness)} https://witness.example` },
  })
  base = apis.hosts[0]!.base
  log = {
    db: apis.db,
    keys: loadKeyRings(apis.config.SIGNING_KEYS_FILE),
    origin: logOrigin(apis.config.BASE_URL),
  }
  key = noteKeyOf(log.origin, log.keys.log.active.publicJwk)
  await storeReceipts(apis.db, 0, COUNT)
  // As a log that has long grown in batches of any size.
  await sequence(log, 100)
})
afterAll(() => apis?.stop())

const bytesOf = (hashes: string[]) => hashes.map((hash) => new Uint8Array(Buffer.from(hash, 'hex')))
const read = async (path: string, headers = {}) => fetch(`${base}${path}`, { headers })
// biome-ignore lint/suspicious/noExplicitAny: the body of an answer whose members the test compares.
const json = async (path: string): Promise<any> => {
  const response = await read(path)
  expect([path, response.status]).toEqual([path, 200])
  return response.json()
}
const rootAt = (size: number) => merkleRoot(leaves.slice(0, size))
const sizes = [
  ...Array.from({ length: 70 }, (_, at) => at + 1),
  255,
  256,
  257,
  511,
  512,
  513,
  COUNT,
]

verifies('log.http.proofs', 'every receipt proves itself in trees of every size', async () => {
  for (const size of sizes)
    for (const index of new Set([0, size - 1, size >> 1])) {
      const proof = await json(
        `/api/log/inclusion?receipt_id=${receiptIdOf(index)}&tree_size=${size}`,
      )
      expect([proof.leaf_index, proof.tree_size]).toEqual([index, size])
      const path = bytesOf(proof.path)
      expect(verifyInclusion({ index, size, leaf: leaves[index]!, path }, rootAt(size))).toBe(true)
    }
})

verifies('log.http.proofs', 'every tree is proven to begin with the smaller ones', async () => {
  for (const from of [0, ...sizes]) {
    const to = sizes.find((size) => size > from * 1.5) ?? COUNT
    const proof = await json(`/api/log/consistency?from=${from}&to=${to}`)
    const heads = [from, to].map((size) => ({ size, root: rootAt(size) }))
    expect(verifyConsistency(heads[0]!, heads[1]!, bytesOf(proof.path))).toBe(true)
    expect(proof.root).toBe(Buffer.from(rootAt(to)).toString('hex'))
  }
})

verifies('log.http.proofs', 'trees that the log has not reached are not found', async () => {
  const last = receiptIdOf(COUNT - 1)
  const statuses = [
    [`/api/log/consistency?from=1&to=${COUNT + 1}`, 404],
    [`/api/log/consistency?from=9&to=8`, 400],
    [`/api/log/consistency?from=-1`, 400],
    [`/api/log/inclusion?receipt_id=${last}&tree_size=${COUNT - 1}`, 409],
    [`/api/log/inclusion?receipt_id=${last}&tree_size=${COUNT + 1}`, 404],
    [`/api/log/inclusion?receipt_id=rc_${'0'.repeat(64)}`, 404],
    [`/api/receipts/rc_${'0'.repeat(64)}/bundle`, 404],
  ] as const
  for (const [path, status] of statuses)
    expect([path, (await read(path)).status]).toEqual([path, status])
})

verifies('log.http.tiles', 'tiles and entries of every width are served as they are', async () => {
  for (const [path, low, high] of [
    ['tile/0/000', 0, 256],
    ['tile/0/001', 256, 512],
    [`tile/0/002.p/${COUNT - 512}`, 512, COUNT],
    ['tile/0/002.p/1', 512, 513],
    ['tile/0/000.p/255', 0, 255],
  ] as const) {
    const response = await read(`/log/${path}`)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('cache-control')).toContain('immutable')
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.equals(Buffer.concat(leaves.slice(low, high)))).toBe(true)
  }
  const above = Buffer.from(await (await read('/log/tile/1/000.p/2')).arrayBuffer())
  expect(above.equals(Buffer.concat([rootAt(256), merkleRoot(leaves.slice(256, 512))]))).toBe(true)
  const bundle = await (await read('/log/tile/entries/001')).arrayBuffer()
  const entries = parseEntryBundle(new Uint8Array(bundle))
  expect(entries?.map((entry) => Buffer.from(entry))).toEqual(
    Array.from({ length: 256 }, (_, at) => entryOf(256 + at)),
  )
})

verifies('log.http.tiles', 'any other path of the log is not found', async () => {
  const paths = [
    '',
    'tile',
    'tile/0/002',
    `tile/0/002.p/${COUNT - 511}`,
    'tile/1/000',
    'tile/0/0',
    'tile/0/x000/000',
    'tile/0/000.p/256',
    'tile/7/000',
    'tile/entries/002',
    'checkpoint/',
    'Checkpoint',
    'tile/0/%2e%2e/000',
    'tile/0/000/',
  ]
  for (const path of paths) expect([path, (await read(`/log/${path}`)).status]).toEqual([path, 404])
  expect((await fetch(`${base}/log/checkpoint`, { method: 'POST' })).status).toBe(405)
})

verifies(
  'log.http.checkpoint',
  'the checkpoint is signed, with cosignatures of configured keys only',
  async () => {
    const note = await (await read('/log/checkpoint')).text()
    const opened = openCheckpoint(note, key)
    if (!opened.ok) throw new Error(opened.fault)
    expect(opened.checkpoint).toMatchObject({ size: COUNT, origin: log.origin })
    expect(Buffer.from(opened.checkpoint.root)).toEqual(Buffer.from(rootAt(COUNT)))
    const text = opened.note.text
    const signature = sign(null, Buffer.from(cosignedText(1_800_000_000, text)), pair.privateKey)
    const line = signatureLine(witness, cosignatureBytes(1_800_000_000, signature))
    const stranger = signatureLine(
      { ...witness, name: 'other.example/w' },
      cosignatureBytes(1, signature),
    )
    await insertCosignature(apis.db, { size: COUNT, witness: witness.name, line })
    await insertCosignature(apis.db, { size: COUNT, witness: 'other.example/w', line: stranger })
    const cosigned = openCheckpoint(await (await read('/log/checkpoint')).text(), key)
    if (!cosigned.ok) throw new Error(cosigned.fault)
    expect(cosigned.note.signatures.map(({ name }) => name)).toEqual([log.origin, witness.name])
    expect(verifyCosignature(cosigned.note.signatures[1]!, text, witness)).toEqual({
      time: 1_800_000_000,
    })
  },
)

verifies(
  'log.http.bundle',
  'each changed member of a bundle is refused with its reason',
  async () => {
    const bundle: ReceiptBundle & Record<string, unknown> = await json(
      `/api/receipts/${receiptIdOf(300)}/bundle`,
    )
    expect(bundle.receipt).toBe(jwsOf(300))
    expect(parseVerifierKey(String(bundle['log_key']))).toEqual({
      ...key,
      key: new Uint8Array(key.key),
    })
    expect(bundle['tlog_proof']).toMatch(/^c2sp\.org\/tlog-proof@v1\nindex 300\n/)
    expect(checkBundle(bundle, key)).toBeUndefined()
    const flip = (text: string) =>
      text.startsWith('0') ? `1${text.slice(1)}` : `0${text.slice(1)}`
    const changes: [Partial<ReceiptBundle>, string][] = [
      [{ receipt: `${bundle.receipt}x` }, 'other_entry'],
      [{ entry: flip(bundle.entry) }, 'other_entry'],
      [{ receipt: jwsOf(301), entry: entryOf(301).toString('hex') }, 'not_included'],
      [{ leaf_index: 301 }, 'not_included'],
      [{ leaf_index: -1 }, 'not_included'],
      [{ tree_size: COUNT - 1 }, 'other_checkpoint'],
      [{ root: flip(bundle.root) }, 'other_checkpoint'],
      [{ path: bundle.path.slice(1) }, 'not_included'],
      [{ path: [...bundle.path, bundle.root] }, 'not_included'],
      [{ path: ['xx', ...bundle.path.slice(1)] }, 'malformed'],
      ...bundle.path.map((hash, at): [Partial<ReceiptBundle>, string] => [
        { path: bundle.path.with(at, flip(hash)) },
        'not_included',
      ]),
      [
        { checkpoint: bundle.checkpoint.replace(`\n${COUNT}\n`, `\n${COUNT + 1}\n`) },
        'bad_signature',
      ],
      [{ checkpoint: bundle.checkpoint.replace(log.origin, 'other') }, 'other_origin'],
      [{ checkpoint: bundle.checkpoint.split('\n\n')[0]! }, 'malformed'],
    ]
    for (const [change, reason] of changes)
      expect(checkBundle({ ...bundle, ...change }, key)).toBe(reason)
    const other = { ...key, key: witness.key }
    expect(checkBundle(bundle, other)).toBe('unknown_key')
  },
)

verifies('log.http.bundle', 'the same bundle is a COSE receipt (RFC 9942)', async () => {
  const bundle = await json(`/api/receipts/${receiptIdOf(300)}/bundle`)
  const response = await read(`/api/receipts/${receiptIdOf(300)}/bundle`, {
    Accept: 'application/cose',
  })
  expect(response.headers.get('content-type')).toBe('application/cose')
  const bytes = Buffer.from(await response.arrayBuffer())
  expect(bytes.toString('base64url')).toBe(bundle.cose_receipt)
  const root = rootAt(COUNT)
  expect(coseFault(bytes, root)).toBeUndefined()
  for (let at = 0; at < bytes.length; at++)
    for (const mask of [1, 0x10, 0x80]) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= mask
      expect(coseFault(changed, root), `${at} ^ ${mask}`).toBeDefined()
    }
  expect(coseFault(bytes.subarray(0, -1))).toBeDefined()
  expect(coseFault(Buffer.concat([bytes, Buffer.of(0)]))).toBeDefined()
})

/** What is wrong with the COSE receipt of receipt 300 in the whole log, read apart from the encoder. */
function coseFault(bytes: Buffer, root = rootAt(COUNT)): string | undefined {
  const { kid, publicJwk } = log.keys.log.active
  try {
    const [protectedHeader, unprotected, payload, signature] = decodeCbor(bytes)
    expect(payload).toBeNull()
    expect([...decodeCbor(protectedHeader)]).toEqual([
      [1, -8],
      [4, Buffer.from(kid)],
      [395, 1],
    ])
    const [[label, proofs], ...others] = [...unprotected]
    expect([label, others]).toEqual([396, []])
    const [[inclusion, [proof, ...more]], ...further] = [...proofs]
    expect([inclusion, more, further]).toEqual([-1, [], []])
    const [size, index, path] = decodeCbor(proof) as [number, number, Buffer[]]
    expect([size, index]).toEqual([COUNT, 300])
    expect(verifyInclusion({ index, size, leaf: leaves[300]!, path }, root)).toBe(true)
    const publicKey = createPublicKey({ key: publicJwk, format: 'jwk' })
    expect(verify(null, coseSigned(kid, root), publicKey, signature)).toBe(true)
    return undefined
  } catch (error) {
    return String(error)
  }
}

verifies('log.http.bundle', 'each changed line of a kept proof is refused', async () => {
  const { tlog_proof } = await json(`/api/receipts/${receiptIdOf(300)}/bundle`)
  const isProof = (text: string): boolean => {
    const kept = parseKeptProof(text)
    const opened = kept && openCheckpoint(kept.note, key)
    if (kept === undefined || !opened?.ok) return false
    const { size, root } = opened.checkpoint
    const { index, path } = kept
    return index === 300 && verifyInclusion({ index, size, leaf: leaves[300]!, path }, root)
  }
  expect(isProof(tlog_proof)).toBe(true)
  const lines: string[] = tlog_proof.split('\n')
  for (const [at, line] of lines.entries()) {
    // A cosignature is not needed for the proof, and a signature may be there twice.
    if (line.startsWith(`— ${witness.name}`)) continue
    const letter = line.endsWith('A') ? 'B' : 'A'
    const middle = Math.floor(line.length / 2)
    const flipped = line[middle] === 'A' ? 'B' : 'A'
    const changes = [
      lines.with(at, `${line.slice(0, middle)}${flipped}${line.slice(middle + 1)}`),
      lines.with(at, `${line}${letter}`),
      lines.with(at, `${letter}${line}`),
      lines.toSpliced(at, 1),
      ...(line.startsWith('— ') ? [] : [lines.toSpliced(at, 0, line)]),
    ]
    for (const changed of changes)
      if (changed.join('\n') !== tlog_proof)
        expect(isProof(changed.join('\n')), `${at}: ${changed[at]}`).toBe(false)
  }
})

verifies('log.http.bundle', 'a receipt that waits for its place has no bundle yet', async () => {
  await storeReceipts(apis.db, COUNT, COUNT + 1)
  const early = await read(`/api/receipts/${receiptIdOf(COUNT)}/bundle`)
  expect(early.status).toBe(409)
  expect(await early.json()).toMatchObject({ code: 'not_ready' })
  await sequence(log)
  expect((await read(`/api/receipts/${receiptIdOf(COUNT)}/bundle`)).status).toBe(200)
})

/** Stores a signed receipt of now, as the service does, and puts it into the log. */
async function storeSigned({ db, keys, origin }: Log, sub: string) {
  const { active } = keys.receipt
  const iat = Math.floor(Date.now() / 1000)
  const payload = { iss: 'the service', iat, sub, kind: 'payout_created' }
  const jws = await signCompact(active, { typ: RECEIPT_TYP, payload })
  await sql`insert into receipts (receipt_id, subject, seq, kind, jws, kid, payload_sha256)
    values (${receiptId(jws)}, ${sub}, 0, ${payload.kind}, ${jws}, ${active.kid}, ${digestOf(payload)})`.execute(
    db,
  )
  await sequence({ db, keys, origin })
  return { id: receiptId(jws), iat, jws, payload_sha256: digestOf(payload) }
}
type Log = Omit<LogDeps, 'keys'> & { keys: KeyRings }

/** New keys of every ring; those before are retired. */
async function exchangeKeys({ db, keys }: Log): Promise<KeyRings> {
  const file = rotateSigningKeys(readKeysFile(apis.config.SIGNING_KEYS_FILE), new Date())
  const next = keyRings(file)
  await publishKeys(db, next)
  for (const ring of ['receipt', 'log'] as const) {
    await activateKey(db, { ring, kid: next[ring].active.kid })
    await endKey(db, 'retire', { ring, kid: keys[ring].active.kid })
  }
  return next
}

verifies(
  ['log.http.bundle', 'receipt.verify', 'receipt.key-rotation'],
  'a bundle verifies with its own keys alone, before and after a rotation',
  async () => {
    const before: Log = { ...log, keys: loadKeyRings(apis.config.SIGNING_KEYS_FILE) }
    await publishKeys(apis.db, before.keys)
    const first = await storeSigned(before, 'po_before')
    const bundleOf = ({ id }: { id: string }) => json(`/api/receipts/${id}/bundle`)
    const verdictOf = (bundle: { keys: KeySet['keys'] }) =>
      verifyArtifact({ kind: 'receipt_bundle', artifact: bundle, keys: { keys: bundle.keys } })
    const kept = await bundleOf(first)
    const [receiptKid, logKid] = [before.keys.receipt.active.kid, before.keys.log.active.kid]
    expect(
      kept.keys.map(({ use_for, kid }: { use_for: string; kid: string }) => [use_for, kid]),
    ).toEqual(
      expect.arrayContaining([
        ['receipt', receiptKid],
        ['log', logKid],
      ]),
    )
    const keyOf = (bundle: typeof kept, of: string) =>
      bundle.keys.find(({ kid }: { kid: string }) => kid === of)
    for (const kid of [receiptKid, logKid]) {
      const { activated_at, retired_at, revoked_at } = keyOf(kept, kid)
      expect(Date.parse(activated_at)).toBeLessThanOrEqual(Date.now())
      expect([retired_at, revoked_at]).toEqual([null, null])
    }
    expect(verdictOf(kept)).toMatchObject({ verdict: 'valid', reasons: [] })

    const next: Log = { ...before, keys: await exchangeKeys(before) }
    const second = await storeSigned(next, 'po_after')
    const [again, later] = [await bundleOf(first), await bundleOf(second)]
    expect(keyOf(again, receiptKid)).toMatchObject({
      state: 'retired',
      retired_at: expect.any(String),
      revoked_at: null,
    })
    expect(keyOf(again, logKid)).toMatchObject({ state: 'retired' })
    expect(keyOf(again, next.keys.log.active.kid)).toMatchObject({
      use_for: 'log',
      retired_at: null,
    })
    expect(again.tree_size).toBe(later.tree_size)
    for (const bundle of [kept, again, later])
      expect(verdictOf(bundle)).toMatchObject({ verdict: 'valid', reasons: [] })
    const without = { ...later, keys: kept.keys }
    expect(verdictOf(without)).toMatchObject({ verdict: 'invalid', reasons: ['unknown_key'] })
    await expectVerifyReceipt(first, second, next.keys.receipt.active.kid)
  },
)

type Signed = Awaited<ReturnType<typeof storeSigned>>
/** What GET /api/verify-receipt answers by each selector, in each tree and at each time. */
async function expectVerifyReceipt(retired: Signed, { id, ...rest }: Signed, kid: string) {
  const ask = (query: Record<string, string | number>) =>
    json(`/api/verify-receipt?${new URLSearchParams(query as Record<string, string>)}`)
  const byId = await ask({ receipt_id: id })
  expect(byId).toMatchObject({ log_state: 'included', payload_sha256: rest.payload_sha256 })
  for (const query of [{ payload_sha256: rest.payload_sha256 }, { receipt: rest.jws }])
    expect(await ask(query)).toMatchObject({ receipt_id: id, leaf_index: byId.leaf_index })
  const within = await ask({ receipt_id: id, tree_size: byId.leaf_index + 1 })
  expect(within).toMatchObject({ log_state: 'included', tree_size: byId.leaf_index + 1 })
  const outside = await ask({ receipt_id: id, tree_size: byId.leaf_index })
  expect(outside).toMatchObject({ verified: false, log_state: 'absent', leaf_index: null })

  const stateAt = async (of: string, seconds: number) => {
    const at = new Date(seconds * 1000).toISOString()
    return (await ask({ receipt_id: of, at })).signature.key_state_at
  }
  const hour = 3_600
  // The key was published now, and was not active before.
  expect(await stateAt(id, rest.iat - hour)).toBe('unknown')
  expect(await stateAt(id, rest.iat + hour)).toBe('active')
  expect(await stateAt(retired.id, rest.iat + hour)).toBe('retired')
  await endKey(apis.db, 'revoke', { ring: 'receipt', kid })
  expect(await stateAt(id, rest.iat - hour)).toBe('unknown')
  expect(await stateAt(id, rest.iat + hour)).toBe('revoked')

  for (const query of [
    { receipt_id: id, payload_sha256: rest.payload_sha256 },
    { receipt: rest.jws, receipt_id: id },
    {},
    { receipt_id: id, tree_size: 'x' },
    { receipt_id: id, at: 'yesterday' },
  ]) {
    const path = `/api/verify-receipt?${new URLSearchParams(query)}`
    expect([path, (await read(path)).status]).toEqual([path, 400])
  }
  const missing = await read(`/api/verify-receipt?receipt_id=${id}&tree_size=999999`)
  expect(missing.status).toBe(404)
}

/** The one item that these bytes hold, by RFC 8949; written apart from the encoder. */
// biome-ignore lint/suspicious/noExplicitAny: what a CBOR item is, is for the test to compare.
function decodeCbor(bytes: Buffer): any {
  let at = 0
  const argument = (info: number): number => {
    if (info < 24) return info
    const length = 2 ** (info - 24)
    const value = bytes.subarray(at, at + length).reduce((sum, byte) => sum * 256 + byte, 0)
    at += length
    return value
  }
  const item = (): unknown => {
    const first = bytes[at++]
    if (first === undefined) throw new Error('it ends early')
    const [major, value] = [first >> 5, argument(first & 31)]
    if (major > 1 && major < 6 && value > bytes.length)
      throw new Error('it is longer than its bytes')
    if (major === 0) return value
    if (major === 1) return -1 - value
    if (major === 2 || major === 3) {
      const content = bytes.subarray(at, at + value)
      at += value
      return major === 2 ? content : content.toString('utf8')
    }
    if (major === 4) return Array.from({ length: value }, item)
    if (major === 5) return new Map(Array.from({ length: value }, () => [item(), item()]))
    if (major === 6) {
      expect(value).toBe(18)
      return item()
    }
    expect(first).toBe(0xf6)
    return null
  }
  const decoded = item()
  expect(at).toBe(bytes.length)
  return decoded
}
