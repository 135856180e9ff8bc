import type { PayoutConstraints } from '../run-record.ts'
import type { ChainFacts, TokenEvent } from './facts.ts'

/** Event topics and the selector of balanceOf, as wire-facts §4.1 and ERC-20 have them. */
const topics = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  used: '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5',
  canceled: '0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81',
} as const
const BALANCE_OF = '0x70a08231'
const MOST_IN_A_BATCH = 200

type Rpc = <T>(method: string, paramsOfEach: unknown[][]) => Promise<T[]>
type Block = { number: string; hash: string; timestamp: string }
type Log = {
  topics: string[]
  data: string
  blockNumber: string
  blockHash: string
  transactionHash: string
  logIndex: string
}

/** Reads the chain by raw JSON-RPC: the token's logs, what the recipients hold, where the gas wallets are. */
export async function readChain(
  { rpcUrl, asset, since }: Pick<PayoutConstraints, 'rpcUrl' | 'asset' | 'since'>,
  { recipients, gasWallets }: { recipients: string[]; gasWallets: string[] },
): Promise<ChainFacts> {
  const rpc = openRpc(rpcUrl)
  const [head, finalized] = (await rpc<Block>('eth_getBlockByNumber', [
    ['latest', false],
    ['finalized', false],
  ])) as [Block, Block]
  const range = { address: asset, fromBlock: hex(since.block), toBlock: head.number }
  const [logs = []] = await rpc<Log[]>('eth_getLogs', [
    [{ ...range, topics: [Object.values(topics)] }],
  ])
  const numbers = [...new Set(logs.map((log) => log.blockNumber))]
  const blocks = await rpc<Block>(
    'eth_getBlockByNumber',
    numbers.map((number) => [number, false]),
  )
  const times = new Map(blocks.map((block) => [block.hash, Number(block.timestamp)]))
  const events = logs.flatMap((log) => readEvent(log, times.get(log.blockHash)))
  const call = (holder: string) => ({
    to: asset,
    data: `${BALANCE_OF}${holder.slice(2).padStart(64, '0')}`,
  })
  const held = await rpc<string>(
    'eth_call',
    recipients.map((holder) => [call(holder), head.number]),
  )
  const counts = await rpc<string>(
    'eth_getTransactionCount',
    gasWallets.flatMap((wallet) => ['latest', 'pending'].map((tag) => [wallet, tag])),
  )
  return {
    head: at(head),
    finalized: at(finalized),
    events,
    balances: new Map(recipients.map((holder, index) => [holder, BigInt(held[index] ?? '0x0')])),
    nonces: new Map(
      gasWallets.map((wallet, index) => [
        wallet,
        { mined: Number(counts[2 * index]), pooled: Number(counts[2 * index + 1]) },
      ]),
    ),
  }
}

const at = ({ number, timestamp }: Block) => ({
  number: Number(number),
  timestamp: Number(timestamp),
})
const hex = (decimal: string) => `0x${BigInt(decimal).toString(16)}`
const address = (word = '') => `0x${word.slice(-40)}`

/** Nothing where the block is not the canonical one of its height. */
function readEvent(
  { topics: [topic, first, second], data, ...log }: Log,
  blockTime: number | undefined,
): TokenEvent[] {
  if (blockTime === undefined) return []
  const { blockHash, transactionHash } = log
  const place = { blockNumber: Number(log.blockNumber), blockHash, blockTime, transactionHash }
  const where = { ...place, logIndex: Number(log.logIndex) }
  if (topic === topics.transfer)
    return [
      {
        ...where,
        kind: 'transfer',
        from: address(first),
        to: address(second),
        value: BigInt(data),
      },
    ]
  const kind = topic === topics.used ? 'used' : 'canceled'
  return [{ ...where, kind, authorizer: address(first), nonce: second ?? '' }]
}

function openRpc(url: string): Rpc {
  const send = async <T>(method: string, some: unknown[][]): Promise<T[]> => {
    const body = JSON.stringify(some.map((params, id) => ({ jsonrpc: '2.0', id, method, params })))
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    })
    const answers = (await response.json()) as {
      id: number
      result?: T
      error?: { message: string }
    }[]
    return answers
      .sort((a, b) => a.id - b.id)
      .map(({ result, error }) => {
        if (error !== undefined || result == null)
          throw new Error(`${method}: ${error?.message ?? 'no result'}`)
        return result
      })
  }
  return async <T>(method: string, paramsOfEach: unknown[][]) => {
    const answers: T[] = []
    for (let from = 0; from < paramsOfEach.length; from += MOST_IN_A_BATCH)
      answers.push(...(await send<T>(method, paramsOfEach.slice(from, from + MOST_IN_A_BATCH))))
    return answers
  }
}
