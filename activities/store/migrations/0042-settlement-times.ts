/** When a payment settled by the clock of the chain: the time of its block. Null for those that settled before it was stored. */
export const settlementTimes: readonly string[] = [
  'alter table payments add column settled_at timestamptz',
]
