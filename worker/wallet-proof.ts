import { readFileSync } from 'node:fs'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { readSecret } from '../activities/config/secret-file.ts'
import { loadStackSettings } from '../activities/config/stack-settings.ts'
import { walletProofHeader } from '../api/http/client.ts'
import type { AccountsFile } from './stack/embedded.ts'
import { layoutOf } from './stack/layout.ts'

/** The header of a POST by an account of the local chain. */
export async function proveCall(path: string, body: unknown, agent: number): Promise<string> {
  return walletProofHeader(localAgent(agent), { method: 'POST', path }, body)
}

/** An account of the local chain, and the service next to it. */
export function localAgent(agent: number): { wallet: PrivateKeyAccount; baseUrl: string } {
  const file = layoutOf(loadStackSettings().DATA_DIR).accounts
  const accounts = readSecret<AccountsFile>(file)
  if (accounts === undefined)
    throw new Error(
      `${file} does not exist: run npm start, or set DATA_DIR to the folder of the stack that runs`,
    )
  const account = accounts.agents[agent]
  if (account === undefined)
    throw new Error(`no agent ${agent}: ${file} has agents 0 to ${accounts.agents.length - 1}`)
  return { wallet: privateKeyToAccount(account.private_key), baseUrl: accounts.base_url }
}

/** The wallet of a private key in a file; what the file holds is in no message. */
export function readWalletKey(path: string): PrivateKeyAccount {
  const text = readFileSync(path, 'utf8').trim()
  if (!/^0x[0-9a-fA-F]{64}$/.test(text))
    throw new Error(`${path}: it holds no private key of 0x and 64 hex digits`)
  return privateKeyToAccount(text as `0x${string}`)
}
