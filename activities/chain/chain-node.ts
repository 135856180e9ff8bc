import { subscribe } from 'node:diagnostics_channel'
import { http, type Transport } from 'viem'
import { CHAIN_ID } from '#domain/core/limits.ts'
import {
  isRevert,
  isSilence,
  NodeFaultError,
  nodeErrorText,
  WrongChainError,
} from './chain-fault.ts'
import { LogLimit, readLogRanges } from './log-ranges.ts'

type Question = { readonly method: string; readonly params?: unknown }

/** Ordinary use asks for the chain's id again after this time: behind one address the node may be exchanged without an error. */
const CHECKED_FOR_MS = 2_000
/** A node that did not answer is asked after the others for this time. */
const LAST_FOR_MS = 5_000
/** A check counts only if no connection was opened meanwhile; a burst of connections does not hold it up for longer. */
const CHECKS_MAX = 4

/** How many connections this process has opened to the hosts of nodes. */
const connections = new Map<string, number>()
subscribe('undici:client:connected', (message) => {
  const { host } = (message as { connectParams: { host: string } }).connectParams
  const before = connections.get(host)
  if (before !== undefined) connections.set(host, before + 1)
})

/** What a process knows of one node from its answers so far. */
export type NodeFacts = {
  /** Scheme and host: a path may hold an access key. */
  readonly url: string
  readonly chainId: number | null
  /** The newest block that it named, in Unix seconds. */
  readonly head: { readonly number: bigint; readonly timestamp: bigint | null } | null
  /** Blocks in one eth_getLogs request. */
  readonly logRange: bigint
  readonly lastError: { readonly method: string; readonly text: string; readonly at: Date } | null
}

/** One RPC url. Nothing that it answers is passed on before it has proven to be a node of this chain. */
export class ChainNode {
  readonly url: string
  readonly opened: ReturnType<Transport>
  readonly #limit = new LogLimit()
  readonly #host: string
  #chainId: number | null = null
  #head: NodeFacts['head'] = null
  #lastError: NodeFacts['lastError'] = null
  #checkedAt = Number.NEGATIVE_INFINITY
  #checking: Promise<void> | undefined
  #checkedConnections = 0
  #lastUntil = Number.NEGATIVE_INFINITY

  constructor(url: string, timeoutMs: number) {
    const { origin, host } = new URL(url)
    this.url = origin
    this.#host = host
    connections.set(host, connections.get(host) ?? 0)
    this.opened = http(url, { timeout: timeoutMs, retryCount: 0 })({ retryCount: 0 })
  }

  /** Whether the other nodes come first. */
  get isLast(): boolean {
    return performance.now() < this.#lastUntil
  }

  facts(): NodeFacts {
    const { url } = this
    return {
      url,
      chainId: this.#chainId,
      head: this.#head,
      logRange: this.#limit.blocks,
      lastError: this.#lastError,
    }
  }

  /** Puts the node behind the others. */
  putLast(forMs = LAST_FOR_MS): void {
    this.#lastUntil = performance.now() + forMs
  }

  /** Asks the node, after it has named the right chain, and once more afterwards if a connection was opened meanwhile. */
  async ask(question: Question): Promise<unknown> {
    await this.#confirmChain(question.method === 'eth_chainId')
    if (question.method === 'eth_chainId') return `0x${CHAIN_ID.toString(16)}`
    const answer =
      question.method === 'eth_getLogs' ? await this.#askLogs(question) : await this.#send(question)
    await this.#confirmChain(false)
    return answer
  }

  async #askLogs({ method, params }: Question): Promise<unknown> {
    const [filter] = params as [{ fromBlock: string; toBlock: string }]
    await this.#confirmHeight(BigInt(filter.toBlock))
    return readLogRanges((part) => this.#send({ method, params: [part] }), this.#limit, filter)
  }

  /** Some nodes answer for blocks that they do not have as if these were empty. */
  async #confirmHeight(block: bigint): Promise<void> {
    if (this.#head === null || this.#head.number < block)
      await this.#send({ method: 'eth_blockNumber' })
    if (this.#head === null || this.#head.number < block) {
      const fault = new NodeFaultError(`the node is behind block ${block}`)
      this.#note('eth_getLogs', fault)
      throw fault
    }
  }

