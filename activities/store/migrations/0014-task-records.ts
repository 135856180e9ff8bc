const attested = (subject: string) => `select t.task_id, r.kind, r.receipt_id, r.issued_at
    from tasks t join receipts r on r.subject = t.${subject} where r.kind = 'attestation' and r.set_aside_at is null`

/** One view of all runtime records of a task by kind. */
export const taskRecords: readonly string[] = [
  `create view task_records (task_id, record_kind, record_id, recorded_at) as
    select t.task_id, r.kind, r.receipt_id, r.issued_at
      from tasks t join receipts r on r.subject = t.agent_id where r.kind = 'onboarding' and r.set_aside_at is null
    union all select t.task_id, a.record_kind, a.agent_id, a.created_at from tasks t join agents a using (agent_id)
    union all select t.task_id, c.record_kind, c.credential_id, c.created_at from tasks t join agent_credentials c using (agent_id)
    union all select c.task_id, q.record_kind, q.quote_id, q.issued_at from task_credits c join quotes q using (quote_id)
    union all select c.task_id, 'provider_route', q.provider_route->>'route_id', q.issued_at
      from task_credits c join quotes q using (quote_id)
    union all select c.task_id, e.record_kind, e.entitlement_id, e.created_at
      from task_credits c join entitlements e using (entitlement_id)
    union all select task_id, record_kind, contract_id, created_at from contracts where state <> 'void'
    union all select task_id, record_kind, run_id, started_at from runs
    union all select task_id, record_kind, hash, at from task_events
    union all select r.task_id, p.record_kind, p.return_package_id, p.made_at from runs r join return_packages p using (run_id)
    union all select c.task_id, r.kind, r.receipt_id, r.issued_at from task_credits c
      join entitlements e using (entitlement_id) join receipts r on r.receipt_id = e.settlement_receipt_id
    union all select c.task_id, r.kind, r.receipt_id, r.issued_at
      from task_credits c join receipts r on r.receipt_id = c.usage_receipt_id
    union all select t.task_id, d.record_kind, d.delivery_id, d.created_at
      from tasks t join callback_deliveries d on d.subject = t.task_id and d.event = 'task_updated'
    union all select r.task_id, u.record_kind, u.event_id, u.recorded_at from runs r join usage_events u using (run_id)
    union all ${attested('run_id')}
    union all ${attested('task_id')}`,
]
