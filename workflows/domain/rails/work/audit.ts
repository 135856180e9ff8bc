import type { Audit, AuditOutcome, PlannedCheck, Work } from '../rail.ts'

/** The audit of a rail whose checks need no rows one by one. */
export function auditOf<Input, Result>(
  checks: Readonly<Record<string, string>>,
  outcome: (input: Input, work: Work<Result>) => AuditOutcome,
): Audit<Result> {
  return {
    plan: () => planned(checks),
    open: (input) => ({
      take: () => undefined,
      close: (work) => outcome(input as Input, work),
    }),
  }
}

export const planned = (checks: Readonly<Record<string, string>>): PlannedCheck[] =>
  Object.entries(checks).map(([check, of]) => ({ check, of }))

/** What is wrong with the first item that has something wrong; null where none has. */
export function firstWrong<Item>(
  items: Iterable<Item>,
  wrong: (item: Item) => string | null,
): string | null {
  for (const item of items) {
    const found = wrong(item)
    if (found !== null) return found
  }
  return null
}

/** What is wrong where two values that should be one are not. */
export function differs(what: string, is: unknown, should: unknown): string | null {
  return is === should ? null : `${what} is ${String(is)}, not ${String(should)}`
}

/** The first fault of several. */
export const firstOfAll = (...faults: (string | null)[]): string | null =>
  faults.find((fault) => fault !== null) ?? null

/** `-12.5` with three places → `-12500n`; the text has at most so many places. */
export function exact(text: string, places: number): bigint {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text) ?? []
  const value = BigInt(whole + fraction.padEnd(places, '0').slice(0, places))
  return sign === '-' ? -value : value
}

export const sumOf = (values: Iterable<bigint>): bigint => {
  let sum = 0n
  for (const value of values) sum += value
  return sum
}
