import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hex, parseSignature, parseTransaction, recoverTransactionAddress } from 'viem'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { AGENT_STATEMENT_TYP } from '#domain/agents/statement.ts'
import { canonicalJson } from '#domain/core/canonical-json.ts'
import { CHAIN_ID } from '#domain/core/limits.ts'
import { ringNames } from '#domain/keys/rotation.ts'
import { checkpointText } from '#domain/log/checkpoint.ts'
import { RECEIPT_TYP } from '#domain/receipts/receipt.ts'
import { authorizationDigest } from '../../../../activities/chain/authorization.ts'
import { recoverSigner } from '../../../../activities/chain/wallet-signature.ts'
import type { Config } from '../../../../activities/config/config.ts'
import { writeSecret } from '../../../../activities/config/secret-file.ts'
import { loadSignerConfig } from '../../../../activities/config/signer-config.ts'
import { CHALLENGE_TYP } from '../../../../activities/keys/challenge.ts'
import { CHECKOUT_TYP } from '../../../../activities/keys/checkout.ts'
import { encodeBase64url, verifySignature } from '../../../../activities/keys/compact.ts'
import { generateSigningKeys } from '../../../../activities/keys/generate.ts'
import { loadKeyRings, readKeysFile } from '../../../../activities/keys/key-ring.ts'
import { authorizationOf } from '../../../../activities/payouts/transfer.ts'
import { openKeyMaker } from '../../../../activities/signer/key-maker.ts'
import type { Modules } from '../../../../activities/signer/modules/module.ts'
import { openModules } from '../../../../activities/signer/modules/open.ts'
import {
  openGasAccounts,
  openKeyRings,
  openPayoutSigner,
} from '../../../../activities/signer/open.ts'
import { serveSigner } from '../../../../activities/signer/serve.ts'
import { ringMethods } from '../../../../worker/signer/rings.ts'
import { walletMethods } from '../../../../worker/signer/wallets.ts'
import { newWallet } from '../../../support/chain.ts'
import { startKms } from '../../../support/kms.ts'
import {
  payoutWallet,
  signedOrder,
  signedOrders,
  signingPolicy,
} from '../../../support/signing-order.ts'
import { makeToken, noSoftHsm } from '../../../support/softhsm.ts'
import { walletKeyObject } from '../../../support/wallet-key.ts'
import { verifies } from '../../../verifies.ts'

const gasWallet = newWallet()
const baseUrl = 'https://svc.example'
const wallets = { payout: payoutWallet, gas: gasWallet }
const rotation = (digit: string) => `kr_${digit.repeat(64)}`

type Place = {
  env: Record<string, string>
  wallets: Record<keyof typeof wallets, object>
  remove(): unknown
}

const places: Record<string, { skipped: string | undefined; prepare(): Promise<Place> }> = {
  'SoftHSM by PKCS#11': {
    skipped: noSoftHsm,
    prepare: async () => {
      const token = makeToken()
      token.add({ label: 'payout', id: 'a1' }, walletKeyObject(payoutWallet.privateKey))
      token.add({ label: 'gas', id: 'a2' }, walletKeyObject(gasWallet.privateKey))
      return {
        env: { ...token.env, PKCS11_RINGS: ringNames.join(',') },
        wallets: { payout: { pkcs11: { label: 'payout' } }, gas: { pkcs11: { id: 'a2' } } },
        remove: token.remove,
      }
    },
  },
  'the protocol of AWS KMS': {
    skipped: undefined,
    prepare: async () => {
      process.env['AWS_ACCESS_KEY_ID'] = 'test'
      process.env['AWS_SECRET_ACCESS_KEY'] = 'test'
      const kms = await startKms()
      for (const [name, { privateKey }] of Object.entries(wallets))
        kms.add(name, 'ECC_SECG_P256K1', walletKeyObject(privateKey))
      return {
        env: { ...kms.env, AWS_KMS_RINGS: ringNames.join(',') },
        wallets: { payout: { kms: { key_id: 'payout' } }, gas: { kms: { key_id: 'gas' } } },
        remove: kms.close,
      }
    },
  },
}

