import { digestOf } from '../../core/canonical-json.ts'
import { toMicro } from '../amounts.ts'
import { differs, firstOfAll, firstWrong, planned } from '../audit.ts'
import type { Audit } from '../rail.ts'
import type { Head, Recipient, Result } from './schema.ts'

const checks = {
  pool_conserved: 'allocations and remainder, against the pool',
  limits_kept: 'each allocation, against the cap, the floor and the fixed amount of its recipient',
  shares_in_proportion:
    'the shares by weight, against one common level that floors lie above and caps below, to one unit',
  recipients_once: 'each id of the input, against one allocation or one refusal',
  manifest_again: 'the digest of the manifest, against the allocations',
}

/** Holds a division against the conditions that only the right one meets, instead of dividing again. */
export const distributionopsAudit: Audit<Result> = {
  plan: () => planned(checks),
  open(input) {
    const head = input as Head
    const recipients = new Map<string, Recipient>()
    return {
      take(_list, row) {
        const recipient = row as Recipient
        if (!recipients.has(recipient.id)) recipients.set(recipient.id, recipient)
      },
      close: ({ result }) => ({
        pool_conserved: poolFault(head, result),
        limits_kept: firstWrong(result.allocations, (one) =>
          limitFault(recipients.get(one.recipient_id), BigInt(one.amount_minor)),
        ),
        shares_in_proportion: levelFault(recipients, result),
        recipients_once: onceFault(recipients, result),
        manifest_again: differs('the digest', result.manifest_sha256, manifestOf(head, result)),
      }),
    }
  },
}

function poolFault({ pool }: Head, { allocations, remainder_minor, total_check }: Result) {
  const given = allocations.reduce((sum, { amount_minor }) => sum + BigInt(amount_minor), 0n)
  return firstOfAll(
    differs('what is given and left', given + BigInt(remainder_minor), BigInt(pool.amount_minor)),
    differs('the stated sum', BigInt(total_check.allocated_minor), given),
    remainder_minor >= 0 ? null : `${remainder_minor} are left`,
  )
}

function limitFault(recipient: Recipient | undefined, amount: bigint): string | null {
  if (recipient === undefined) return 'an allocation is to an id that is not in the input'
  const { id, amount_minor: fixed, floor_minor: floor = 0, cap_minor: cap } = recipient
  if (amount < BigInt(floor)) return `${id} has less than its floor`
  if (cap !== undefined && amount > BigInt(cap)) return `${id} has more than its cap`
  if (fixed === undefined) return null
  const wanted = Math.max(Math.min(fixed, cap ?? fixed), floor)
  return differs(`the fixed amount of ${id}`, amount, BigInt(wanted))
}

type Share = { id: string; weight: bigint; amount: bigint; recipient: Recipient }
/** An amount for each unit of weight, as a fraction. */
type Level = { amount: bigint; weight: bigint }
const isAbove = (one: Level, other: Level) => one.amount * other.weight > other.amount * one.weight

/** Every share that no limit holds is within a unit of one level; a capped one would be higher there, a floored one lower. */
function levelFault(recipients: ReadonlyMap<string, Recipient>, { allocations }: Result) {
  const shares = allocations.flatMap(({ recipient_id: id, amount_minor }): Share[] => {
    const recipient = recipients.get(id)
    if (recipient?.weight === undefined) return []
    return [{ id, weight: toMicro(recipient.weight), amount: BigInt(amount_minor), recipient }]
  })
  let [lowest, highest]: [Level, Level | undefined] = [{ amount: 0n, weight: 1n }, undefined]
  for (const { weight, amount, recipient } of shares) {
    const { cap_minor: cap, floor_minor: floor = 0 } = recipient
    const isCapped = cap !== undefined && amount === BigInt(cap)
    const isFloored = amount === BigInt(floor)
    const low = { amount: amount - 1n, weight }
    const high = { amount: amount + 1n, weight }
    if (!isFloored && isAbove(low, lowest)) lowest = low
    if (!isCapped && (highest === undefined || isAbove(highest, high))) highest = high
  }
  if (highest === undefined || !isAbove(lowest, highest)) return null
  return 'no common level gives these shares by weight'
}

function onceFault(recipients: ReadonlyMap<string, Recipient>, result: Result): string | null {
  const { allocations, refused, batch } = result
  const named = [...allocations, ...refused].map(({ recipient_id }) => recipient_id)
  if (new Set(named).size !== named.length) return 'an id is there twice'
  const isEmpty = batch.blockers.includes('pool_too_small')
  if (isEmpty) return differs('the number of allocations', allocations.length, 0)
  return differs('the number of ids', named.length, recipients.size)
}

function manifestOf({ pool, rounding = 'largest_remainder' }: Head, { allocations }: Result) {
  const payments = allocations
    .filter(({ amount_minor }) => amount_minor > 0)
    .map(({ recipient_id, amount_minor, destination_reference }) => {
      return { recipient_id, amount_minor, destination_reference }
    })
  return digestOf({ pool, rounding, payments })
}
