import { z } from 'zod'
import { limits } from '#domain/core/limits.ts'
import { text } from './setting-kinds.ts'

const file = text()
const most = (limit: bigint) => z.coerce.bigint().min(1n).max(limit).default(limit)

/** Where private keys and secrets are, and how to reach the signer that holds the keys. */
export const signerSettings = {
  SIGNER_SOCKET: file.describe(
    'Unix socket of the signer for the signing keys; empty: this process reads SIGNING_KEYS_FILE itself, in `local` only',
  ),
  SIGNER_WORKER_SOCKET: file.describe(
    'only for the signer: the Unix socket of the signing keys that it serves to workers, who name it as their SIGNER_SOCKET; that of SIGNER_SOCKET is then for the API alone',
  ),
  SIGNER_WALLETS_SOCKET: file.describe(
    'Unix socket of the signer for the payout wallet and the gas wallets; only for workers. Empty: the worker reads their files itself, in `local` only',
  ),
  SIGNING_KEYS_FILE: file.describe(
    'the rings receipt, authority, checkout, callback, agent-statement and log; only for the signer',
  ),
  TOKEN_KEYS_FILE: file.describe(
    'the keys that status tokens and credentials are derived from; only for the API',
  ),
  PAYOUT_WALLET_KEY_FILE: file.describe(
    'a private key as a JSON string, or the name of a key in a module; only for the signer',
  ),
  GAS_WALLET_KEYS_FILE: file.describe(
    'JSON array of private keys, or of names of keys in a module; only for the signer',
  ),
  SIGNER_PAYOUT_MAX_ATOMIC: most(limits.maxPayoutAtomic).describe(
    'the largest payout that this signer signs, whatever is stored',
  ),
  SIGNER_DAILY_CAP_ATOMIC: most(limits.dailyCapAtomic).describe(
    'what may be in use of the payout wallet’s day, with the transfer to sign in it; by its own count the signer signs at most twice as much in 24 hours, because reservations that died are signed again',
  ),
  SIGNER_FEE_MAX_WEI: z.coerce
    .bigint()
    .min(1n)
    .default(10n ** 16n)
    .describe('the most that one transaction of a gas wallet may cost in fees'),
}
