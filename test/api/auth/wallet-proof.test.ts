import { createServer } from 'node:net'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import {
  type Hex,
  parseSignature,
  serializeCompactSignature,
  signatureToCompactSignature,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect } from 'vitest'
import { DomainError } from '#domain/core/errors.ts'
import {
  bodySha256,
  encodeWalletProof,
  type WalletProof,
  walletProofText,
} from '#domain/payouts/wallet-proof.ts'
import { createWalletSignatures } from '../../../activities/chain/wallet-signature.ts'
import {
  assertProvenBody,
  type ProvenCall,
  verifyWalletProof,
  type WalletProofDeps,
} from '../../../api/auth/wallet-proof.ts'
import { newWallet, startChain, type TestChain } from '../../support/chain.ts'
import { deployContractWallet } from '../../support/contract-wallet.ts'
import { within } from '../../support/slowness.ts'
import { verifies } from '../../verifies.ts'

const origin = 'https://svc.example'
const now = 1_795_248_310
const path = '/api/payout-create'
const body = {
  amount_usdc: '1.25',
  idempotency_key: 'c-1',
  memo: 'm',
  rail_reference: 'r',
  recipient: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
}
const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)

let chain: TestChain
let wallets: WalletProofDeps

beforeAll(async () => {
  chain = await startChain()
  wallets = createWalletSignatures({ rpcUrls: [chain.rpcUrl], timeoutMs: 1000 })
})
afterAll(() => chain?.stop())

type Call = ProvenCall & { body: unknown }
const call: Call = { header: undefined, method: 'POST', path, body, origin, nowSeconds: now }

type Changes = {
  proof?: Record<string, unknown>
  signedFor?: string
  signature?: (signature: Hex) => string
  by?: typeof account
}

/** A good proof of `body`, with members changed before signing, and the signature changed after. */
async function proofOf({
  proof = {},
  signedFor = origin,
  signature = (good) => good,
  by = account,
}: Changes = {}): Promise<string> {
  const members = {
    v: 1,
    wallet: by.address.toLowerCase(),
    chain_id: 8453,
    method: 'POST',
    path,
    body_sha256: bodySha256(body),
    issued_at: now,
    nonce: '0'.repeat(32),
    ...proof,
  }
  const { method, wallet, issued_at: issuedAt, nonce } = members
  const text = walletProofText({
    origin: signedFor,
    method,
    path: members.path,
    bodySha256: members.body_sha256,
    wallet,
    issuedAt,
    nonce,
  })
  const signed = signature(await by.signMessage({ message: text }))
  return encodeWalletProof({ ...members, signature: signed } as WalletProof)
}

async function authenticateWallet(of: Call, deps: WalletProofDeps) {
  const proof = await verifyWalletProof(of, deps)
  assertProvenBody(proof, of.body)
  return { wallet: proof.wallet, nonce: proof.nonce, bodySha256: proof.body_sha256 }
}

async function codeOf(changes: Partial<Call>, deps = wallets): Promise<string> {
  try {
    await authenticateWallet({ ...call, ...changes }, deps)
    return 'passes'
  } catch (error) {
    if (error instanceof DomainError) return error.refusal.code
    throw error
  }
}

const withV = (v: number) => (signature: Hex) =>
  `${signature.slice(0, -2)}${v.toString(16).padStart(2, '0')}`
