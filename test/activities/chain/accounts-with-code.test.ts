import { type Hex, parseAbi, parseSignature } from 'viem'
import { afterAll, beforeAll, expect } from 'vitest'
import { signAuthorization } from '../../../activities/chain/authorization.ts'
import { tokenAbi } from '../../../activities/chain/token.ts'
import { newWallet, type TestWallet } from '../../support/chain.ts'
import { delegate, deployContractWallet } from '../../support/contract-wallet.ts'
import { verifies } from '../../verifies.ts'
import { type Fixture, randomNonce, startFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.stop())

const partsAbi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

/** Sends 5 atomic units from the account in one of the two forms; whether they arrived. */
async function pays(from: Hex, signer: TestWallet, form: 'parts' | 'bytes'): Promise<boolean> {
  const { timestamp } = await fixture.client.getBlock()
  const terms = {
    from: from.toLowerCase() as Hex,
    to: newWallet().address,
    value: 5n,
    validAfter: 0n,
    validBefore: timestamp + 3_600n,
    nonce: randomNonce(),
  }
  const signature = await signAuthorization(signer.account, fixture.asset, terms)
  const { v, r, s } = parseSignature(signature)
  const { to, value, validAfter, validBefore, nonce } = terms
  const plain = [terms.from, to, value, validAfter, validBefore, nonce] as const
  const call = { address: fixture.asset, functionName: 'transferWithAuthorization' } as const
  const sent =
    form === 'parts'
      ? fixture.client.writeContract({ ...call, abi: partsAbi, args: [...plain, Number(v), r, s] })
      : fixture.client.writeContract({ ...call, abi: tokenAbi, args: [...plain, signature] })
  const hash = await sent.catch(() => undefined)
  if (hash !== undefined) await fixture.client.waitForTransactionReceipt({ hash })
  return (await fixture.balance(to)) === 5n
}

for (const form of ['parts', 'bytes'] as const) {
  verifies(
    'local.accounts-with-code',
    `an account that is delegated (EIP-7702) pays as its code says, in ${form}`,
    async () => {
      const [payer, key] = [newWallet(), newWallet()]
      await fixture.mint(payer.address, 100n)
      expect(await pays(payer.address, payer, form)).toBe(true)
      const code = await deployContractWallet(fixture.client, key.address)
      expect(await delegate(fixture.client, payer, code)).toBe(`0xef0100${code.slice(2)}`)
      expect(await pays(payer.address, payer, form)).toBe(false)
      expect(await pays(payer.address, key, form)).toBe(true)
      // Code that accepts the account's own key, and code that knows nothing of signatures.
      await delegate(
        fixture.client,
        payer,
        await deployContractWallet(fixture.client, payer.address),
      )
      expect(await pays(payer.address, payer, form)).toBe(true)
      await delegate(fixture.client, payer, fixture.asset)
      expect(await pays(payer.address, payer, form)).toBe(false)
      expect(await delegate(fixture.client, payer)).toBeUndefined()
      expect(await pays(payer.address, payer, form)).toBe(true)
    },
  )
  verifies(
    'local.accounts-with-code',
    `a contract wallet (EIP-1271) pays with the key that it accepts, in ${form}`,
    async () => {
      const [owner, other] = [newWallet(), newWallet()]
      const wallet = await deployContractWallet(fixture.client, owner.address)
      await fixture.mint(wallet, 100n)
      expect(await pays(wallet, owner, form)).toBe(true)
      expect(await pays(wallet, other, form)).toBe(false)
    },
  )
}
