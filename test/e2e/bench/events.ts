import pg from 'pg'

const WITHIN_MS = 120_000

/** Reports the outcome of a transfer when it is stored; the same for rail and baseline, so that both pay the same cost. */
export const eventTrigger = `
  create or replace function bench_tell() returns trigger language plpgsql as $$
  begin
    if new.signature is not null and (tg_op = 'INSERT' or old.signature is null) then
      perform pg_notify('bench', 'signed:' || new.payout_id);
    end if;
    if new.status in ('included', 'final') and (tg_op = 'INSERT' or old.status not in ('included', 'final')) then
      perform pg_notify('bench', 'included:' || new.payout_id);
    end if;
    return null;
  end $$;
  create or replace trigger bench_tell after insert or update on transfers for each row execute function bench_tell()`

/** Waits for `signed:<payout>` and `included:<payout>`, also when they came before they were asked for. */
export type Events = { seen(event: string): Promise<void>; close(): Promise<void> }

export async function openEvents(databaseUrl: string): Promise<Events> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'bench events' })
  const arrived = new Set<string>()
  const waiting = new Map<string, () => void>()
  client.on('notification', ({ payload = '' }) => {
    const wake = waiting.get(payload)
    if (wake === undefined) arrived.add(payload)
    else wake()
  })
  await client.connect()
  await client.query('listen bench')
  return {
    seen: (event) =>
      new Promise((resolve, reject) => {
        if (arrived.delete(event)) return resolve()
        const timer = setTimeout(
          () => reject(new Error(`${event} did not come in ${WITHIN_MS} ms`)),
          WITHIN_MS,
        )
        waiting.set(event, () => {
          clearTimeout(timer)
          waiting.delete(event)
          resolve()
        })
      }),
    close: () => client.end(),
  }
}
