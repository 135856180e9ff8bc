import type { PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createClient, type InputOf } from '../../api/http/client.ts'
import {
  type AuthorizeTerms,
  authorizePayout,
  type Payout,
} from '../../clients/typescript/src/treasury.ts'
import type { DemoAccounts } from './accounts.ts'

export {
  type AuthorizeTerms,
  type Payout,
  principalTermsOf,
  signPrincipal,
} from '../../clients/typescript/src/treasury.ts'

/** The treasury's side of a payout, as a person or an agent outside the service would play it: holder, operator, principal. */
export type Treasury = {
  readonly holder: PrivateKeyAccount
  readonly principal: PrivateKeyAccount
  /** Asks for a challenge, has a mandate issued, presents it and signs as principal: everything that payout-authorize takes. */
  authorize(payout: Payout, terms: AuthorizeTerms): Promise<InputOf<'payout-authorize'>>
}

/** Plays the treasury with its own keys over the public API; `origin` is the service's configured base URL. */
export function openTreasury({
  baseUrl,
  origin,
  accounts,
  operator,
}: {
  baseUrl: string
  origin: string
  accounts: DemoAccounts['treasury']
  operator: string
}): Treasury {
  const holder = privateKeyToAccount(accounts.holder.private_key)
  const principal = privateKeyToAccount(accounts.principal.private_key)
  const parties = {
    origin,
    holder,
    principal,
    operator: createClient({ baseUrl, origin, operator }),
  }
  return {
    holder,
    principal,
    authorize: (payout, terms) => authorizePayout(parties, payout, terms),
  }
}
