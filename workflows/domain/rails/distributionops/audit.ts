import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { z } from 'zod'
import { digestOf } from '../../core/canonical-json.ts'
import { limits } from '../../core/limits.ts'
import type { Audit } from '../rail.ts'
import { minorPlaces } from '../values/exchange.ts'
import { differs, firstOfAll, firstWrong, planned } from '../work/audit.ts'
import type { Head, Result, Recipient as Row } from './schema.ts'

const checks = {
  pool_conserved: 'allocations and remainder, against the pool',
  limits_kept: 'each allocation, against the cap, the floor and the fixed amount of its recipient',
  shares_in_proportion:
    'the shares by weight, against one common level that floors lie above and caps below, to one unit',
  recipients_once: 'each id of the input, against one allocation, refusal or carried balance',
  balances_carried: 'each balance below zero, against the amount of its row',
  manifest_recomputed: 'the digest of the manifest, against the allocations',
  payments_listed: 'each payment, against an allocation and the destinations of its recipient',
  calls_payable: 'the payout calls, against currency, cap and the checksum of each address',
  transfers_add_up: 'number and sum of the bank transfers, against accounts and amounts',
  ach_adds_up: 'number, sum and hash of the NACHA entries, against accounts and amounts',
}

/** Holds a division against the conditions that only the right one meets, instead of dividing again. */
export const distributionopsAudit: Audit<Result> = {
  plan: () => planned(checks),
  open(input) {
    const head = input as Head
    const recipients = new Map<string, Recipient>()
    return {
      take(_list, row) {
        const recipient = withMinor(row as Recipient, head.pool.currency)
        if (!recipients.has(recipient.id)) recipients.set(recipient.id, recipient)
      },
      close: ({ result }) => ({
        pool_conserved: poolFault(head, result),
        limits_kept: firstWrong(result.allocations, (one) =>
          limitFault(recipients.get(one.recipient_id), BigInt(one.amount_minor)),
        ),
        shares_in_proportion: levelFault(recipients, result),
        recipients_once: onceFault(recipients, result),
        balances_carried: carriedFault(recipients, result),
        manifest_recomputed: differs(
          'the digest',
          result.manifest_sha256,
          manifestOf(head, recipients, result),
        ),
        payments_listed: listedFault(recipients, result),
        calls_payable: callsFault(result),
        transfers_add_up: transfersFault(result),
        ach_adds_up: achFault(result),
      }),
    }
  },
}

type Recipient = z.infer<typeof Row>

/** The amounts of a row in minor units, as the audit works them out; one that is no whole number of them stays out. */
function withMinor(row: Recipient, currency: string): Recipient {
  const places = minorPlaces(currency)
  const minorOf = (value: number | string | undefined): { minor: number | undefined } => {
    const shifted = value === undefined ? undefined : digitsOf(value, places)
    return { minor: shifted === undefined ? undefined : Number(shifted) }
  }
  const { amount, cap, floor, amount_minor, cap_minor, floor_minor, ...rest } = row
  return {
    ...rest,
    amount_minor: amount_minor ?? minorOf(amount).minor,
    cap_minor: cap_minor ?? minorOf(cap).minor,
    floor_minor: floor_minor ?? minorOf(floor).minor,
  }
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
  if (fixed < 0) return `${id} has a balance below zero and an allocation`
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
    const written = recipient?.share_percent ?? recipient?.weight
    if (recipient === undefined || written === undefined) return []
    return [{ id, weight: digitsOf(written), amount: BigInt(amount_minor), recipient }]
  })
  if (shares.some(isOfPercent) && !isWhole(shares))
    return 'the percentages are not those of a whole'
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

const DIGITS = 18

