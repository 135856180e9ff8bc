import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import type { Config } from '../config/config.ts'
import { readTarget } from '../http/address-rules.ts'
import { findExempt } from '../http/outgoing.ts'

/** Where callbacks may lead. */
export type CallbackHosts = {
  /** Host names of this service, at which it never calls itself. */
  readonly ownHosts: readonly string[]
  /** Origins, or single pages of one, that are reached as they are. */
  readonly exempt: readonly string[]
  /** The service's own receiver, which is exempt as well, and takes callbacks without a proof of its host. */
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

/** Whether callbacks of a run may lead to a URL, by its form alone; those of an anonymous or sandbox run only to the demo receiver. */
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
