import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { sha256Hex } from '#domain/core/canonical-json.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { loadSignerConfig, type SignerConfig } from '../../../activities/config/signer-config.ts'
import { signCompact, verifyCompact } from '../../../activities/keys/compact.ts'
import { type KeyRings, loadKeyRings } from '../../../activities/keys/key-ring.ts'
import { connectSigner } from '../../../activities/signer/client.ts'
import { openKeyMaker } from '../../../activities/signer/key-maker.ts'
import { openModules } from '../../../activities/signer/modules/open.ts'
import { openKeyRings } from '../../../activities/signer/open.ts'
import { signAnswer } from '../../../activities/signer/protocol.ts'
import { serveSigner } from '../../../activities/signer/serve.ts'
import { createSigningKeys } from '../../../worker/files/signing-keys.ts'
import { ringMethods } from '../../../worker/signer/rings.ts'
import { checkpointOfTree, growth } from '../../support/memory-log.ts'
import { rotateKeysFile } from '../../support/rotated-keys.ts'
import { verifies } from '../../verifies.ts'

const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-rings-'))
const file = join(scratch, 'signing-keys.json')
const socket = join(scratch, 'keys.sock')
const address = (digit: string) => `0x${digit.repeat(40)}`
const baseUrl = 'https://svc.example'
const iss = `${baseUrl}/api/trust-contract`
let config: SignerConfig
let server: { close(): Promise<void> }
let rings: KeyRings
beforeAll(async () => {
  createSigningKeys(file, new Date())
  config = loadSignerConfig({
    ASSET_CONTRACT_ADDRESS: address('1'),
    PAYOUT_WALLET_ADDRESS: address('2'),
    PAY_TO_ADDRESS: address('4'),
    TREASURY_PRINCIPAL_ADDRESS: address('3'),
    BASE_URL: baseUrl,
    SIGNING_KEYS_FILE: file,
    SIGNER_SOCKET: socket,
  })
  server = await serveSigner(socket, await methodsOf(config), () => undefined)
  rings = await openKeyRings({ SIGNER_SOCKET: socket, SIGNING_KEYS_FILE: '' })
})
afterAll(async () => {
  await server?.close()
  rmSync(scratch, { recursive: true, force: true })
})

const methodsOf = async (own: SignerConfig) =>
  (await ringMethods(own, await openModules(own))).worker
let copies = 0
/** The methods over a copy of the file: a journal belongs to the one signer that opened it last. */
function methodsOfCopy() {
  const own = join(scratch, `copy-${++copies}.json`)
  copyFileSync(file, own)
  return methodsOf({ ...config, SIGNING_KEYS_FILE: own })
}
const seconds = () => Math.floor(Date.now() / 1000)
const base64url = (text: string) => Buffer.from(text).toString('base64url')
const receipt = (payload: object = {}) =>
  signCompact(rings.receipt.active, {
    typ: RECEIPT_TYP,
    payload: { iss, iat: seconds(), ...payload },
  })

verifies('signer.process', 'rings of the signer sign what the public keys verify', async () => {
  const known = loadKeyRings(file)
  for (const [name, ring] of Object.entries(rings))
    expect(ring.publicKeys, name).toEqual(known[name as keyof KeyRings].publicKeys)
  const { alg, publicJwk } = known.receipt.active
  const payload = { iss, iat: seconds(), text: 'grün' }
  const jws = await signCompact(rings.receipt.active, { typ: RECEIPT_TYP, payload })
  expect(verifyCompact(jws, { typ: RECEIPT_TYP, alg, publicJwk })).toEqual(payload)
  expect(JSON.stringify(await (await methodsOfCopy())['keys']?.({}))).not.toContain('"d"')
})

