import { encodeAbiParameters, type Hex, keccak256, numberToHex, pad, toEventSelector } from 'viem'
import { tokenEvents } from '../../../activities/chain/token.ts'
import type { LocalChainClient } from '../../../worker/stack/token.ts'
import type { Meddle, RpcAnswer } from '../../support/rpc-proxy.ts'
import type { ChainActs } from './chain-acts.ts'
import type { RunFault } from './schedule.ts'
import { decodeTransfer } from './transfer-bytes.ts'

/** What a fault of a run works with; `strikes` is called when it has really happened. */
export type RunWorld = { chain: LocalChainClient; commands: ChainActs; strikes: () => void }
type Pass = Parameters<Meddle>[1]
type Question = { method: string; params: unknown[]; pass: Pass }
/** What the wire does with the questions about one run's transfer or payment. */
export type RunWire = (question: Question) => ReturnType<Meddle>

/** How long a node keeps lying. */
const LIES_MS = 1_500
/** Blocks are this far behind the clock. */
const BLOCK_S = 2
const USED = `0x${'0'.repeat(63)}1`
const UNUSED = `0x${'0'.repeat(64)}`

/** The wire of one run under its fault; a new one for each run, since most strike only once or twice. */
export function runWire(fault: RunFault, world: RunWorld): RunWire {
  const { commands, strikes } = world
  switch (fault) {
    case 'rpc times out after accepting':
    case 'facilitator times out after settling':
      return onSends(1, strikes, async ({ pass }) => {
        await pass()
        return 'silence'
      })
    case 'rpc answers 500':
      return onSends(2, strikes, async ({ pass }) => {
        await pass()
        return 'http 500'
      })
    case 'rpc cuts the connection':
      return onSends(2, strikes, async () => 'cut')
    case 'rpc drops the transaction':
      return onSends(2, strikes, async ({ params }) => ({ result: hashOf(params) }))
    case 'rpc says already known':
      return onSends(2, strikes, refusing('already known'))
    case 'rpc says nonce too low':
      return onSends(1, strikes, refusing('nonce too low'))
    case 'rpc says replacement underpriced':
      return onSends(1, strikes, refusing('replacement transaction underpriced'))
    case 'rpc hides the receipt':
      return hides(strikes, false)
    case 'rpc denies the use':
      return hides(strikes, true)
    case 'rpc forges the receipt':
      return forges(world)
    case 'transaction replaced':
      return beforeFirstSend(strikes, commands.replace)
    case 'authorization front-run':
      return beforeFirstSend(strikes, commands.frontRun)
    case 'authorization front-run in a batch':
      return beforeFirstSend(strikes, commands.frontRunInBatch)
    case 'nonce spent on nothing':
      return beforeFirstSend(strikes, commands.spendOnNothing)
    case 'authorization cancelled':
      return cancels(world)
    case 'expiry while pending':
      return expires(strikes)
  }
}

const rawOf = (params: unknown[]): Hex => params[0] as Hex
const hashOf = (params: unknown[]): Hex => keccak256(rawOf(params))
const isSend = ({ method }: Question) => method === 'eth_sendRawTransaction'
const isUseQuestion = ({ method, params }: Question) =>
  method === 'eth_call' && (params[0] as { data?: string }).data?.startsWith('0xe94a0102') === true

/** The first so many broadcasts are struck, everything else passes. */
function onSends(times: number, strikes: () => void, strike: RunWire): RunWire {
  let struck = 0
  return async (question) => {
    if (!isSend(question) || struck >= times) return question.pass()
    if (struck === 0) strikes()
    struck += 1
    return strike(question)
  }
}

/** A refusal of bytes that were never looked at. */
const refusing =
  (message: string): RunWire =>
  async () => ({ error: { code: -32_000, message } })

/** `act` is done before the first broadcast reaches the chain; while it fails, a broadcast is cut, and the next one tries again. */
function beforeFirstSend(strikes: () => void, act: (raw: Hex) => Promise<void>): RunWire {
  let acting: Promise<boolean> | undefined
  let tries = 3
  const acts = (raw: Hex) =>
    act(raw).then(
      () => {
        strikes()
        return true
      },
      () => false,
    )
  return async (question) => {
    if (!isSend(question)) return question.pass()
    acting ??= acts(rawOf(question.params))
    if ((await acting) || tries === 0) return question.pass()
    tries -= 1
    acting = undefined
    return 'cut'
  }
}

