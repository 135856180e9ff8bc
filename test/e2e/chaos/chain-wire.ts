import { type Hex, keccak256 } from 'viem'
import { type Fault, type RpcAnswer, startProxy } from '../../support/rpc-proxy.ts'
import type { RunWire } from './run-faults.ts'

/** The wire between the product and the chain: each run's questions go through its own fault, all of them through the common ones. */
export type ChainWire = {
  url: string
  /** A fault that lasts is not ended by `disarm`. `marks` are hex texts that name the run in a question: the nonce of its authorization, or the wallet that pays its fees. */
  arm(marks: readonly string[], wire: RunWire, lasts: boolean): void
  /** Every answer is as of the block that is the newest now. */
  freezeHead(): Promise<void>
  cut(): void
  /** The node answers like this. */
  fail(how: Fault): void
  /** The common faults end. */
  mend(): void
  /** No run has a fault any more, but for those that last. */
  disarm(): void
  close(): Promise<void>
}

/** Stands before the node at `rpcUrl`. */
export async function startChainWire(rpcUrl: string): Promise<ChainWire> {
  let armed: { marks: string[]; wire: RunWire; lasts: boolean }[] = []
  let head: Hex | undefined
  let isCut = false
  let fault: Fault | undefined

  const { url, close } = await startProxy(rpcUrl, async (method, ask, params = []) => {
    if (isCut) return 'cut'
    const refused = fault === undefined ? undefined : await answerOf(fault, method, params)
    if (refused !== undefined) return refused
    const pass = () => (head === undefined ? ask() : askStale(head, method, params, ask))
    const text = JSON.stringify(params).toLowerCase()
    const run = armed.find(({ marks }) => marks.some((mark) => text.includes(mark)))
    if (run === undefined) return pass()
    // A transaction's hash is all that later questions name.
    if (method === 'eth_sendRawTransaction') run.marks.push(keccak256(params[0] as Hex).slice(2))
    return run.wire({ method, params, pass })
  })
  return {
    url,
    close,
    arm: (marks, wire, lasts) => {
      armed.push({ marks: marks.map((mark) => mark.toLowerCase().replace(/^0x/, '')), wire, lasts })
    },
    freezeHead: async () => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
      const answer = await fetch(rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      head = ((await answer.json()) as { result: Hex }).result
    },
    cut: () => {
      isCut = true
    },
    fail: (how) => {
      fault = how
    },
    mend: () => {
      fault = undefined
      head = undefined
      isCut = false
    },
    disarm: () => {
      armed = armed.filter(({ lasts }) => lasts)
    },
  }
}

/** What a faulty node answers; undefined for what it passes. */
async function answerOf(fault: Fault, method: string, params: unknown[]) {
  let passed = false
  const pass = async () => {
    passed = true
    return {}
  }
  const answer = await fault(method, pass, params)
  return passed ? undefined : answer
}

/** What a node says that has not heard of any block after `head`; it takes transactions all the same. */
async function askStale(
  head: Hex,
  method: string,
  params: unknown[],
  ask: (params?: unknown[]) => Promise<RpcAnswer>,
): Promise<RpcAnswer> {
  if (method === 'eth_blockNumber') return { result: head }
  const answer = await ask(
    params.map((param) => (param === 'latest' || param === 'pending' ? head : param)),
  )
  const { blockNumber } = (answer.result ?? {}) as { blockNumber?: string }
  const unheard = method === 'eth_getTransactionReceipt' && BigInt(blockNumber ?? 0) > BigInt(head)
  return unheard ? { result: null } : answer
}