verifies('signer.reads-bytes', 'a caller of the socket gets no other signature', async () => {
  await expect(receipt({ iss: 'https://other.example' })).rejects.toThrow('another service')
  await expect(receipt({ iat: seconds() - 400 })).rejects.toThrow('the signer’s clock')
  const { active } = rings.receipt
  await expect(active.sign('anything')).rejects.toThrow('the signer refuses')
  await expect(
    signCompact({ ...active, kid: 'x' }, { typ: RECEIPT_TYP, payload: {} }),
  ).rejects.toThrow()
})

verifies(
  'signer.process',
  'new keys are taken up without a restart of either process',
  async () => {
    const old = rings.receipt.active.kid
    rotateKeysFile(file)
    expect(rings.receipt.active.kid).toBe(old)
    await rings.receipt.reread?.()
    expect(rings.receipt.active.kid).toBe(loadKeyRings(file).receipt.active.kid)
    expect(rings.receipt.active.kid).not.toBe(old)
    expect(rings.receipt.keys.map(({ kid }) => kid)).toContain(old)
    expect(await receipt()).toContain('.')
  },
)

verifies(
  'keys.rotation-signer',
  'one key for a rotation, which signs only while it is active',
  async () => {
    const maker = openKeyMaker({ SIGNER_SOCKET: socket, SIGNING_KEYS_FILE: '' })
    const rotationId = `kr_${'1'.repeat(64)}`
    const old = rings.receipt.active
    const made = await maker.next({ ring: 'receipt', rotationId })
    expect(await maker.next({ ring: 'receipt', rotationId })).toEqual(made)
    expect(JSON.stringify(made)).not.toContain('"d"')
    expect(readFileSync(file, 'utf8')).toContain(made.kid)
    const signedBy = (kid: string) => {
      const header = { alg: old.alg, kid, typ: RECEIPT_TYP }
      const input = [header, { iss, iat: seconds() }].map((part) => base64url(JSON.stringify(part)))
      const asked = { kid, bytes: base64url(input.join('.')) }
      return connectSigner(socket).call('sign', asked, signAnswer)
    }
    await expect(signedBy(made.kid)).rejects.toThrow('that may sign')
    await expect(maker.retire(old.kid)).rejects.toThrow('no other has replaced it')
    await maker.activate(made.kid)
    await maker.activate(made.kid)
    expect(await maker.next({ ring: 'receipt', rotationId })).toEqual(made)
    await rings.receipt.reread?.()
    expect(rings.receipt.active.kid).toBe(made.kid)
    expect(await receipt()).toContain('.')
    expect(await signedBy(old.kid)).toHaveProperty('signature')
    await maker.retire(old.kid)
    await maker.retire(old.kid)
    await maker.retire('receipt-unknown')
    await expect(signedBy(old.kid)).rejects.toThrow('that may sign')
    await expect(maker.activate(old.kid)).rejects.toThrow('is retired')
    await expect(maker.activate('receipt-unknown')).rejects.toThrow('no key of this kid')
    expect(await receipt()).toContain('.')
    const dropped = await maker.next({ ring: 'receipt', rotationId: `kr_${'2'.repeat(64)}` })
    await maker.activate(dropped.kid)
    for (const kid of [dropped.kid, dropped.kid, 'receipt-unknown']) await maker.drop(kid)
    await rings.receipt.reread?.()
    expect(rings.receipt.active.kid).toBe(made.kid)
    expect(await receipt()).toContain('.')
    await expect(signedBy(dropped.kid)).rejects.toThrow('that may sign')
    const waiting = await maker.next({ ring: 'log', rotationId: `kr_${'3'.repeat(64)}` })
    const { active } = rings.log
    await maker.drop(waiting.kid)
    const others = loadKeyRings(file).log.keys.filter(({ kid }) => kid !== active.kid)
    for (const { kid } of others) await maker.retire(kid)
    await maker.drop(active.kid)
    await rings.log.reread?.()
    expect(rings.log.active.kid).toBe(active.kid)
  },
)

