import { refusal } from './columns.ts'

/** What a worker of runs records: the outcome of its run, and no decision about it. */
const recorded = "('result_produced','result_attested','evidence_missing','exception_raised')"
const isRuns = "current_user = 'agent_rails_runs'"

/** The role of runs works on input that agents write, so it neither approves nor funds what it works on. */
export const runsRole: readonly string[] = [
  `create function runs_role_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `${isRuns} and (old.review_decision, old.contract_id, old.quote_id, old.entitlement_id) is distinct from (new.review_decision, new.contract_id, new.quote_id, new.entitlement_id)`,
      'a worker of runs decides and funds nothing',
    )}
    return new;
  end $$`,
  `create trigger tasks_runs_role before update on tasks for each row execute function runs_role_guard()`,
  `create function runs_role_events_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `${isRuns} and (new.event not in ${recorded} or new.actor <> 'service')`,
      'a worker of runs records the outcome of runs alone',
    )}
    return new;
  end $$`,
  `create function runs_role_bytes_guard() returns trigger language plpgsql as $$
  begin
    ${refusal(
      `${isRuns} and not exists (select from upload_checks c join agent_inputs i using (owner, sha256)
        where i.blob_id = old.blob_id and c.outcome ? 'secret')`,
      'a worker of runs deletes the bytes of an upload with a secret alone',
    )}
    return old;
  end $$`,
  `create trigger agent_input_chunks_runs_role before delete on agent_input_chunks for each row execute function runs_role_bytes_guard()`,
  `create trigger task_events_runs_role before insert on task_events for each row execute function runs_role_events_guard()`,
]