  async #confirmChain(again: boolean): Promise<void> {
    if (!again && this.#isTrusted()) return
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  #isTrusted(): boolean {
    return (
      performance.now() - this.#checkedAt < CHECKED_FOR_MS &&
      this.#opened() === this.#checkedConnections
    )
  }

  #opened(): number {
    return connections.get(this.#host) ?? 0
  }

  async #check(): Promise<void> {
    for (let checks = 1; checks <= CHECKS_MAX; checks++) {
      const [opened, begun] = [this.#opened(), performance.now()]
      this.#chainId = Number(await this.#send({ method: 'eth_chainId' }))
      if (this.#chainId !== CHAIN_ID) {
        const fault = new WrongChainError(this.#chainId, CHAIN_ID)
        this.#note('eth_chainId', fault)
        throw fault
      }
      this.#checkedAt = begun
      this.#checkedConnections = this.#opened()
      if (this.#checkedConnections === opened) return
    }
  }

  async #send({ method, params }: Question): Promise<unknown> {
    try {
      const answer = checkedAnswer(method, await this.opened.request({ method, params } as never))
      this.#noteHead(method, params, answer)
      return answer
    } catch (error) {
      // A revert is what the chain says, not a fault of the node.
      if (!isRevert(error)) this.#note(method, error)
      throw error
    }
  }

  #noteHead(method: string, params: unknown, answer: unknown): void {
    if (method === 'eth_blockNumber')
      this.#head = { number: BigInt(answer as string), timestamp: null }
    if (method !== 'eth_getBlockByNumber' || (params as unknown[])[0] !== 'latest') return
    const block = answer as { number: string; timestamp: string } | null
    if (block !== null)
      this.#head = { number: BigInt(block.number), timestamp: BigInt(block.timestamp) }
  }

  #note(method: string, error: unknown): void {
    this.#lastError = { method, text: nodeErrorText(error), at: new Date() }
    this.#checkedAt = Number.NEGATIVE_INFINITY
    if (isSilence(error)) this.putLast()
  }
}

const isHex = (value: unknown): boolean =>
  typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value)
const isQuantity = (value: unknown): boolean => isHex(value) && value !== '0x'
const hexIn = (value: unknown, names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => isHex((value as Record<string, unknown>)[name]))
const isLog = (value: unknown): boolean =>
  hexIn(value, ['address', 'data', 'blockNumber', 'blockHash', 'transactionHash', 'logIndex']) &&
  Array.isArray((value as { topics?: unknown }).topics) &&
  (value as { topics: unknown[] }).topics.every(isHex)
const areLogs = (value: unknown): boolean => Array.isArray(value) && value.every(isLog)
const isReceipt = (value: unknown): boolean =>
  value === null ||
  (hexIn(value, ['transactionHash', 'blockNumber', 'blockHash', 'status']) &&
    areLogs((value as { logs?: unknown }).logs))
const isBlock = (value: unknown): boolean =>
  value === null || hexIn(value, ['number', 'hash', 'timestamp'])

const shapes: Readonly<Record<string, (value: unknown) => boolean>> = {
  eth_blockNumber: isQuantity,
  eth_call: isHex,
  eth_chainId: isQuantity,
  eth_gasPrice: isQuantity,
  eth_getBalance: isQuantity,
  eth_getBlockByNumber: isBlock,
  eth_getCode: isHex,
  eth_getLogs: areLogs,
  eth_getTransactionCount: isQuantity,
  eth_getTransactionReceipt: isReceipt,
  eth_maxPriorityFeePerGas: isQuantity,
  eth_sendRawTransaction: isHex,
}

/** The answer, if it has the form that the method promises; throws otherwise. */
function checkedAnswer(method: string, answer: unknown): unknown {
  const fits = shapes[method] ?? ((value: unknown) => value !== undefined)
  if (!fits(answer)) throw new NodeFaultError(`the node answers ${method} in no known form`)
  return answer
}
