import type { Caller, Context } from '../context.ts'

type Operator = Extract<Caller, { kind: 'operator' }>

/** The wallet that proved this call; a wallet operation is never handled for another kind of caller. */
export function callingWallet({ caller }: Context): `0x${string}` {
  if (caller.kind !== 'wallet') throw new TypeError(`a wallet is expected, the caller is ${caller.kind}`)
  return caller.wallet
}

/** The operator behind this call; an operator operation is never handled for another kind of caller. */
export function callingOperator({ caller }: Context): Operator {
  if (caller.kind !== 'operator') throw new TypeError(`an operator is expected, the caller is ${caller.kind}`)
  return caller
}
