import type { Caller, Context, Presented } from '../context.ts'

type Operator = Extract<Caller, { kind: 'operator' }>
type Token = Extract<Caller, { kind: 'status' }>

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

/** The status token behind this call, and whose it is; an operation of status tokens is never handled for another kind of caller. */
export function callingToken({ caller }: Context): Token {
  if (caller.kind !== 'status') throw new TypeError(`a status token is expected, the caller is ${caller.kind}`)
  return caller
}

/** The credential that a public operation examines; undefined where none was presented. */
export function presentedCredential({ caller }: Context): Presented | undefined {
  return caller.kind === 'public' ? caller.presented : undefined
}
