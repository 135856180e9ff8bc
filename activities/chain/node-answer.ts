import { NodeFaultError } from './chain-fault.ts'

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
export function checkedAnswer(method: string, answer: unknown): unknown {
  const fits = shapes[method] ?? ((value: unknown) => value !== undefined)
  if (!fits(answer)) throw new NodeFaultError(`the node answers ${method} in no known form`)
  return answer
}