for (const [name, { skipped, prepare }] of Object.entries(places))
  describe.skipIf(skipped !== undefined)(name, () => {
    const scratch = mkdtempSync(join(tmpdir(), 'agent-rails-places-'))
    const at = (file: string) => join(scratch, file)
    let place: Place
    let config: ReturnType<typeof loadSignerConfig>
    let modules: Modules
    const servers: { close(): Promise<void> }[] = []
    const local = { SIGNER_SOCKET: at('keys.sock'), SIGNING_KEYS_FILE: '' }
    const maker = () => openKeyMaker(local)

    beforeAll(async () => {
      place = await prepare()
      writeSecret(at('keys.json'), generateSigningKeys(new Date()))
      writeSecret(at('payout.json'), place.wallets.payout)
      writeSecret(at('gas.json'), [place.wallets.gas])
      config = loadSignerConfig({
        ...place.env,
        BASE_URL: baseUrl,
        ASSET_CONTRACT_ADDRESS: signingPolicy.asset,
        PAYOUT_WALLET_ADDRESS: payoutWallet.address,
        PAY_TO_ADDRESS: newWallet().address,
        TREASURY_PRINCIPAL_ADDRESS: signingPolicy.principal,
        SIGNING_KEYS_FILE: at('keys.json'),
        PAYOUT_WALLET_KEY_FILE: at('payout.json'),
        GAS_WALLET_KEYS_FILE: at('gas.json'),
        SIGNER_SOCKET: at('keys.sock'),
        SIGNER_WALLETS_SOCKET: at('wallets.sock'),
      })
      modules = await openModules(config)
      const rings = await ringMethods(config, modules)
      const served = [
        [config.SIGNER_SOCKET, rings.worker],
        [at('api.sock'), rings.api],
        [config.SIGNER_WALLETS_SOCKET, await walletMethods(config, modules)],
      ] as const
      for (const [socket, methods] of served)
        servers.push(await serveSigner(socket, methods, () => undefined))
      for (const ring of ringNames) {
        const { kid } = await maker().next({ ring, rotationId: rotation('1') })
        await maker().activate(kid)
      }
    })
    afterAll(async () => {
      for (const server of servers) await server.close()
      modules?.close()
      await place?.remove()
      rmSync(scratch, { recursive: true, force: true })
    })

    verifies(
      ['signer.modules', 'signer.module-rotation'],
      'the artifacts of every ring verify with its published key',
      async () => {
        const ofWorker = await openKeyRings(local)
        const ofApi = await openKeyRings({ ...local, SIGNER_SOCKET: at('api.sock') })
        for (const ring of ringNames)
          for (const bytes of artifactsOf(ofWorker[ring].active.kid)[ring]) {
            const { alg, publicJwk } = ofWorker[ring].active
            // Each artifact is for at least one of the two sockets.
            const sign = (text: typeof bytes) =>
              ofWorker[ring].active.sign(text).catch(() => ofApi[ring].active.sign(text))
            const signature = await sign(bytes)
            expect(verifySignature({ alg, publicJwk }, bytes, signature), ring).toBe(true)
            if (alg === 'EdDSA') expect(await sign(bytes)).toEqual(signature)
          }
      },
    )

    verifies(
      'signer.module-rotation',
      'the file names what the module made; a repeat makes nothing',
      async () => {
        const { rings } = readKeysFile(at('keys.json'))
        for (const ring of ringNames) {
          const [old, made, ...more] = rings[ring]
          expect([old?.state, made?.state, more]).toEqual(['retiring', 'active', []])
          expect(old).toHaveProperty('private_jwk')
          expect(made).not.toHaveProperty('private_jwk')
          expect(made).toHaveProperty('public_jwk.x')
        }
        const asked = { ring: 'log', rotationId: rotation('2') } as const
        const [one, other] = await Promise.all([maker().next(asked), maker().next(asked)])
        expect(one).toEqual(other)
        // The signer died before it wrote the file: it finds the key that the module made.
        const written = JSON.parse(readFileSync(at('keys.json'), 'utf8'))
        written.rings.log.pop()
        writeSecret(at('keys.json'), written)
        expect((await maker().next(asked)).publicJwk['x']).toBe(one.publicJwk['x'])
        expect(readKeysFile(at('keys.json')).rings.log).toHaveLength(3)
        expect(() => loadKeyRings(at('keys.json'))).toThrow('which only the signer opens')
      },
    )

    verifies(
      'signer.modules',
      'transfers and transactions of its wallets recover to them, with low s',
      async () => {
        const signer = await openPayoutSigner(config as unknown as Config)
        for (const order of await signedOrders(12)) {
          const answer = await signer.sign({ ...order, inUse: 1n })
          if (!('signature' in answer)) throw new Error(answer.withheld)
          const digest = authorizationDigest(signingPolicy.asset, authorizationOf(order.transfer))
          expect(recoverSigner(digest, answer.signature as Hex)).toBe(payoutWallet.address)
          expectLowS(answer.signature as Hex)
        }
        const [account, ...others] = await openGasAccounts(config)
        expect([account?.address, others]).toEqual([gasWallet.address, []])
        for (let nonce = 0; nonce < 12; nonce += 1) {
          const raw = await account?.signTransaction({ ...filler, nonce })
          const serializedTransaction = raw as `0x02${string}`
          const from = await recoverTransactionAddress({ serializedTransaction })
          expect(from.toLowerCase()).toBe(gasWallet.address)
          const { r, s } = parseTransaction(serializedTransaction)
          expectLowS(`0x${[r, s].map((part) => part?.slice(2).padStart(64, '0')).join('')}1b`)
        }
      },
    )

    verifies(
      'signer.modules',
      'the policy refuses what it refuses with keys of files',
      async () => {
        writeSecret(at('own.json'), generateSigningKeys(new Date()))
        writeSecret(at('own-payout.json'), payoutWallet.privateKey)
        writeSecret(at('own-gas.json'), [gasWallet.privateKey])
        const own = {
          ...config,
          SIGNING_KEYS_FILE: at('own.json'),
          PAYOUT_WALLET_KEY_FILE: at('own-payout.json'),
          GAS_WALLET_KEYS_FILE: at('own-gas.json'),
        }
        const refusals = async (settings: typeof config) => {
          const methods = {
            ...(await ringMethods(settings, modules)).worker,
            ...(await walletMethods(settings, modules)),
          }
          const { rings } = readKeysFile(settings.SIGNING_KEYS_FILE)
          const outcomes = []
          for (const ring of ringNames) {
            const kid = rings[ring].find(({ state }) => state === 'active')?.kid ?? ''
            for (const bytes of hostileBytes(kid))
              outcomes.push(
                await outcomeOf(methods['sign']?.({ kid, bytes: encodeBase64url(bytes) })),
              )
          }
          for (const request of hostileTransactions)
            outcomes.push(await outcomeOf(methods['sign_gas_transaction']?.(request)))
          const { payout, transfer, inUse } = await signedOrder()
          for (const change of [{ recipient: gasWallet.address }, { valid_before: '1' }])
            outcomes.push(
              await methods['sign_transfer']?.({
                payout: JSON.parse(JSON.stringify(payout)),
                transfer: { ...transfer, ...change },
                in_use: inUse.toString(),
              }),
            )
          return outcomes
        }
        const refused = await refusals(config)
        expect(refused).toEqual(await refusals(own))
        expect(new Set(refused.map((one) => JSON.stringify(one))).size).toBeGreaterThan(10)
        expect(JSON.stringify(refused)).not.toContain('signature":')
      },
    )

    verifies(
      'signer.module-faults',
      'a foreign address or public half, or a missing key, stops the start',
      async () => {
        const foreign = { ...config, PAYOUT_WALLET_ADDRESS: newWallet().address }
        await expect(walletMethods(foreign, modules)).rejects.toThrow('the key of another address')
        const missing =
          'pkcs11' in place.wallets.payout ? { pkcs11: { id: 'ff' } } : { kms: { key_id: 'ff' } }
        writeSecret(at('missing.json'), missing)
        const nowhere = { ...config, PAYOUT_WALLET_KEY_FILE: at('missing.json') }
        await expect(walletMethods(nowhere, modules)).rejects.toThrow(/no private key|NotFound/)
        const otherCurve = { ...config, PAYOUT_WALLET_KEY_FILE: at('curve.json') }
        const { rings } = readKeysFile(at('keys.json'))
        const { kid: _, alg: _alg, state: _state, public_jwk, ...named } = heldOf(rings.receipt)
        const { rotation_id: _rotation, ...reference } = named
        writeSecret(at('curve.json'), reference)
        await expect(walletMethods(otherCurve, modules)).rejects.toThrow('not one for secp256k1')
        const swapped = structuredClone(rings)
        heldOf(swapped.receipt).public_jwk = heldOf(rings.authority).public_jwk
        heldOf(swapped.authority).public_jwk = public_jwk
        writeSecret(at('swapped.json'), { rings: swapped })
        const lying = { ...config, SIGNING_KEYS_FILE: at('swapped.json') }
        await expect(ringMethods(lying, modules)).rejects.toThrow('another key than the public_jwk')
        const none = await openModules(loadSignerConfig({ ...withoutModules(config) }))
        await expect(walletMethods(config, none)).rejects.toThrow('a module that is not configured')
      },
    )
  })

