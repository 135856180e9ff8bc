/** The columns that say who acted, of the tables that the worker writes; recoveries are also made from the command line, with its role. */
const actors = [
  'calls.caller',
  'payment_references.decided_by',
  'loop_steps.decided_by',
  'contracts.accepted_by',
  'exceptions.closed_by',
  'credential_deliveries.actor',
  'directory_submissions.prepared_by',
  'key_rotations.requested_by',
  'action_grants.issued_by',
  'ap2_mandates.issued_by',
  'ap2_mandates.revoked_by',
  'authority_mandates.issued_by',
  'authority_mandates.revoked_by',
]

/** Operators act by calls of the API, so that the worker’s role names none. */
export const operatorsActs: readonly string[] = [
  `create function operators_act() returns trigger language plpgsql as $$
  begin
    if current_user = 'agent_rails_worker'
      and (tg_op = 'INSERT' or to_jsonb(new)->>tg_argv[0] is distinct from to_jsonb(old)->>tg_argv[0])
    then raise exception 'an operator acts through the API' using errcode = 'check_violation'; end if;
    return new;
  end $$`,
  ...actors.map((actor) => {
    const [table, column] = actor.split('.')
    return `create trigger ${table}_${column}_act before insert or update of ${column} on ${table} for each row
        when (new.${column} like 'operator:%') execute function operators_act('${column}')`
  }),
]