verifies(['signer.sockets', 'stolen.socket-api'], 'the API’s socket changes no key', async () => {
  const own = join(scratch, `copy-${++copies}.json`)
  copyFileSync(file, own)
  const settings = { ...config, SIGNING_KEYS_FILE: own }
  const { api, worker } = await ringMethods(settings, await openModules(settings))
  expect(Object.keys(api).sort()).toEqual(['keys', 'sign'])
  expect(Object.keys(worker)).toEqual(expect.arrayContaining(['next_key', 'retire_key']))
})

verifies(
  ['signer.receipts-verified', 'stolen.socket-worker'],
  'a receipt is signed with the one before it, in front of any key',
  async () => {
    const { active } = rings.receipt
    const claims = { iss, iat: seconds(), sub: 'x_1', kind: 'first', prev: null }
    const previous = await signCompact(active, { typ: RECEIPT_TYP, payload: claims })
    const payload = { ...claims, kind: 'second', prev: sha256Hex(previous) }
    await expect(signCompact(active, { typ: RECEIPT_TYP, payload })).rejects.toThrow(
      'does not come with it',
    )
    const proof = { previous }
    expect(await signCompact(active, { typ: RECEIPT_TYP, payload, proof })).toContain('.')
    rotateKeysFile(file)
    await rings.receipt.reread?.()
    const next = rings.receipt.active
    expect(next.kid).not.toBe(active.kid)
    expect(await signCompact(next, { typ: RECEIPT_TYP, payload, proof })).toContain('.')
    const [header, said] = previous.split('.')
    const forged = `${header}.${said}.${'A'.repeat(86)}`
    const after = { ...payload, prev: sha256Hex(forged) }
    await expect(
      signCompact(next, { typ: RECEIPT_TYP, payload: after, proof: { previous: forged } }),
    ).rejects.toThrow('none of this subject')
  },
)

verifies('signer.process', 'a signature of another key is not used', async () => {
  const otherSocket = join(scratch, 'other.sock')
  const methods = await methodsOfCopy()
  const answer = await methods['sign']?.({
    kid: rings.log.active.kid,
    bytes: Buffer.from(checkpoint(1)).toString('base64url'),
  })
  const lying = await serveSigner(
    otherSocket,
    { keys: methods['keys'] as never, sign: async () => answer as object },
    () => undefined,
  )
  const taken = await openKeyRings({ SIGNER_SOCKET: otherSocket, SIGNING_KEYS_FILE: '' })
  await expect(taken.log.active.sign(checkpoint(2))).rejects.toThrow('no signature of')
  await lying.close()
})

const checkpoint = (size: number) => checkpointOfTree('svc.example/log', size)

verifies(
  'signer.reads-bytes',
  'a checkpoint that is smaller than one before is refused',
  async () => {
    const { active } = rings.log
    await active.sign(checkpoint(5))
    await active.sign(checkpoint(5))
    await expect(active.sign(checkpoint(4))).rejects.toThrow('5 entries is signed already')
    await active.sign(checkpoint(6), { consistency: growth(5, 6) })
  },
)

verifies('signer.budgets', 'samples without end leave the signatures of receipts', async () => {
  const methods = await methodsOfCopy()
  const { active } = rings.receipt
  const sign = (payload: object) => {
    const input = [{ alg: active.alg, kid: active.kid, typ: RECEIPT_TYP }, payload].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    )
    const bytes = Buffer.from(input.join('.')).toString('base64url')
    return methods['sign']?.({ kid: active.kid, bytes }) as Promise<object>
  }
  const sample = { iss, iat: 1, kind: 'sample', usage: 'synthetic', sub: 'sample:1' }
  const answers = await Promise.allSettled(Array.from({ length: 1_000 }, () => sign(sample)))
  const refused = answers.filter(({ status }) => status === 'rejected')
  expect(refused.length).toBeGreaterThan(500)
  expect(refused[0]).toMatchObject({
    reason: { kind: 'over_budget', message: 'the budget for samples is used up' },
  })
  expect(await sign({ iss, iat: seconds() })).toHaveProperty('signature')
})
