import type { z } from 'zod'
import { DomainError } from '#domain/core/errors.ts'
import {
  assertInTime,
  assertKeyStands,
  decodeMandate,
  type ReadOpen,
  readOpenMandate,
  splitChain,
  verifyHolder,
} from './ap2-chain.ts'
import type { AnchorWithTimes } from './key-status.ts'

export type Check = { readonly check: string; readonly ok: boolean; readonly detail: string }
type Timed = { iat?: number | undefined; exp?: number | undefined }
type Opened = Timed & { cnf: { jwk: object } }
type Shapes<Open, Closed> = { open: z.ZodType<Open>; closed: z.ZodType<Closed> }

/** What an open mandate or a chain says and which of its checks hold. Terms are there also where a check fails. */
export type InspectedChain<Open, Closed> = {
  readonly checks: Check[]
  readonly open: Open | undefined
  readonly closed: Closed | undefined
  /** Only with a genuine signature. */
  readonly read: ReadOpen<Open> | undefined
  /** What the closed mandate names; undefined for an open mandate alone. */
  readonly nonce: string | undefined
}

export type InspectContext = {
  readonly anchors: readonly AnchorWithTimes[]
  readonly nowSeconds: number
  readonly audience: string
  /** Of the challenge, where it was given. */
  readonly nonce: string | undefined
}

/**
 * Judges `<open>~` or `<open>~~<closed>~` as AP2 v0.2 chains mandates, each check by itself. Nothing is thrown for a mandate that fails,
 * and no constraint or earlier use is looked at.
 */
export function inspectChain<Open extends Opened, Closed extends Timed>(
  presentation: string,
  shapes: Shapes<Open, Closed>,
  { anchors, nowSeconds, audience, nonce }: InspectContext,
): InspectedChain<Open, Closed> {
  const chain = presentation.includes('~~') ? tried(() => splitChain(presentation)) : undefined
  if (chain !== undefined && !chain.ok) return { checks: [failed('form', chain.error)], ...nothing }
  const parts = chain?.value
  const root = parts?.open ?? presentation
  const decoded = tried(() => decodeMandate(root, shapes.open))
  const read = tried(() => readOpenMandate(root, shapes.open, anchors))
  const checks = [
    checkOf('form', decoded, 'an open mandate of AP2 v0.2'),
    checkOf('signature', read, 'a trusted issuer signed exactly this'),
  ]
  const genuine = read.ok ? read.value : undefined
  if (genuine !== undefined)
    checks.push(
      checkOf(
        'key_standing',
        tried(() => assertKeyStands(genuine, nowSeconds)),
        `the key ${genuine.anchor.kid} was active when it signed`,
      ),
      checkOf(
        'time',
        tried(() => assertInTime(genuine, nowSeconds)),
        'now is in its time',
      ),
    )
  if (parts === undefined) return { ...nothing, checks, open: valueIn(decoded), read: genuine }
  const closed = tried(() => decodeMandate(parts.closed, shapes.closed))
  const open = valueIn(decoded)
  if (open !== undefined)
    checks.push(
      checkOf(
        'holder',
        tried(() => {
          const expected = { nowSeconds, audience, nonce: nonce ?? parts.nonce }
          return verifyHolder(presentation, open, shapes.closed, expected)
        }),
        'the agent of the open mandate closed it for this service, just now',
      ),
    )
  return {
    checks,
    open,
    closed: valueIn(closed),
    read: genuine,
    nonce: parts.nonce,
  }
}

const nothing = {
  open: undefined,
  closed: undefined,
  read: undefined,
  nonce: undefined,
}

type Tried<T> = { ok: true; value: T } | { ok: false; error: DomainError }

/** Runs a check that refuses with a `DomainError`. */
export function tried<T>(run: () => T): Tried<T> {
  try {
    return { ok: true, value: run() }
  } catch (error) {
    if (error instanceof DomainError) return { ok: false, error }
    throw error
  }
}

const valueIn = <T>(one: Tried<T>): T | undefined => (one.ok ? one.value : undefined)

const failed = (check: string, { refusal }: DomainError): Check => ({
  check,
  ok: false,
  detail: `${refusal.code}: ${refusal.detail}`,
})

/** The check with the code and detail of its refusal, or with what it proved. */
export const checkOf = (check: string, one: Tried<unknown>, proved: string): Check =>
  one.ok ? { check, ok: true, detail: proved } : failed(check, one.error)
