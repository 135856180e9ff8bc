import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import type { Config } from '../config/config.ts'
import { readTarget } from '../http/address-rules.ts'
import { findExempt } from '../http/outgoing.ts'

/** The hosts that callbacks may reach. */
export type CallbackHosts = {
  /** Host names of this service, which it never calls itself. */
  readonly ownHosts: readonly string[]
  /** Origins, or single pages, that need no public HTTPS address. */
  readonly exempt: readonly string[]
  /** The receiver of this service, which is also exempt and accepts callbacks without a proof of its host. */
  readonly demoReceiver: string
}

export function callbackHosts(
  config: Pick<Config, 'BASE_URL' | 'OS_URL' | 'CALLBACK_ALLOW_HOSTS'>,
): CallbackHosts {
  const demoReceiver = `${config.BASE_URL}${demoReceiverPath}`
  return {
    ownHosts: [config.BASE_URL, config.OS_URL].map((origin) => new URL(origin).hostname),
    exempt: [...config.CALLBACK_ALLOW_HOSTS, demoReceiver],
    demoReceiver,
  }
}

export const isDemoReceiver = (
  { demoReceiver }: Pick<CallbackHosts, 'demoReceiver'>,
  url: string,
): boolean => findExempt(url, [demoReceiver]) !== undefined

/** Whether callbacks may go to a URL, by its form alone. With `demoOnly`, for anonymous and sandbox runs, only to the demo receiver. */
export function checkCallbackUrl(
  hosts: CallbackHosts,
  url: string,
  demoOnly: boolean,
): { ok: boolean; detail: string } {
  if (isDemoReceiver(hosts, url)) return { ok: true, detail: 'the demo receiver' }
  if (demoOnly)
    return { ok: false, detail: 'anonymous and sandbox runs call back to the demo receiver only' }
  if (findExempt(url, hosts.exempt) !== undefined)
    return { ok: true, detail: 'a host that the operator allows' }
  const target = readTarget(url, hosts.ownHosts)
  return target.ok
    ? { ok: true, detail: 'a public HTTPS URL by its form' }
    : { ok: false, detail: target.reason }
}