/** A decimal as a whole number of these places, its point moved as on paper; 0 for one that has more of them, and for other texts. */
function digitsOf(written: number | string, places = DIGITS): bigint {
  const text = String(written).replace(/[\s%]/g, '').replace(',', '.').toLowerCase()
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) return 0n
  const [digits = '', power = '0'] = text.split('e')
  const [before = '', after = ''] = digits.split('.')
  const moved = Number(power) + places
  const kept = after.replace(/0+$/, '')
  if (moved < kept.length) return 0n
  return BigInt(before + kept + '0'.repeat(moved - kept.length))
}

const isOfPercent = ({ recipient: { share_percent, weight } }: Share): boolean =>
  share_percent !== undefined || String(weight).endsWith('%')

/** Within one in a hundred at most; how much less depends on their decimal places. */
function isWhole(shares: readonly Share[]): boolean {
  const sum = shares.reduce((total, { weight }) => total + weight, 0n)
  const one = 10n ** BigInt(DIGITS)
  return shares.every(isOfPercent) && sum >= 99n * one && sum <= 101n * one
}

function carriedFault(recipients: Recipients, { carried, refused }: Result): string | null {
  const refusedIds = new Set(refused.map(({ recipient_id }) => recipient_id))
  const below = [...recipients.values()].filter(
    ({ id, amount_minor = 0 }) => amount_minor < 0 && !refusedIds.has(id),
  )
  return firstOfAll(
    differs('the number of carried balances', carried.length, below.length),
    firstWrong(carried, ({ recipient_id: id, balance_minor }) =>
      differs(`the balance of ${id}`, balance_minor, recipients.get(id)?.amount_minor),
    ),
  )
}

function onceFault(recipients: ReadonlyMap<string, Recipient>, result: Result): string | null {
  const { allocations, refused, carried, batch } = result
  const named = [...allocations, ...refused, ...carried].map(({ recipient_id }) => recipient_id)
  if (new Set(named).size !== named.length) return 'an id is there twice'
  const isEmpty = ['pool_too_small', 'percentages_off'].some((one) => batch.blockers.includes(one))
  if (isEmpty) return differs('the number of allocations', allocations.length, 0)
  return differs('the number of ids', named.length, recipients.size)
}

type Recipients = ReadonlyMap<string, Recipient>

function manifestOf(
  { pool, rounding = 'largest_remainder' }: Head,
  recipients: Recipients,
  { allocations }: Result,
) {
  const payments = allocations
    .filter(({ amount_minor }) => amount_minor > 0)
    .map(({ recipient_id, amount_minor, destination_reference }) => {
      const row = recipients.get(recipient_id)
      const { wallet = null, routing_number = null, account_number = null } = row ?? {}
      const iban = row?.iban?.replace(/ /g, '').toUpperCase() ?? null
      const banks = { iban, routing_number, account_number }
      return { recipient_id, amount_minor, destination_reference, wallet, ...banks }
    })
  return digestOf({ pool, rounding, payments })
}

function listedFault(recipients: Recipients, { allocations, payments }: Result): string | null {
  const given = new Map(allocations.map((one) => [one.recipient_id, one.amount_minor]))
  const above = allocations.filter(({ amount_minor }) => amount_minor > 0).length
  return firstOfAll(
    differs('the number of payments', payments.length, above),
    firstWrong(payments, ({ recipient_id: id, amount_minor, wallet, iban, ...to }) => {
      const row = recipients.get(id)
      const isItsOwn =
        row?.wallet === wallet &&
        row?.iban?.replace(/ /g, '').toUpperCase() === iban &&
        row?.routing_number === to.routing_number &&
        row?.account_number === to.account_number
      if (!isItsOwn) return `${id} has another destination`
      return differs(`the amount of ${id}`, amount_minor, given.get(id))
    }),
  )
}

const CAP_MINOR = Number(limits.maxPayoutAtomic)
/** Refusals that do not follow from the payment itself. */
const ofTheBatch = ['rows_differ', 'file_full']

