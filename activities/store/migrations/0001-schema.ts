/** The version of the schema, and the functions that triggers of several subjects call. */
export const schema: readonly string[] = [
  `create table schema_version (
    only_row boolean primary key default true check (only_row),
    version integer not null check (version > 0),
    oldest_program integer not null check (oldest_program between 1 and version),
    migrations jsonb not null
  )`,
  // What `appendOnly` calls for its tables.
  `create function append_only() returns trigger language plpgsql as $$
  begin raise exception 'what stands in % stays as it was written', tg_table_name using errcode = 'check_violation'; end $$`,
  // What `operatorsAct` calls.
  `create function operators_act() returns trigger language plpgsql as $$
  begin
    if current_user = 'agent_rails_worker'
      and (tg_op = 'INSERT' or to_jsonb(new)->>tg_argv[0] is distinct from to_jsonb(old)->>tg_argv[0])
    then raise exception 'an operator acts through the API' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
]
