import { privateKeyToAccount } from 'viem/accounts'
import { readSecret } from '../activities/config/secret-file.ts'
import { loadStackSettings } from '../activities/config/stack-settings.ts'
import { walletProofHeader } from '../api/http/client.ts'
import type { AccountsFile } from './stack/embedded.ts'
import { layoutOf } from './stack/layout.ts'

/** The header of a POST by an account of the local chain. */
export async function proveCall(path: string, body: unknown, agent: number): Promise<string> {
  const file = layoutOf(loadStackSettings().DATA_DIR).accounts
  const accounts = readSecret<AccountsFile>(file)
  if (accounts === undefined)
    throw new Error(
      `${file} does not exist: run npm start, or set DATA_DIR to the folder of the stack that runs`,
    )
  const account = accounts.agents[agent]
  if (account === undefined)
    throw new Error(`no agent ${agent}: ${file} has agents 0 to ${accounts.agents.length - 1}`)
  const wallet = privateKeyToAccount(account.private_key)
  return walletProofHeader({ baseUrl: accounts.base_url, wallet }, { method: 'POST', path }, body)
}