function highS(signature: Hex): string {
  const s = secp256k1.CURVE.n - BigInt(`0x${signature.slice(66, 130)}`)
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${signature.endsWith('1b') ? '1c' : '1b'}`
}
const compact = (signature: Hex) =>
  serializeCompactSignature(signatureToCompactSignature(parseSignature(signature)))

verifies(
  'proof.known-answer',
  'the known answer of the published vector proves its wallet',
  async () => {
    const header = await proofOf({ proof: { nonce: '00112233445566778899aabbccddeeff' } })
    expect(Buffer.from(header, 'base64url').toString()).toContain(
      '0xdfe7a1d0e639b7d4228775aa3ee0621544bbb11330fdba481df680dbad26a12a5f542abc7fe7481e2efd48cb0bc22532b368a101d0fbf6ed980f19ae690e43881b',
    )
    expect(await authenticateWallet({ ...call, header }, wallets)).toEqual({
      wallet: '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a',
      nonce: '00112233445566778899aabbccddeeff',
      bodySha256: '7c4ea12d09d41c4f5f31343049011fdf8a0e3c71d2a66562c7f48f80d06325f5',
    })
  },
)

verifies('proof.required', 'no header is wallet_proof_required', async () => {
  expect(await codeOf({ header: undefined })).toBe('wallet_proof_required')
  expect(await codeOf({ header: '' })).toBe('wallet_proof_required')
})

verifies('proof.encoding', 'a doubled header and garbage are wallet_proof_invalid', async () => {
  const header = await proofOf()
  for (const wrong of [[header, header], 'garbage', `${header}=`, 'A'.repeat(5000)])
    expect(await codeOf({ header: wrong })).toBe('wallet_proof_invalid')
})

verifies('proof.other-path', 'another path is wallet_proof_invalid', async () => {
  expect(await codeOf({ header: await proofOf(), path: '/api/payout-status' })).toBe(
    'wallet_proof_invalid',
  )
  expect(await codeOf({ header: await proofOf(), path: `${path}/` })).toBe('wallet_proof_invalid')
})

verifies('proof.other-method', 'another method is wallet_proof_invalid', async () => {
  expect(await codeOf({ header: await proofOf({ proof: { method: 'PUT' } }) })).toBe(
    'wallet_proof_invalid',
  )
})

verifies('proof.other-origin', 'another origin is wallet_proof_invalid', async () => {
  expect(await codeOf({ header: await proofOf({ signedFor: 'https://evil.example' }) })).toBe(
    'wallet_proof_invalid',
  )
})

verifies(
  'proof.other-body',
  'one changed character of the body is wallet_proof_invalid',
  async () => {
    expect(await codeOf({ header: await proofOf(), body: { ...body, memo: 'n' } })).toBe(
      'wallet_proof_invalid',
    )
  },
)

verifies('proof.before-defaults', 'a body with a default filled in is another body', async () => {
  expect(await codeOf({ header: await proofOf(), body: { ...body, usage: 'unspecified' } })).toBe(
    'wallet_proof_invalid',
  )
})

verifies('proof.key-order', 'another order of keys passes', async () => {
  expect(
    await codeOf({
      header: await proofOf(),
      body: Object.fromEntries(Object.entries(body).reverse()),
    }),
  ).toBe('passes')
})

verifies('proof.unknown-member', 'an unknown member is wallet_proof_invalid', async () => {
  expect(await codeOf({ header: await proofOf({ proof: { kid: 'x' } }) })).toBe(
    'wallet_proof_invalid',
  )
})

verifies(
  'proof.upper-case',
  'an upper-case or checksummed address is wallet_proof_invalid',
  async () => {
    expect(await codeOf({ header: await proofOf({ proof: { wallet: account.address } }) })).toBe(
      'wallet_proof_invalid',
    )
    const shouted = `0x${account.address.slice(2).toUpperCase()}`
    expect(await codeOf({ header: await proofOf({ proof: { wallet: shouted } }) })).toBe(
      'wallet_proof_invalid',
    )
  },
)

verifies('proof.age.old', '300 s old passes and 301 s is wallet_proof_expired', async () => {
  expect(await codeOf({ header: await proofOf(), nowSeconds: now + 300 })).toBe('passes')
  expect(await codeOf({ header: await proofOf(), nowSeconds: now + 301 })).toBe(
    'wallet_proof_expired',
  )
})

verifies('proof.age.ahead', '30 s ahead passes and 31 s is wallet_proof_expired', async () => {
  expect(await codeOf({ header: await proofOf(), nowSeconds: now - 30 })).toBe('passes')
  expect(await codeOf({ header: await proofOf(), nowSeconds: now - 31 })).toBe(
    'wallet_proof_expired',
  )
})

verifies(
  'proof.signature-form',
  'v of 0 or 1, high s and 64 bytes are wallet_proof_invalid',
  async () => {
    const good = await account.signMessage({ message: 'x' })
    const v = Number.parseInt(good.slice(-2), 16)
    for (const signature of [withV(v - 27), withV(0), withV(1), withV(29), highS, compact]) {
      expect(await codeOf({ header: await proofOf({ signature }) })).toBe('wallet_proof_invalid')
    }
  },
)

verifies(
  'proof.signature-form',
  'a signature of another wallet, nonce or time is wallet_proof_invalid',
  async () => {
    const header = await proofOf()
    const proof = JSON.parse(Buffer.from(header, 'base64url').toString()) as WalletProof
    for (const change of [
      { wallet: newWallet().address },
      { nonce: '1'.repeat(32) },
      { issued_at: now + 1 },
    ]) {
      expect(await codeOf({ header: encodeWalletProof({ ...proof, ...change }) })).toBe(
        'wallet_proof_invalid',
      )
    }
  },
)

verifies(
  'proof.contract-wallet',
  'a contract wallet proves itself by its owner’s signature only',
  async () => {
    const wallet = await deployContractWallet(chain.client, account.address)
    expect(
      await authenticateWallet({ ...call, header: await proofOf({ proof: { wallet } }) }, wallets),
    ).toMatchObject({
      wallet,
    })
    expect(
      await codeOf({ header: await proofOf({ proof: { wallet }, by: newWallet().account }) }),
    ).toBe('wallet_proof_invalid')
  },
)

verifies(
  'proof.contract-wallet',
  'code that reverts, loops, is silent or echoes accepts nothing',
  async () => {
    const codes: Hex[] = [
      '0x60006000fd',
      '0x5b600056',
      '0x00',
      '0x3660006000373660006000f3',
      '0x631626ba7e60e01b60005260406000f3',
    ]
    for (const bytecode of codes) {
      const wallet = newWallet().address
      await chain.client.setCode({ address: wallet, bytecode })
      expect(await codeOf({ header: await proofOf({ proof: { wallet } }) }), bytecode).toBe(
        'wallet_proof_invalid',
      )
    }
    const identityPrecompile = `0x${'4'.padStart(40, '0')}`
    expect(await codeOf({ header: await proofOf({ proof: { wallet: identityPrecompile } }) })).toBe(
      'wallet_proof_invalid',
    )
  },
)

verifies(
  'proof.account-with-code',
  'an account with code passes by its own key without a code call',
  async () => {
    const { account: by, address } = newWallet()
    const refusing: Hex = '0x60006000fd'
    await chain.client.setCode({ address, bytecode: refusing })
    expect(await codeOf({ header: await proofOf({ by }) })).toBe('passes')
    expect(
      await codeOf(
        { header: await proofOf({ by }) },
        createWalletSignatures({ rpcUrls: [], timeoutMs: 1 }),
      ),
    ).toBe('passes')
  },
)

verifies(
  'proof.chain-down',
  'without RPC a signature of the wallet’s key passes, others get 503',
  async () => {
    const down = createWalletSignatures({ rpcUrls: ['http://127.0.0.1:1'], timeoutMs: 1000 })
    expect(await codeOf({ header: await proofOf() }, down)).toBe('passes')
    expect(
      await codeOf(
        {
          header: await proofOf({
            by: newWallet().account,
            proof: { wallet: newWallet().address },
          }),
        },
        down,
      ),
    ).toBe('unavailable')
  },
)

verifies(
  'proof.chain-down',
  'the limit of an RPC that does not answer covers all urls',
  async () => {
    const deaf = createServer(() => undefined).listen(0, '127.0.0.1')
    await new Promise((resolve) => deaf.once('listening', resolve))
    const address = deaf.address() as { port: number }
    const url = `http://127.0.0.1:${address.port}`
    const silent = createWalletSignatures({ rpcUrls: [url, url, url, url], timeoutMs: 1000 })
    const header = await proofOf({ proof: { wallet: newWallet().address } })
    const began = performance.now()
    expect(await codeOf({ header }, silent)).toBe('unavailable')
    // A limit for each of the four would be 4 s in all.
    expect(performance.now() - began).toBeLessThan(within(3_500))
    deaf.close()
  },
)

verifies('proof.chain-down', 'a second RPC is asked when the first is down', async () => {
  const wallet = await deployContractWallet(chain.client, account.address)
  const both = createWalletSignatures({
    rpcUrls: ['http://127.0.0.1:1', chain.rpcUrl],
    timeoutMs: 1000,
  })
  expect(await codeOf({ header: await proofOf({ proof: { wallet } }) }, both)).toBe('passes')
})
