import { type Meddle, startProxy } from '../activities/chain/rpc-proxy.ts'
import { pause } from './faults.ts'

/** What the wire to the chain does while it is out of order. */
export type Fault = Meddle

/** No question reaches the chain. */
export const down: Fault = async () => 'cut'

/** The chain takes every transaction but returns no answer; after the first one it answers nothing at all. */
export function silentAfterBroadcast(): Fault {
  let silent = false
  return async (method, pass) => {
    if (silent) return 'cut'
    if (method !== 'eth_sendRawTransaction') return pass()
    silent = true
    await pass()
    await pause(1_500)
    return 'cut'
  }
}

/** No transaction reaches the chain; everything else does. */
export const losesTransactions: Fault = async (method, pass) =>
  method === 'eth_sendRawTransaction' ? 'cut' : pass()

/** `act` comes before the first transaction that is sent: a third party is quicker. */
export function beforeBroadcast(act: () => Promise<unknown>): Fault {
  let acting: Promise<unknown> | undefined
  return async (method, pass) => {
    if (method !== 'eth_sendRawTransaction') return pass()
    acting ??= act()
    await acting
    return pass()
  }
}

/** A wire to the chain at `rpcUrl` that can be put out of order and mended. */
export async function startFaultyWire(rpcUrl: string) {
  let fault: Fault | undefined
  const honest: Fault = (_, pass) => pass()
  const { url, close } = await startProxy(rpcUrl, (...question) => (fault ?? honest)(...question))
  return {
    url,
    close,
    fail: (how: Fault) => {
      fault = how
    },
    mend: () => {
      fault = undefined
    },
  }
}

export type FaultyWire = Awaited<ReturnType<typeof startFaultyWire>>
