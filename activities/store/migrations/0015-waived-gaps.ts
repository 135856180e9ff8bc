/** A run whose gaps are waived continues with the step after them, so that its result is reviewed as any other. */
export const waivedGaps: readonly string[] = [
  `create or replace function loop_steps_guard() returns trigger language plpgsql as $$
  declare steps text[] := array['intake','planner','worker','validator','exception_agent','revision_loop','review_step','return_package','attestation'];
    at integer := array_position(steps, new.step);
  begin
    if tg_op = 'UPDATE' then
      if old.verdict is not null or (old.run_id, old.attempt, old.round, old.step, old.started_at) is distinct from (new.run_id, new.attempt, new.round, new.step, new.started_at)
      then raise exception 'a step that has ended stays so' using errcode = 'check_violation'; end if;
      return new;
    end if;
    if at = 1 and new.round = 0 then return new; end if;
    if new.step = 'worker' and new.round > 0 then
      if exists (select 1 from loop_steps where run_id = new.run_id and attempt = new.attempt and round = new.round - 1
        and step in ('revision_loop','review_step') and verdict = 'revise') then return new; end if;
    elsif at > 1 and exists (select 1 from loop_steps where run_id = new.run_id and attempt = new.attempt and round = new.round
        and step = steps[at - 1] and verdict = 'done') then return new;
    -- A waived gap: the work continues with what there is.
    elsif new.step = 'revision_loop' and exists (select 1 from loop_steps where run_id = new.run_id and attempt = new.attempt
        and round = new.round and step = 'exception_agent' and verdict = 'gaps') then return new;
    end if;
    raise exception 'the step % has not been reached', new.step using errcode = 'check_violation';
  end $$`,
]
