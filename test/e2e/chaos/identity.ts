import { type Address, type Hex, keccak256, stringToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { payoutId, transferNonce } from '#domain/core/ids.ts'

/** Who a run is: all of it follows from the seed, so that its payout and its authorization are known before they are made. */
export type RunIdentity = {
  privateKey: Hex
  account: PrivateKeyAccount
  creator: Address
  recipient: Address
  createKey: string
  authorizeKey: string
  executeKey: string
  payoutId: string
  nonce: Hex
}

/** The identity of run `index` of `seed`, paid in `asset`. */
export function identityOf(seed: number, index: number, asset: Address): RunIdentity {
  const secret = (name: string) => keccak256(stringToHex(`chaos ${seed} ${index} ${name}`))
  const privateKey = secret('wallet')
  const account = privateKeyToAccount(privateKey)
  const creator = account.address.toLowerCase() as Address
  const createKey = `create-${seed}-${index}`
  const payout = payoutId(creator, createKey)
  return {
    privateKey,
    account,
    creator,
    recipient: privateKeyToAccount(secret('recipient')).address.toLowerCase() as Address,
    createKey,
    authorizeKey: `authorize-${seed}-${index}`,
    executeKey: `execute-${seed}-${index}`,
    payoutId: payout,
    nonce: transferNonce(asset, payout),
  }
}
