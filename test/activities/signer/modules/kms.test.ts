import { readFileSync } from 'node:fs'
import { recoverAddress } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { z } from 'zod'
import { openKms } from '../../../../activities/signer/modules/kms.ts'
import type { ModuleKey } from '../../../../activities/signer/modules/module.ts'
import { moduleWallet } from '../../../../activities/signer/modules/wallet.ts'
import { type Kms, startKms } from '../../../support/kms.ts'
import { verifies } from '../../../verifies.ts'

let kms: Kms
let module: Awaited<ReturnType<typeof openKms>>
beforeAll(async () => {
  process.env['AWS_ACCESS_KEY_ID'] = 'test'
  process.env['AWS_SECRET_ACCESS_KEY'] = 'test'
  kms = await startKms()
  module = await openKms({ region: kms.env.AWS_KMS_REGION, endpoint: kms.env.AWS_KMS_ENDPOINT })
})
afterAll(async () => {
  module?.close()
  await kms?.close()
})

/** Made with pyca/cryptography: `der` over the digest or, with Ed25519, over the message itself. */
const Recordings = z.array(
  z.object({
    spec: z.enum(['ECC_SECG_P256K1', 'ECC_NIST_P256', 'ECC_NIST_EDWARDS25519']),
    spki: z.string(),
    signatures: z.array(
      z.object({
        message: z.string(),
        der: z.string(),
        r: z.string().optional(),
        s: z.string().optional(),
      }),
    ),
  }),
)
type Recording = z.output<typeof Recordings>[number]
const recordings = Recordings.parse(
  JSON.parse(readFileSync(new URL('kms-signatures.json', import.meta.url), 'utf8')),
)
const bytesOf = (base64: string) => Buffer.from(base64, 'base64')

const curves = {
  ECC_SECG_P256K1: 'secp256k1',
  ECC_NIST_P256: 'P-256',
  ECC_NIST_EDWARDS25519: 'Ed25519',
} as const

function open({ spec, spki, signatures }: Recording): Promise<ModuleKey> {
  const answers = new Map(signatures.map(({ message, der }) => [message, der]))
  kms.recorded.set(spec, { spec, spki, signatures: answers })
  return module.open({ key_id: spec }, curves[spec])
}

verifies('signer.modules', 'recorded DER of AWS KMS becomes r and s of 32 bytes each', async () => {
  for (const recording of recordings) {
    const key = await open(recording)
    for (const { message, der, r, s } of recording.signatures) {
      const expected = r === undefined ? bytesOf(der).toString('hex') : `${r}${s}`
      expect(Buffer.from(await key.sign(bytesOf(message))).toString('hex')).toBe(expected)
    }
  }
})

const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

verifies('signer.modules', 'recorded signatures get low s and the right recovery id', async () => {
  const recording = recordings[0] as Recording
  const wallet = moduleWallet(await open(recording))
  const point = bytesOf(recording.spki).subarray(-65).toString('hex')
  expect(wallet.address).toBe(publicKeyToAddress(`0x${point}`).toLowerCase())
  const seen = new Set<string>()
  for (const { message, r, s } of recording.signatures) {
    const hash = `0x${bytesOf(message).toString('hex')}` as const
    const signature = await wallet.sign({ hash })
    expect((await recoverAddress({ hash, signature })).toLowerCase()).toBe(wallet.address)
    const high = BigInt(`0x${s}`)
    const low = high > N / 2n ? N - high : high
    expect(signature.slice(2, 130)).toBe(`${r}${low.toString(16).padStart(64, '0')}`)
    seen.add(`${signature.slice(-2)} ${low === high}`)
  }
  expect(seen.size).toBe(4)
})

verifies('signer.modules', 'a signature of another key or digest is not used', async () => {
  const recording = recordings[0] as Recording
  const [first, second] = recording.signatures
  if (first === undefined || second === undefined) throw new Error('no recordings')
  const lying = { ...recording, signatures: [{ ...first, der: second.der }] }
  const wallet = moduleWallet(await open(lying))
  const hash = `0x${bytesOf(first.message).toString('hex')}` as const
  await expect(wallet.sign({ hash })).rejects.toThrow('no signature of')
  const broken = { ...recording, signatures: [{ ...first, der: 'MAYCAQECAQ==' }] }
  await expect((await open(broken)).sign(bytesOf(first.message))).rejects.toThrow()
})

verifies('signer.module-faults', 'an answer that is late comes by a second request', async () => {
  const key = await open(recordings[0] as Recording)
  const message = bytesOf(recordings[0]?.signatures[0]?.message ?? '')
  kms.faults.push({ status: 500, name: 'KMSInternalException' })
  expect(await key.sign(message)).toHaveLength(64)
  for (const fault of [
    { status: 500, name: 'DependencyTimeoutException' },
    { status: 400, name: 'ThrottlingException' },
  ]) {
    const before = kms.calls.length
    kms.faults.push(fault, fault)
    await expect(key.sign(message)).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'AWS KMS does not answer',
    })
    expect(kms.calls.length - before).toBe(2)
  }
  const gone = await openKms({ region: 'eu-central-1', endpoint: 'http://127.0.0.1:1' })
  await expect(gone.open({ key_id: 'x' }, 'Ed25519')).rejects.toMatchObject({ kind: 'unavailable' })
  gone.close()
})

verifies('signer.module-faults', 'what AWS KMS refuses is named and not asked again', async () => {
  const key = await open(recordings[2] as Recording)
  await expect(key.sign(Buffer.alloc(4_097))).rejects.toMatchObject({ kind: 'refused' })
  const before = kms.calls.length
  kms.faults.push({ status: 400, name: 'AccessDeniedException' })
  await expect(key.sign(Buffer.from('a'))).rejects.toThrow('AWS KMS: AccessDeniedException')
  expect(kms.calls.length - before).toBe(1)
  await expect(module.open({ key_id: 'ECC_NIST_EDWARDS25519' }, 'P-256')).rejects.toThrow(
    'not one for P-256',
  )
  await expect(module.open({ key_id: 'none' }, 'P-256')).rejects.toThrow('NotFoundException')
})

verifies('signer.module-rotation', 'a key that was made is found by its alias', async () => {
  const made = await module.make('log-kr_1', 'Ed25519')
  const keys = kms.keys.size
  expect(await module.make('log-kr_1', 'Ed25519')).toEqual(made)
  expect(kms.keys.size).toBe(keys)
  expect((await module.open(made, 'Ed25519')).publicJwk).toMatchObject({ crv: 'Ed25519' })
})
