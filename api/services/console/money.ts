import type { Address } from 'viem'
import { limits } from '#domain/core/limits.ts'
import { formatUsdc } from '#domain/core/money.ts'
import type { Chain } from '../../../activities/chain/client.ts'
import { readTokens } from '../../../activities/chain/funds.ts'
import type { Config } from '../../../activities/config/config.ts'
import {
  listStatements,
  readCallFees,
  readCredit,
  readDailyUse,
  readLedgerTotals,
  readMoneySeries,
} from '../../../activities/store/console/money.ts'
import { readGasWallets } from '../../../activities/store/gas-wallets/health.ts'
import type { Tx } from '../../../activities/store/postgres/db.ts'
import { countOpenExceptions } from '../../../activities/store/tasks/exceptions.ts'

type MoneyDeps = {
  db: Tx
  chain: Pick<Chain, 'reader' | 'head'>
  config: Pick<
    Config,
    'PAYOUT_WALLET_ADDRESS' | 'ASSET_CONTRACT_ADDRESS' | 'GAS_WALLET_JAM_AFTER_MS'
  >
}

/** The money of the service as operators watch it. */
export class MoneyService {
  private readonly deps: MoneyDeps

  constructor(deps: MoneyDeps) {
    this.deps = deps
  }

  async read(span: 'day' | 'month') {
    const { db, config } = this.deps
    const wallet = config.PAYOUT_WALLET_ADDRESS.toLowerCase()
    const [used, balance, gas, credit, ledger, fees, series, statements, differences] =
      await Promise.all([
        readDailyUse(db, wallet),
        this.#balance(),
        readGasWallets(db, config.GAS_WALLET_JAM_AFTER_MS),
        readCredit(db),
        readLedgerTotals(db),
        readCallFees(db),
        readMoneySeries(db, span),
        listStatements(db, 30),
        countOpenExceptions(db),
      ])
    const left = limits.dailyCapAtomic - used
    return {
      payout_wallet: { address: wallet, balance_usdc: balance },
      daily_cap: {
        cap_usdc: formatUsdc(limits.dailyCapAtomic),
        used_usdc: formatUsdc(used),
        left_usdc: formatUsdc(left < 0n ? 0n : left),
      },
      gas_wallets: await Promise.all(
        gas.map(async ({ wallet: address, open, oldestNonce, idleMs, jammed }) => ({
          address,
          balance_wei: await this.#gas(address),
          open_transactions: open,
          oldest_nonce: oldestNonce,
          waiting_seconds: Math.round(idleMs / 1000),
          jammed,
        })),
      ),
      credit: { ...credit, ...ledger },
      call_fees: {
        settled: fees.settled,
        usdc: formatUsdc(BigInt(fees.atomic)),
        credits: fees.credits,
      },
      series: series.map(({ at, ...point }) => ({ at: at.toISOString(), ...point })),
      statements: statements.map(({ made_at, ...one }) => ({
        ...one,
        made_at: made_at.toISOString(),
      })),
      open_differences: differences,
    }
  }

  /** Null while the chain does not answer. */
  async #balance(): Promise<string | null> {
    const { chain, config } = this.deps
    const { ASSET_CONTRACT_ADDRESS, PAYOUT_WALLET_ADDRESS } = config
    return chain
      .head()
      .then((block) =>
        readTokens(
          chain.reader,
          ASSET_CONTRACT_ADDRESS as Address,
          PAYOUT_WALLET_ADDRESS as Address,
          block,
        ),
      )
      .then(formatUsdc)
      .catch(() => null)
  }

  async #gas(address: string): Promise<string | null> {
    return this.deps.chain.reader
      .getBalance({ address: address as Address })
      .then(String)
      .catch(() => null)
  }
}
