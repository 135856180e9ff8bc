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
import { NodeFaultError } from './chain-fault.ts'
import type { ChainReader, ChainView } from './client.ts'
import { readTokens } from './funds.ts'
import { LOG_RANGE } from './log-ranges.ts'
import { findReceipt } from './receipt.ts'
import { tokenEvents } from './token.ts'

/** Time in Unix seconds. */
export type LedgerBlock = { number: bigint; hash: string; time: number }

/** All transfers of the token, read from the logs; throws if the chain does not answer. */
export type Ledger = {
  block(at: bigint | 'latest' | 'finalized'): Promise<LedgerBlock>
  /** For how many blocks of logs the nodes answer in one request, as far as is known. */
  logRange(): bigint
  /** The last block before this time, undefined when the chain is younger; throws unless a later block is final. */
  lastBlockBefore(seconds: number): Promise<LedgerBlock | undefined>
  /** Transfers from or to the wallets in these blocks, both included; only outgoing transfers have a `nonce`. */
  transfers(
    wallets: readonly Address[],
    direction: 'out' | 'in',
    blocks: BlockRange,
  ): Promise<LoggedTransfer[]>
  transaction(hash: string): Promise<LoggedTransaction>
  /** The balance of a wallet at the end of a block; undefined where the nodes no longer keep the state of that block. */
  balanceAt(wallet: Address, block: bigint): Promise<bigint | undefined>
  /** The same, from the current balance minus later transfers where the state is not kept, so that no archive node is needed. */
  balanceAfter(wallet: Address, block: bigint): Promise<bigint>
  transactionCount(wallet: Address): Promise<bigint>
}
/** Two blocks and those between. */
type BlockRange = { readonly from: bigint; readonly to: bigint }

const [transferTopic, usedTopic] = ['Transfer', 'AuthorizationUsed'].map((name) =>
  toEventSelector(tokenEvents.find((event) => event.name === name) ?? tokenEvents[0]),
)

/** Opens the ledger of `asset` on one view of the chain. */
export function openLedger(
  { reader, logRange }: Pick<ChainView, 'reader' | 'logRange'>,
  asset: Address,
): Ledger {
  const block: Ledger['block'] = async (at) => {
    const found = await reader.getBlock(
      typeof at === 'bigint' ? { blockNumber: at } : { blockTag: at },
    )
    if (found.number === null || found.hash === null)
      throw new Error('the node gave a block without a number')
    return { number: found.number, hash: found.hash, time: Number(found.timestamp) }
  }
  const balanceAt: Ledger['balanceAt'] = (wallet, at) =>
    readTokens(reader, asset, wallet, at).catch(() => undefined)
  return {
    block,
    logRange,
    balanceAt,
    transfers: (wallets, direction, blocks) =>
      readLogs({ reader, asset }, { wallets, direction, blocks }),
    lastBlockBefore: (seconds) => lastBlockBefore(block, seconds),
    transaction: async (hash) => {
      const receipt = await findReceipt(reader, hash as Hex)
      if (receipt === undefined) return null
      const { hash: blockHash, time: blockTime } = await block(receipt.blockNumber)
      if (blockHash !== receipt.blockHash) return null
      const logs = receipt.logs.filter((log) => log.address.toLowerCase() === asset)
      return { blockHash, blockTime, transfers: pairUp(logs) }
    },
    balanceAfter: async (wallet, at) =>
      (await balanceAt(wallet, at)) ?? derivedBalance({ reader, asset, block }, wallet, at),
    transactionCount: async (address) => BigInt(await reader.getTransactionCount({ address })),
  }
}

type Token = { readonly reader: ChainReader; readonly asset: Address }
type Asked = {
  readonly wallets: readonly Address[]
  readonly direction: 'out' | 'in'
  readonly blocks: BlockRange
}

async function readLogs(
  { reader, asset }: Token,
  { wallets, direction, blocks }: Asked,
): Promise<LoggedTransfer[]> {
  const padded = wallets.map((wallet) => pad(wallet))
  const topics =
    direction === 'out' ? [[transferTopic, usedTopic], padded] : [transferTopic, null, padded]
  const found: LoggedTransfer[] = []
  for (let { from } = blocks; from <= blocks.to; from += LOG_RANGE) {
    const to = from + LOG_RANGE - 1n < blocks.to ? from + LOG_RANGE - 1n : blocks.to
    const filter = {
      address: asset,
      topics,
      fromBlock: numberToHex(from),
      toBlock: numberToHex(to),
    }
    const logs = await reader.request({ method: 'eth_getLogs', params: [filter as never] })
    found.push(...readTransfers(logs))
  }
  return found
}

async function derivedBalance(
  token: Token & Pick<Ledger, 'block'>,
  wallet: Address,
  at: bigint,
): Promise<bigint> {
  const head = await token.block('latest')
  if (head.number < at) throw new NodeFaultError(`the node is behind block ${at}`)
  const since = (direction: 'out' | 'in') =>
    readLogs(token, { wallets: [wallet], direction, blocks: { from: at + 1n, to: head.number } })
  const [held, gained, spent] = await Promise.all([
    readTokens(token.reader, token.asset, wallet, head.number),
    since('in'),
    since('out'),
  ])
  // If the head is replaced between the reads, they disagree.
  if ((await token.block(head.number)).hash !== head.hash)
    throw new Error('the head was reorganised while it was read')
  return held - sumOf(gained) + sumOf(spent)
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

/** Block times never fall, so the boundary is found by halving. The head of a node that is behind is no boundary. */
async function lastBlockBefore(
  block: Ledger['block'],
  seconds: number,
): Promise<LedgerBlock | undefined> {
  let last = await block(0n)
  if (last.time >= seconds) return undefined
  const final = await block('finalized')
  if (final.time < seconds) throw new NodeFaultError('no block of that time is final')
  let after = final.number
  while (after - last.number > 1n) {
    const middle = await block((last.number + after) / 2n)
    if (middle.time < seconds) last = middle
    else after = middle.number
  }
  return last
}
