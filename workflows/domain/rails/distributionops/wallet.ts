import { checksumAddress, zeroAddress } from 'viem'

const form = /^0x[0-9a-fA-F]{40}$/
const isOfOneCase = (digits: string): boolean =>
  digits === digits.toLowerCase() || digits === digits.toUpperCase()

/** Why an address cannot be paid; an address in capitals and small letters has the checksum of EIP-55. */
export function walletFault(
  wallet: string,
): 'wallet_malformed' | 'wallet_checksum_wrong' | 'wallet_is_zero' | null {
  if (!form.test(wallet)) return 'wallet_malformed'
  const address = wallet as `0x${string}`
  if (address.toLowerCase() === zeroAddress) return 'wallet_is_zero'
  const isChecked = isOfOneCase(wallet.slice(2)) || checksumAddress(address) === wallet
  return isChecked ? null : 'wallet_checksum_wrong'
}