/** Asked about it after a broadcast, the node knows no receipt and no log for a while, and when it denies it says that the nonce is unused. */
function hides(strikes: () => void, denies: boolean): RunWire {
  let sent = false
  let until: number | undefined
  const lieTo = ({ method }: Question): RpcAnswer | undefined => {
    if (method === 'eth_getLogs') return { result: [] }
    return method === 'eth_getTransactionReceipt' ? { result: null } : undefined
  }
  return async (question) => {
    sent ||= isSend(question)
    const lie = denies && isUseQuestion(question) ? { result: UNUSED } : lieTo(question)
    if (!sent || lie === undefined || Date.now() > (until ?? Number.POSITIVE_INFINITY))
      return question.pass()
    if (until === undefined) strikes()
    until ??= Date.now() + LIES_MS
    return lie
  }
}

/** The first broadcast is swallowed, and for a while the node shows logs of a transfer that never was. */
function forges({ chain, strikes }: RunWorld): RunWire {
  let forged: Promise<{ logs: object[]; receipt: object }> | undefined
  let until = 0
  return async (question) => {
    if (isSend(question) && forged === undefined) {
      until = Date.now() + LIES_MS
      forged = forge(chain, rawOf(question.params))
      strikes()
    }
    if (forged === undefined || Date.now() > until) return question.pass()
    const { logs, receipt } = await forged
    if (isSend(question)) return { result: hashOf(question.params) }
    if (isUseQuestion(question)) return { result: USED }
    if (question.method === 'eth_getLogs') return { result: logs.slice(0, 1) }
    return question.method === 'eth_getTransactionReceipt' ? { result: receipt } : question.pass()
  }
}

async function forge(
  chain: LocalChainClient,
  raw: Hex,
): Promise<{ logs: object[]; receipt: object }> {
  const { asset, authorization } = decodeTransfer(raw)
  const { from, to, value, nonce } = authorization
  const { hash: blockHash, number } = await chain.getBlock()
  const blockNumber = numberToHex(number)
  const place = {
    blockHash,
    blockNumber,
    transactionHash: keccak256(raw),
    transactionIndex: '0x0',
    removed: false,
  }
  const topic = (name: string) =>
    tokenEvents.filter((event) => event.name === name).map((event) => toEventSelector(event))
  const log = (logIndex: number, topics: Hex[], data: Hex) => ({
    ...place,
    address: asset,
    logIndex: numberToHex(logIndex),
    topics,
    data,
  })
  const logs = [
    log(0, [...topic('AuthorizationUsed'), pad(from), nonce], '0x'),
    log(
      1,
      [...topic('Transfer'), pad(from), pad(to)],
      encodeAbiParameters([{ type: 'uint256' }], [value]),
    ),
  ]
  const receipt = {
    ...place,
    status: '0x1',
    logs,
    logsBloom: `0x${'0'.repeat(512)}`,
    type: '0x2',
    from,
    to: asset,
    contractAddress: null,
    cumulativeGasUsed: '0x15f90',
    gasUsed: '0x15f90',
    effectiveGasPrice: '0x1',
  }
  return { logs, receipt }
}

/** Every broadcast is swallowed until the authorization has expired; then one comes too late, and the gas wallet continues. */
function expires(strikes: () => void): RunWire {
  let swallowed = 0
  return async (question) => {
    if (!isSend(question)) return question.pass()
    const { validBefore } = decodeTransfer(rawOf(question.params)).authorization
    if (Date.now() / 1000 > Number(validBefore) + BLOCK_S) return question.pass()
    if (swallowed === 0) strikes()
    swallowed += 1
    return { result: hashOf(question.params) }
  }
}

/** The treasury cancels before the first broadcast; until that is final no broadcast gets through, so a reorg cannot undo it. */
function cancels({ commands, strikes }: RunWorld): RunWire {
  let state: 'armed' | 'cancelling' | 'final' = 'armed'
  return async (question) => {
    if (!isSend(question) || state === 'final') return question.pass()
    if (state === 'armed') {
      state = 'cancelling'
      void commands.cancel(decodeTransfer(rawOf(question.params)).authorization.nonce).then(() => {
        state = 'final'
        strikes()
      })
    }
    return { result: hashOf(question.params) }
  }
}