function callsFault({ currency, payments, payout_calls: calls }: Result): string | null {
  const ready = payments.filter(({ payout_refused }) => payout_refused === null)
  const sum = ready.reduce((total, { amount_minor }) => total + BigInt(amount_minor), 0n)
  return firstOfAll(
    differs('the number of calls', calls.ready, ready.length),
    differs('the number of refusals', calls.refused, payments.length - ready.length),
    differs('the sum of the calls', BigInt(calls.amount_minor), sum),
    firstWrong(payments, ({ recipient_id: id, wallet = '', amount_minor, payout_refused }) => {
      if (payout_refused !== null && ofTheBatch.includes(payout_refused)) return null
      const isPayable = currency === 'USDC' && amount_minor <= CAP_MINOR && isAddress(wallet)
      return differs(`whether ${id} is asked for`, payout_refused === null, isPayable)
    }),
  )
}

/** EIP-55 by its definition: a letter is a capital where the digit of the hash at its place is 8 or more. */
function isAddress(wallet: string): boolean {
  if (!/^0x[0-9a-fA-F]{40}$/.test(wallet) || /^0x0+$/.test(wallet)) return false
  const letters = wallet.slice(2)
  const hash = bytesToHex(keccak_256(utf8ToBytes(letters.toLowerCase())))
  const isMixed = /[a-f]/.test(letters) && /[A-F]/.test(letters)
  return (
    !isMixed ||
    [...letters].every((letter, at) => {
      const capital = Number.parseInt(hash[at] ?? '0', 16) >= 8
      return letter === (capital ? letter.toUpperCase() : letter.toLowerCase())
    })
  )
}

function transfersFault({ payments, credit_transfer }: Result): string | null {
  const listed = payments.filter(({ transfer_refused }) => transfer_refused === null)
  if (credit_transfer === null) return differs('the number of transfers', listed.length, 0)
  const { transactions, control_sum_minor, refused } = credit_transfer
  const sum = listed.reduce((total, { amount_minor }) => total + BigInt(amount_minor), 0n)
  return firstOfAll(
    differs('the number of transfers', transactions, listed.length),
    differs('the number of refusals', refused, payments.length - listed.length),
    differs('the control sum', BigInt(control_sum_minor), sum),
    firstWrong(listed, ({ recipient_id: id, iban = '', name }) =>
      name !== undefined && isAccount(iban) ? null : `${id} has no account that can be credited`,
    ),
  )
}

function achFault({ payments, ach, currency }: Result): string | null {
  const listed = payments.filter(({ ach_refused }) => ach_refused === null)
  if (ach === null) return differs('the number of entries', listed.length, 0)
  const sum = listed.reduce((total, { amount_minor }) => total + BigInt(amount_minor), 0n)
  const hash = listed.reduce((total, one) => total + BigInt(one.routing_number ?? 0) / 10n, 0n)
  return firstOfAll(
    differs('the number of entries', ach.entries, listed.length),
    differs('the number of refusals', ach.refused, payments.length - listed.length),
    differs('the total of the credits', BigInt(ach.credit_total_minor), sum),
    differs('the hash', BigInt(ach.entry_hash), hash % 10n ** 10n),
    firstWrong(listed, ({ recipient_id: id, name, account_number, account_type, ...to }) => {
      const isWhole = ![name, account_number, account_type].includes(undefined)
      const isPayable = isWhole && currency === 'USD' && isRouting(to.routing_number ?? '')
      return isPayable ? null : `${id} has no account that ACH credits`
    }),
  )
}

/** ABA: 3 times the first, fourth and seventh digit, 7 times the next ones, and the others leave no rest of ten. */
function isRouting(routing: string): boolean {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0] = [...routing].map(Number)
  const isForm = /^\d{9}$/.test(routing)
  return isForm && (3 * (a + d + g) + 7 * (b + e + h) + (c + f + i)) % 10 === 0
}

/** ISO 13616: the number that the IBAN spells leaves 1 when it is divided by 97. */
function isAccount(iban: string): boolean {
  const turned = iban.slice(4) + iban.slice(0, 4)
  const digits = turned.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return /^\d{10,}$/.test(digits) && BigInt(digits) % 97n === 1n
}
