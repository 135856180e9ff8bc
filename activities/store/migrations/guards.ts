import { refusal } from './columns.ts'

/** Conditions that refuse a row, by the message of each. */
type Refusals = Readonly<Record<string, string>>

/** What a guard refuses. `kept` is the message for every change of a stored row, `deleted` that for its deletion. */
type Guard = { kept?: string; deleted?: string; inserted?: Refusals; updated?: Refusals }

const refusals = (of: Refusals = {}): string[] =>
  Object.entries(of).map(([message, condition]) => refusal(condition, message))

const trigger = (table: string, events: string, body: string): string[] => [
  `create function ${table}_guard() returns trigger language plpgsql as $$
  begin
    ${body}
  end $$`,
  `create trigger ${table}_guard before ${events} on ${table} for each row execute function ${table}_guard()`,
]

/** Checks each row of a table before it is written, whatever the code before found. */
export function guard(table: string, { kept, deleted, inserted, updated }: Guard): string[] {
  const onInsert = refusals(inserted)
  const events = [
    ...(inserted ? ['insert'] : []),
    ...(updated || kept ? ['update'] : []),
    ...(deleted || kept ? ['delete'] : []),
  ]
  const body = [
    ...(kept ? [refusal(`tg_op <> 'INSERT'`, kept)] : []),
    ...(deleted ? [refusal(`tg_op = 'DELETE'`, deleted)] : []),
    ...(inserted && updated
      ? [`if tg_op = 'INSERT' then`, ...onInsert, 'return new;', 'end if;']
      : onInsert),
    ...refusals(updated),
    'return new;',
  ]
  return trigger(table, events.join(' or '), body.join('\n    '))
}

/** Refuses every change of a stored row with this message. */
export const keepRows = (table: string, message: string): string[] =>
  trigger(
    table,
    'update or delete',
    `raise exception '${message}' using errcode = 'check_violation';`,
  )

/** Refuses every change of a stored row, with a message that names the table. */
export const appendOnly = (table: string): string =>
  `create trigger ${table}_append_only before update or delete on ${table} for each row execute function append_only()`

/** The condition that an update changes other columns than these. */
export const changesMoreThan = (columns: string): string => {
  const changing = `array['${columns.split(', ').join("','")}']`
  return `to_jsonb(new) - ${changing} <> to_jsonb(old) - ${changing}`
}

/** A function that has its owner's rights, and finds no object of its caller's making. */
export const definer = `language plpgsql security definer set search_path = pg_catalog, public, pg_temp`

/** Guards mandates: they are never deleted, their terms stay as they are, and a revocation is final. */
export const guardMandates = (table: string): string[] =>
  guard(table, {
    deleted: 'a mandate is never deleted',
    updated: {
      'the terms of a mandate do not change': changesMoreThan(
        'revoked_at, revoked_by, revoke_reason',
      ),
      'a revoked mandate stays revoked': `old.revoked_at is not null`,
    },
  })

/**
 * Refuses that the worker names an operator in this column, which says who acted: operators act by calls of the API. Recoveries are also
 * made from the command line, with the worker's role.
 */
export const operatorsAct = (table: string, column: string): string =>
  `create trigger ${table}_${column}_act before insert or update of ${column} on ${table} for each row
        when (new.${column} like 'operator:%') execute function operators_act('${column}')`
