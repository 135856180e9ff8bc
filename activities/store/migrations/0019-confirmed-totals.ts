import { type Kysely, sql } from 'kysely'

/**
 * What a payout wallet has confirmed, summed up for every ten minutes of block time, so that the daily cap is judged over as many rows
 * on a busy day as on a quiet one. A trigger keeps the sums, whoever writes a transfer; they are of the same commit as it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const sumUp = `insert into confirmed_totals as t (wallet, since, amount_atomic)`
const since = (time: string) => `date_bin('10 minutes', ${time}, 'epoch')`

const statements = [
  `create table confirmed_totals (
    wallet text not null,
    since timestamptz not null,
    amount_atomic numeric(78,0) not null check (amount_atomic >= 0),
    primary key (wallet, since)
  )`,
  `create function total_confirmed() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and old.status in ('included','final') then
      update confirmed_totals set amount_atomic = amount_atomic - old.amount_atomic
        where wallet = old.wallet and since = ${since('old.block_time')};
    end if;
    if new.status in ('included','final') then
      ${sumUp} values (new.wallet, ${since('new.block_time')}, new.amount_atomic)
        on conflict (wallet, since) do update set amount_atomic = t.amount_atomic + excluded.amount_atomic;
    end if;
    return null;
  end $$`,
  `create trigger total_inserted after insert on transfers for each row
    when (new.status in ('included','final')) execute function total_confirmed()`,
  `create trigger total_updated after update of status, block_time on transfers for each row
    when ((old.status in ('included','final'), old.block_time) is distinct from (new.status in ('included','final'), new.block_time))
    execute function total_confirmed()`,
  // The triggers' lock keeps others from writing transfers until what stands there is summed up.
  `${sumUp} select wallet, ${since('block_time')}, sum(amount_atomic) from transfers where status in ('included','final') group by 1, 2`,
  `drop index transfers_counted`,
  `create index transfers_under_way on transfers (wallet) where status in ('reserved','signed','submitted')`,
  `create index transfers_confirmed on transfers (wallet, block_time) where status in ('included','final')`,
  `create index transfers_mined on transfers (wallet, block_number) where status in ('included','final')`,
]
