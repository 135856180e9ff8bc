import type { Method } from 'mppx'
import { Mppx, evm as methods } from 'mppx/client'
import type { PrivateKeyAccount } from 'viem'

/** The charge method of mppx, which signs with this account for at most 200 USDC. */
export const chargeBy = (account: PrivateKeyAccount): Method.AnyClient =>
  methods.charge({
    account,
    authorization: { name: 'USD Coin', version: '2' },
    decimals: 6,
    maxAmount: '200',
  })

/** The fetch of the mppx client as it is; `send` sees every request. */
export const mppxFetch = (account: PrivateKeyAccount, send: typeof fetch = fetch): typeof fetch =>
  Mppx.create({ polyfill: false, methods: [chargeBy(account)], fetch: send }).fetch

/** The credential by which mppx answers the challenge of a 402. */
export const answerBy = (account: PrivateKeyAccount, unpaid: Response) =>
  Mppx.create({ polyfill: false, methods: [chargeBy(account)] }).createCredential(unpaid)

type Credential = {
  challenge: Record<string, string>
  payload: Record<string, string>
  source?: string
}
/** The JSON in a credential. */
export const readCredential = (header: string): Credential =>
  JSON.parse(Buffer.from(header.replace(/^Payment /, ''), 'base64url').toString())
/** A credential with these changes. */
export const forged = (header: string, change: (credential: Credential) => unknown): string => {
  const credential = readCredential(header)
  change(credential)
  return `Payment ${Buffer.from(JSON.stringify(credential)).toString('base64url')}`
}
