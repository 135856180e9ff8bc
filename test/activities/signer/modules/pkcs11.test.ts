import { generateKeyPairSync } from 'node:crypto'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { writeSecret } from '../../../../activities/config/secret-file.ts'
import { loadSignerConfig } from '../../../../activities/config/signer-config.ts'
import type { Modules } from '../../../../activities/signer/modules/module.ts'
import { openModules } from '../../../../activities/signer/modules/open.ts'
import { CK, type Pkcs11Library } from '../../../../activities/signer/modules/pkcs11-library.ts'
import { newWallet } from '../../../support/chain.ts'
import { makeToken, noSoftHsm, type SoftHsm } from '../../../support/softhsm.ts'
import { walletKeyObject } from '../../../support/wallet-key.ts'
import { verifies } from '../../../verifies.ts'

const CKA_VALUE = 0x11
const ATTRIBUTE_SENSITIVE = 0x11
const address = (digit: string) => `0x${digit.repeat(40)}`
const addresses = {
  ASSET_CONTRACT_ADDRESS: address('1'),
  PAYOUT_WALLET_ADDRESS: address('2'),
  PAY_TO_ADDRESS: address('4'),
  TREASURY_PRINCIPAL_ADDRESS: address('3'),
}

describe.skipIf(noSoftHsm !== undefined)('a token of SoftHSM', () => {
  let token: SoftHsm
  let modules: Modules
  let other: Pkcs11Library
  let slot: Buffer
  const configOf = (more: object = {}) => loadSignerConfig({ ...addresses, ...token.env, ...more })
  beforeAll(async () => {
    token = makeToken()
    modules = await openModules(configOf())
    // The module is loaded once in a process, so this sees and closes the sessions of the other.
    const { PKCS11 } = createRequire(import.meta.url)('pkcs11js')
    other = new PKCS11()
    other.load(token.env['PKCS11_MODULE'] ?? '')
    slot = other
      .C_GetSlotList(true)
      .find((one) => other.C_GetTokenInfo(one).label.trim() === token.env['PKCS11_TOKEN']) as Buffer
  })
  afterAll(() => {
    modules?.close()
    token?.remove()
  })

  const made = async (name: string) =>
    modules.open(await modules.make('pkcs11', name, 'Ed25519'), 'Ed25519')

  /** Runs with a session of its own, whose user is the one that the signer logged in. */
  const inSession = <T>(run: (session: Buffer) => T): T =>
    run(other.C_OpenSession(slot, CK.CKF_SERIAL_SESSION | CK.CKF_RW_SESSION))
  const privateKeys = (session: Buffer): Buffer[] => {
    other.C_FindObjectsInit(session, [{ type: CK.CKA_CLASS, value: CK.CKO_PRIVATE_KEY }])
    const found = other.C_FindObjects(session, 100)
    other.C_FindObjectsFinal(session)
    return found
  }

  verifies('signer.modules', 'no private key is read out of the token', async () => {
    token.add({ label: 'imported', id: 'b1' }, walletKeyObject(newWallet().privateKey))
    for (const curve of ['Ed25519', 'P-256', 'secp256k1'] as const)
      await modules.make('pkcs11', `kept ${curve}`, curve)
    await modules.open({ pkcs11: { label: 'imported' } }, 'secp256k1')
    inSession((session) => {
      const keys = privateKeys(session)
      expect(keys.length).toBeGreaterThanOrEqual(4)
      for (const key of keys)
        expect(() => other.C_GetAttributeValue(session, key, [{ type: CKA_VALUE }])).toThrow(
          expect.objectContaining({ code: ATTRIBUTE_SENSITIVE }),
        )
    })
  })

  verifies('signer.module-faults', 'sessions that the token closed are opened again', async () => {
    const key = await made('session')
    const expected = await key.sign(Buffer.from('one'))
    for (const count of [1, 2, 50, 1, 50]) {
      other.C_CloseAllSessions(slot)
      const signing = Array.from({ length: count }, () => key.sign(Buffer.from('one')))
      for (const signature of await Promise.all(signing)) expect(signature).toEqual(expected)
    }
  })

  verifies(
    'signer.module-faults',
    'a token that was taken out is unavailable until it is back',
    async () => {
      const key = await made('taken out')
      const expected = await key.sign(Buffer.from('one'))
      const putBack = token.takeOut()
      for (let time = 0; time < 2; time += 1)
        await expect(key.sign(Buffer.from('one'))).rejects.toMatchObject({ kind: 'unavailable' })
      putBack()
      expect(await key.sign(Buffer.from('one'))).toEqual(expected)
    },
  )

  verifies(
    'signer.module-faults',
    'a wrong PIN, token or library stops the start; no PIN is tried twice',
    async () => {
      const pin = `${token.env['PKCS11_PIN_FILE']}.wrong`
      writeSecret(pin, '9999')
      const named = { pkcs11: { label: 'session' } }
      // The user is logged in for the whole process until its last session has ended.
      other.C_CloseAllSessions(slot)
      const wrong = await openModules(configOf({ PKCS11_PIN_FILE: pin }))
      const logins: string[] = []
      for (let time = 0; time < 5; time += 1)
        logins.push(
          await wrong.open(named, 'Ed25519').then(
            () => 'opened',
            (error: Error) => `${error.message}; ${(error.cause as Error).message}`,
          ),
        )
      expect(new Set(logins)).toEqual(
        new Set([
          'the token agent-rails test refuses the PIN of PKCS11_PIN_FILE; CKR_PIN_INCORRECT',
        ]),
      )
      const elsewhere = await openModules(configOf({ PKCS11_TOKEN: 'another' }))
      await expect(elsewhere.open(named, 'Ed25519')).rejects.toMatchObject({
        kind: 'unavailable',
        cause: expect.objectContaining({ message: 'there is no token another' }),
      })
      await expect(openModules(configOf({ PKCS11_MODULE: '/nothing.so' }))).rejects.toThrow(
        'PKCS11_MODULE /nothing.so cannot be loaded',
      )
      // The right PIN still works: the token was not locked by the wrong one.
      expect(await (await made('session')).sign(Buffer.from('one'))).toHaveLength(64)
    },
  )

  verifies(
    'signer.module-faults',
    'a key that may leave the token, or whose name two have, is not used',
    async () => {
      const extractable = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey
      token.add({ label: 'open', id: 'c1' }, extractable)
      await modules.open({ pkcs11: { id: 'c1' } }, 'secp256k1')
      token.add({ label: 'twice', id: 'c2' }, extractable)
      token.add({ label: 'twice', id: 'c3' }, extractable)
      await expect(modules.open({ pkcs11: { label: 'twice' } }, 'secp256k1')).rejects.toThrow(
        'two private keys',
      )
      expect((await modules.open({ pkcs11: { id: 'c3' } }, 'secp256k1')).publicJwk.crv).toBe(
        'secp256k1',
      )
      const params = Buffer.from('06052b8104000a', 'hex')
      const ec = [
        { type: CK.CKA_TOKEN, value: true },
        { type: CK.CKA_KEY_TYPE, value: CK.CKK_EC },
        { type: CK.CKA_LABEL, value: 'may leave' },
      ]
      const session = other.C_OpenSession(slot, CK.CKF_SERIAL_SESSION | CK.CKF_RW_SESSION)
      await other.C_GenerateKeyPairAsync(
        session,
        { mechanism: CK.CKM_EC_KEY_PAIR_GEN },
        [...ec, { type: CK.CKA_EC_PARAMS, value: params }],
        [
          ...ec,
          { type: CK.CKA_SENSITIVE, value: false },
          { type: CK.CKA_EXTRACTABLE, value: true },
        ],
      )
      await expect(modules.open({ pkcs11: { label: 'may leave' } }, 'secp256k1')).rejects.toThrow(
        'may leave its token',
      )
    },
  )
})

verifies(
  'signer.module-faults',
  'settings of modules that do not go together stop the start',
  () => {
    const load = (more: object) => () => loadSignerConfig({ ...addresses, ...more })
    expect(load({ PKCS11_MODULE: '/m.so' })).toThrow('needs PKCS11_TOKEN and PKCS11_PIN_FILE')
    expect(load({ PKCS11_RINGS: 'log' })).toThrow('PKCS11_RINGS needs PKCS11_MODULE')
    expect(load({ AWS_KMS_RINGS: 'log' })).toThrow('AWS_KMS_RINGS needs AWS_KMS_REGION')
    const both = { PKCS11_MODULE: '/m.so', PKCS11_TOKEN: 't', PKCS11_PIN_FILE: '/p' }
    const kms = { AWS_KMS_REGION: 'r', AWS_KMS_RINGS: 'log, receipt' }
    expect(load({ ...both, ...kms, PKCS11_RINGS: 'log' })).toThrow('both name log')
    expect(load({ ...kms, AWS_KMS_RINGS: 'wallet' })).toThrow('a list of signing key rings')
    expect(load({ ...both, ...kms, PKCS11_RINGS: 'checkout' })().AWS_KMS_RINGS).toEqual([
      'log',
      'receipt',
    ])
  },
)
