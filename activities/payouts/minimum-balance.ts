import type { Logger } from 'pino'
import type { Address } from 'viem'
import { refuse } from '#domain/core/errors.ts'
import { formatUsdc } from '#domain/core/money.ts'
import type { Chain } from '../chain/client.ts'
import { readTokens } from '../chain/funds.ts'
import type { PayoutRow } from '../store/payouts/payouts.ts'
import { outstanding } from '../store/payouts/transfers.ts'
import type { Tx } from '../store/postgres/db.ts'

/** The atomic units of the payout wallet at this block. */
type Holding = { readonly atomic: bigint; readonly block: bigint }

/** The minimum balance that the payout wallet keeps after every reservation; 0 switches it off, and the chain is not read. */
export type MinimumBalance = {
  readonly isSet: boolean
  /** Reads the wallet before the reserving transaction; undefined without a minimum. Throws 503 `unavailable` without a chain. */
  read(): Promise<Holding | undefined>
  /** Refuses with 503 `paused` and logs a warning if this payout would break the minimum; exact under `lockDailyCap`. */
  assertAbove(
    tx: Tx,
    row: Pick<PayoutRow, 'amount_atomic' | 'payout_wallet'>,
    seen: Holding | undefined,
  ): Promise<void>
  /** Atomic units that may still be reserved; negative below the minimum. */
  headroom(tx: Tx, seen: Holding): Promise<bigint>
}

export type MinimumBalanceSettings = {
  readonly minimumAtomic: bigint
  readonly wallet: Address
  readonly asset: Address
  readonly chain: Pick<Chain, 'reader' | 'head'>
  readonly log: Pick<Logger, 'warn'>
}

export function createMinimumBalance({
  minimumAtomic,
  wallet,
  asset,
  chain,
  log,
}: MinimumBalanceSettings): MinimumBalance {
  const headroom = async (tx: Tx, { atomic, block }: Holding): Promise<bigint> =>
    atomic - minimumAtomic - (await outstanding(tx, wallet, block))
  return {
    isSet: minimumAtomic !== 0n,
    headroom,
    read: async () => {
      if (minimumAtomic === 0n) return undefined
      const block = await chain.head()
      const atomic = await readTokens(chain.reader, asset, wallet, block).catch(() => {
        throw refuse('unavailable', {
          detail: 'the payout wallet cannot be read; nothing was reserved',
          next_action: 'Repeat the call later.',
          retry_after_ms: 2_000,
        })
      })
      return { atomic, block }
    },
    assertAbove: async (tx, row, seen) => {
      // A payout of another wallet was authorized before this wallet was configured; it has no minimum.
      if (seen === undefined || row.payout_wallet !== wallet) return
      const room = await headroom(tx, seen)
      if (BigInt(row.amount_atomic) <= room) return
      log.warn(
        { wallet, held: seen.atomic.toString(), headroom: room.toString() },
        'the minimum balance is reached',
      )
      throw refuse('paused', {
        detail: `the payout wallet would fall below its minimum of ${formatUsdc(minimumAtomic)} USDC`,
        next_action: 'Repeat the call later; an operator has to fund the payout wallet.',
        retry_after_ms: 30_000,
      })
    },
  }
}
