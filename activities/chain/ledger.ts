import {
  type Address,
  formatLog,
  type Hex,
  type Log,
  numberToHex,
  pad,
  parseEventLogs,
  type RpcLog,
  toEventSelector,
} from 'viem'
import type { LoggedTransaction, LoggedTransfer } from '#domain/reconciliation/findings.ts'
import type { ChainReader } from './client.ts'
import { LOG_RANGE } from './log-ranges.ts'
import { findReceipt } from './receipt.ts'
import { tokenAbi, tokenEvents } from './token.ts'

/** Time in Unix seconds. */
export type LedgerBlock = { number: bigint; hash: string; time: number }

/** All transfers of the token, read from the logs; throws if the chain does not answer. */
export type Ledger = {
  block(at: bigint | 'latest' | 'finalized'): Promise<LedgerBlock>
  /** The last block before this time, undefined when the chain is younger. */
  lastBlockBefore(seconds: number): Promise<LedgerBlock | undefined>
  /** Transfers from or to a wallet in these blocks, both included; only outgoing transfers have a `nonce`. */
  transfers(
    wallet: Address,
    direction: 'out' | 'in',
    fromBlock: bigint,
    toBlock: bigint,
  ): Promise<LoggedTransfer[]>
  transaction(hash: string): Promise<LoggedTransaction>
  /** The balance of a wallet at the end of a block: the current balance minus later transfers, so no archive node is needed. */
  balanceAfter(wallet: Address, block: bigint): Promise<bigint>
  transactionCount(wallet: Address): Promise<bigint>
}

const [transferTopic, usedTopic] = ['Transfer', 'AuthorizationUsed'].map((name) =>
  toEventSelector(tokenEvents.find((event) => event.name === name) ?? tokenEvents[0]),
)

/** Opens the ledger of `asset` on one reader. */
export function openLedger(reader: ChainReader, asset: Address): Ledger {
  const block: Ledger['block'] = async (at) => {
    const found = await reader.getBlock(
      typeof at === 'bigint' ? { blockNumber: at } : { blockTag: at },
    )
    if (found.number === null || found.hash === null)
      throw new Error('the node gave a block without a number')
    return { number: found.number, hash: found.hash, time: Number(found.timestamp) }
  }
  const transfers: Ledger['transfers'] = async (wallet, direction, fromBlock, toBlock) => {
    const topics =
      direction === 'out'
        ? [[transferTopic, usedTopic], pad(wallet)]
        : [transferTopic, null, pad(wallet)]
    const found: LoggedTransfer[] = []
    for (let from = fromBlock; from <= toBlock; from += LOG_RANGE) {
      const to = from + LOG_RANGE - 1n < toBlock ? from + LOG_RANGE - 1n : toBlock
      const filter = {
        address: asset,
        topics,
        fromBlock: numberToHex(from),
        toBlock: numberToHex(to),
      }
      found.push(
        ...readTransfers(
          await reader.request({ method: 'eth_getLogs', params: [filter as never] }),
        ),
      )
    }
    return found
  }
  const net = async (wallet: Address, fromBlock: bigint, toBlock: bigint): Promise<bigint> => {
    const moved = await Promise.all([
      transfers(wallet, 'in', fromBlock, toBlock),
      transfers(wallet, 'out', fromBlock, toBlock),
    ])
    const [gained, spent] = moved.map(sumOf)
    return (gained ?? 0n) - (spent ?? 0n)
  }
  return {
    block,
    transfers,
    lastBlockBefore: (seconds) => lastBlockBefore(block, seconds),
    transaction: async (hash) => {
      const receipt = await findReceipt(reader, hash as Hex)
      if (receipt?.status !== 'success') return null
      const { hash: blockHash, time: blockTime } = await block(receipt.blockNumber)
      if (blockHash !== receipt.blockHash) return null
      const logs = receipt.logs.filter((log) => log.address.toLowerCase() === asset)
      return { blockHash, blockTime, transfers: pairUp(logs) }
    },
    balanceAfter: async (wallet, at) => {
      const head = await block('latest')
      const args = [wallet] as const
      const call = {
        address: asset,
        abi: tokenAbi,
        functionName: 'balanceOf',
        args,
        blockNumber: head.number,
      } as const
      const [held, since] = await Promise.all([
        reader.readContract(call),
        net(wallet, at + 1n, head.number),
      ])
      // If the head is replaced between the two reads, they disagree.
      if ((await block(head.number)).hash !== head.hash)
        throw new Error('the head was reorganised while it was read')
      return held - since
    },
    transactionCount: async (address) => BigInt(await reader.getTransactionCount({ address })),
  }
}

/** The sum of transfers in atomic units. */
export const sumOf = (transfers: readonly Pick<LoggedTransfer, 'amountAtomic'>[]): bigint =>
  transfers.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n)

const readTransfers = (logs: RpcLog[]): LoggedTransfer[] =>
  pairUp(logs.map((log) => formatLog(log) as Log<bigint, number, false>))

/** The transfers among the logs, each with the nonce of the authorization used directly before it by the same wallet. */
export function pairUp(logs: Log<bigint, number, false>[]): LoggedTransfer[] {
  const events = parseEventLogs({ abi: tokenEvents, logs, strict: true })
  const nonces = new Map(
    events.flatMap((event) =>
      event.eventName === 'AuthorizationUsed'
        ? [
            [
              `${event.transactionHash}:${event.logIndex + 1}:${event.args.authorizer}`,
              event.args.nonce,
            ],
          ]
        : [],
    ),
  )
  return events.flatMap((event) => {
    if (event.eventName !== 'Transfer') return []
    const { transactionHash, logIndex, args } = event
    const transfer = {
      transactionHash,
      logIndex,
      blockNumber: event.blockNumber.toString(),
      blockHash: event.blockHash,
      from: args.from.toLowerCase(),
      to: args.to.toLowerCase(),
      amountAtomic: args.value.toString(),
      nonce: nonces.get(`${transactionHash}:${logIndex}:${args.from}`) ?? null,
    }
    return [transfer]
  })
}

/** Block times never fall, so the boundary is found by halving. */
async function lastBlockBefore(
  block: Ledger['block'],
  seconds: number,
): Promise<LedgerBlock | undefined> {
  let last = await block(0n)
  if (last.time >= seconds) return undefined
  const head = await block('latest')
  if (head.time < seconds) return head
  let after = head.number
  while (after - last.number > 1n) {
    const middle = await block((last.number + after) / 2n)
    if (middle.time < seconds) last = middle
    else after = middle.number
  }
  return last
}
