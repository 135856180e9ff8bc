import { hex } from './columns.ts'

/**
 * Gas wallets and the transactions of their queues. `moved_at`: since when the oldest open nonce of a wallet is the same one;
 * `jammed_at`: when that was found to be a jam. `block_number`: the block of a transaction's receipt, or the newest block when the
 * chain had first passed its nonce and no receipt was found. Only a `final` outcome, from a finalized block, never changes.
 */
export const gasWallets: readonly string[] = [
  `create table gas_wallets (
    address text primary key ${hex('address', 40)},
    next_nonce bigint not null check (next_nonce >= 0),
    moved_at timestamptz not null default clock_timestamp(),
    jammed_at timestamptz
  )`,
  `create table gas_wallet_transactions (
    tx_hash text primary key ${hex('tx_hash', 64)},
    gas_wallet text not null references gas_wallets,
    eoa_nonce bigint not null,
    purpose text not null,
    to_address text not null,
    data text not null,
    gas bigint not null,
    max_fee_per_gas numeric(78,0) not null,
    max_priority_fee_per_gas numeric(78,0) not null,
    raw text not null,
    outcome text check (outcome in ('mined','reverted','superseded')),
    block_number bigint,
    final boolean not null default false check (not final or outcome is not null and block_number is not null),
    created_at timestamptz not null default clock_timestamp(),
    broadcast_at timestamptz
  )`,
  `create index gas_wallet_transactions_by_purpose on gas_wallet_transactions (purpose)`,
  `create index gas_wallet_transactions_by_nonce on gas_wallet_transactions (gas_wallet, eoa_nonce)`,
  `create index gas_wallet_transactions_open on gas_wallet_transactions (gas_wallet, eoa_nonce) where not final`,
]