type Entries = ReturnType<typeof readKeysFile>['rings']['receipt']
function heldOf(entries: Entries) {
  const held = entries.find((entry) => 'public_jwk' in entry)
  if (held === undefined || !('public_jwk' in held)) throw new Error('no key is in the module')
  return held
}

const withoutModules = (config: ReturnType<typeof loadSignerConfig>) => ({
  ASSET_CONTRACT_ADDRESS: config.ASSET_CONTRACT_ADDRESS,
  PAYOUT_WALLET_ADDRESS: config.PAYOUT_WALLET_ADDRESS,
  PAY_TO_ADDRESS: config.PAY_TO_ADDRESS,
  TREASURY_PRINCIPAL_ADDRESS: config.TREASURY_PRINCIPAL_ADDRESS,
})

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
const expectLowS = (signature: Hex) =>
  expect(BigInt(parseSignature(signature).s)).toBeLessThanOrEqual(HALF_ORDER)

const filler = {
  type: 'eip1559',
  chainId: CHAIN_ID,
  to: gasWallet.address as Hex,
  data: '0x',
  gas: 21_000n,
  maxFeePerGas: 1_000n,
  maxPriorityFeePerGas: 1n,
} as const

const asked = {
  wallet: gasWallet.address,
  to: gasWallet.address,
  data: '0x',
  nonce: '0',
  gas: '21000',
  max_fee_per_gas: '1000',
  max_priority_fee_per_gas: '1',
}
const hostileTransactions = [
  { ...asked, to: newWallet().address },
  { ...asked, wallet: newWallet().address },
  { ...asked, gas: '600000' },
  { ...asked, max_fee_per_gas: '9'.repeat(30) },
  { ...asked, value: '1', to: 'x' },
]

