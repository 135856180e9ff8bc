import type { RailCases } from '../cases.ts'
import { maybe, pick, type Roll, times, upTo } from '../dice.ts'
import { money } from '../money.ts'

type Line = { recipient_id: string; amount_minor: number }

const names = ['Anna Lindqvist', 'Søn & Co', '王伟']
const ibans = ['DE89 3704 0044 0532 0130 00', 'NL91ABNA0417164300', 'GB29NWBK60161331926819']
const wallets = [
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xde709f2102306220921060314715629080e2fb77',
]
const creditTransfer = {
  debtor: { name: 'Größte Gesellschaft', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
  execution_date: '2026-07-15',
  created_at: '2026-07-13T09:00:00Z',
  remittance: 'Q2 & more',
}

export const cases: RailCases = {
  declared: [false, true, true, 'current', false, true, [199, 399, 699]],
  figures: ({ total_check, remainder_minor, batch, refused, ...paid }) => ({
    Pool: money(total_check.pool_minor, 'EUR'),
    Allocated: money(total_check.allocated_minor, 'EUR'),
    'Left in the pool': money(remainder_minor, 'EUR'),
    'Pool = allocated + left': total_check.balances ? 'yes' : 'no',
    Payments: batch.payments,
    'Rows refused': refused.length,
    'Balances carried': paid.carried.length,
    'Ready for review': batch.ready_for_review ? 'yes' : 'no',
    'Payout calls ready': paid.payout_calls.ready,
    'Bank transfers in the payment file': paid.credit_transfer.transactions,
    'Credits in the NACHA file': paid.ach === null ? 'none' : paid.ach.entries,
  }),
  planted: {
    pool_conserved: (result) => {
      result.remainder_minor += 1
    },
    limits_kept: (result) => {
      const capped = result.allocations.find((one: Line) => one.recipient_id === 'artist-bram')
      capped.amount_minor += 1
    },
    shares_in_proportion: (result) => {
      const [one, other] = ['artist-anna', 'label-north'].map((id) =>
        result.allocations.find((line: Line) => line.recipient_id === id),
      )
      one.amount_minor -= 1_000
      other.amount_minor += 1_000
    },
    recipients_once: (result) => {
      result.refused = []
    },
    balances_carried: (result) => {
      result.carried.push({ recipient_id: 'artist-anna', balance_minor: -1, citations: [] })
    },
    manifest_recomputed: (result) => {
      result.manifest_sha256 = 'f'.repeat(64)
    },
    payments_listed: (result) => {
      result.payments[0].iban = 'DE89370400440532013000'
    },
    calls_payable: (result) => {
      result.payments[0].payout_refused = null
    },
    transfers_add_up: (result) => {
      result.credit_transfer.control_sum_minor += 1
    },
    ach_adds_up: (result) => {
      result.payments[0].ach_refused = null
    },
  },
  input: distribution,
}

function distribution(roll: Roll): unknown {
  return {
    pool: { amount_minor: upTo(100_000, roll), currency: pick(['EUR', 'USD', 'USDC'], roll) },
    ...maybe(roll, { credit_transfer: creditTransfer }),
    ...maybe(roll, { rounding: pick(['largest_remainder', 'down'], roll) }),
    recipients: times(upTo(25, roll), (index) => ({
      id: `r${roll() < 0.1 ? upTo(25, roll) : index}`,
      ...(roll() < 0.7
        ? { weight: upTo(50, roll) / 4 }
        : { amount_minor: upTo(4_000, roll) - 400 }),
      ...maybe(roll, { cap_minor: upTo(9_000, roll) }),
      ...maybe(roll, { floor_minor: upTo(900, roll) }),
      ...maybe(roll, { destination_reference: `dest-${upTo(15, roll)}` }),
      ...maybe(roll, { wallet: pick(wallets, roll) }),
      ...maybe(roll, { name: pick(names, roll), iban: pick(ibans, roll) }),
    })),
  }
}
