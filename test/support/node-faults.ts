import { type Hex, numberToHex } from 'viem'
import type { Meddle, RawAnswer, RpcAnswer } from './rpc-proxy.ts'

/** What real nodes do wrong; for the proxy or the wire to a chain. Each fault passes everything else. */
type Fault = Meddle

type Refusal = (asked: { from: bigint; to: bigint; limit: number }) => RpcAnswer | RawAnswer

const refuse = (code: number, message: string): RpcAnswer => ({ error: { code, message } })
const refuseWith = (status: number, { error }: RpcAnswer): RawAnswer => ({
  status,
  type: 'application/json',
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, error }),
})
const thousands = (limit: number) => limit.toLocaleString('en-US')

/** How providers word that a range of eth_getLogs is too long. */
export const rangeRefusals: Readonly<Record<string, Refusal>> = {
  alchemy: ({ from, limit }) =>
    refuseWith(
      400,
      refuse(
        -32600,
        `Under the Free tier plan, you can make eth_getLogs requests with up to a ${limit} block range. Based on your parameters, this block range should work: [${numberToHex(from)}, ${numberToHex(from + BigInt(limit) - 1n)}]. Upgrade to PAYG for expanded block range.`,
      ),
    ),
  infura: ({ from, to, limit }) =>
    refuse(-32602, `range ${to - from + 1n} exceeds limit of ${limit}`),
  'infura, by results': ({ from, limit }) =>
    refuse(
      -32005,
      `query returned more than 10000 results. Try with this block range [${numberToHex(from)}, ${numberToHex(from + BigInt(limit) - 1n)}].`,
    ),
  quicknode: ({ limit }) =>
    refuseWith(413, refuse(-32614, `eth_getLogs is limited to a ${thousands(limit)} range`)),
  ankr: () => refuse(-32600, 'block range is too wide'),
  'base, public': () => refuse(-32000, 'block range too large'),
  publicnode: ({ limit }) => refuse(-32701, `exceed maximum block range: ${limit}`),
  drpc: ({ limit }) => refuse(35, `ranges over ${limit} blocks are not supported on freetier`),
}

/** Answers for so many blocks of logs at once. */
export const rangeLimit =
  (limit: number, refusal: Refusal = rangeRefusals['alchemy'] as Refusal): Fault =>
  async (method, pass, params = []) => {
    if (method !== 'eth_getLogs') return pass()
    const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
    const [from, to] = [BigInt(fromBlock), BigInt(toBlock)]
    return to - from + 1n > BigInt(limit) ? refusal({ from, to, limit }) : pass()
  }

/** Has no receipt the first so many times. */
export function nullReceipts(times = Number.POSITIVE_INFINITY): Fault {
  let left = times
  return async (method, pass) =>
    method === 'eth_getTransactionReceipt' && left-- > 0 ? { result: null } : pass()
}

const always =
  (answer: Awaited<ReturnType<Meddle>>): Fault =>
  async () =>
    answer

export const tooManyRequests = always({
  status: 429,
  type: 'text/plain',
  body: 'Too Many Requests',
})
export const html = always({
  status: 200,
  type: 'text/html',
  body: '<!DOCTYPE html><html><body>Checking your browser</body></html>',
})
export const hangs = always('silence')
export const cut = always('cut')

/** Answers JSON of no known form. */
export const garbage = always({ status: 200, type: 'application/json', body: '{}' })
export const garbageResults: Fault = async () => ({ result: { of: 'nothing' } })

/** The node knows nothing of this method. */
export const lacks =
  (...methods: string[]): Fault =>
  async (method, pass) =>
    methods.includes(method)
      ? refuse(-32601, `the method ${method} does not exist/is not available`)
      : pass()

export const chainId =
  (id: number): Fault =>
  async (method, pass) =>
    method === 'eth_chainId' ? { result: numberToHex(id) } : pass()

/** Sees no log. */
export const hidesLogs: Fault = async (method, pass) =>
  method === 'eth_getLogs' ? { result: [] } : pass()

/** Says the opposite about every authorization. */
export const deniesUse: Fault = async (method, pass) => {
  const answer = await pass()
  if (method === 'eth_call')
    answer.result = `0x${'0'.repeat(63)}${String(answer.result).endsWith('1') ? 0 : 1}`
  return answer
}

/** A node that has heard of no block after `head`. */
export const staleHead =
  (head: bigint): Fault =>
  async (method, pass, params = []) => {
    const at = numberToHex(head)
    if (method === 'eth_blockNumber') return { result: at }
    if (isAfter(params, head)) return refuse(-32000, 'header not found')
    const answer = await pass(
      params.map((param) => (param === 'latest' || param === 'pending' ? at : param)),
    )
    const { blockNumber } = (answer.result ?? {}) as { blockNumber?: string }
    const unheard = method === 'eth_getTransactionReceipt' && BigInt(blockNumber ?? 0) > head
    return unheard ? { result: null } : answer
  }

const isAfter = (params: unknown[], head: bigint) =>
  params.some(
    (param) =>
      typeof param === 'string' && /^0x[0-9a-f]{1,15}$/.test(param) && BigInt(param) > head,
  )