const seconds = () => Math.floor(Date.now() / 1000)
const iss = `${baseUrl}/api/trust-contract`
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const jws = (alg: string, kid: string, typ: string, payload: object) =>
  Buffer.from(`${part({ alg, kid, typ })}.${part(payload)}`)

/** What each ring signs. */
const artifactsOf = (kid: string): Record<(typeof ringNames)[number], Buffer[]> => {
  const iat = seconds()
  const delivery = `cb_${'a'.repeat(64)}`
  return {
    receipt: [jws('EdDSA', kid, RECEIPT_TYP, { iss, iat, text: 'grün' })],
    authority: [jws('EdDSA', kid, CHALLENGE_TYP, { iss: baseUrl, iat })],
    checkout: [jws('ES256', kid, CHECKOUT_TYP, { iss: baseUrl, iat })],
    callback: [Buffer.from(`${delivery}.${iat}.${canonicalJson({ delivery_id: delivery })}`)],
    'agent-statement': [jws('EdDSA', kid, AGENT_STATEMENT_TYP, { iss, iat })],
    log: [
      Buffer.from(
        checkpointText({ origin: 'svc.example/log', size: 5, root: new Uint8Array(32).fill(1) }),
      ),
    ],
  }
}

/** Requests that no ring signs. */
const hostileBytes = (kid: string): Buffer[] => [
  Buffer.from('anything'),
  Buffer.alloc(32, 7),
  Buffer.from([0xff, 0xfe]),
  jws('EdDSA', kid, RECEIPT_TYP, { iss: 'https://other.example', iat: seconds() }),
  jws('EdDSA', kid, RECEIPT_TYP, { iss, iat: 1 }),
  jws('ES256', kid, CHECKOUT_TYP, { iss: 'https://other.example', iat: seconds() }),
  jws('EdDSA', 'another', RECEIPT_TYP, { iss, iat: seconds() }),
  jws('none', kid, RECEIPT_TYP, { iss, iat: seconds() }),
]

const outcomeOf = (call: Promise<object> | undefined) =>
  call?.then(
    (answer) => answer,
    (error: Error) => error.message,
  )
