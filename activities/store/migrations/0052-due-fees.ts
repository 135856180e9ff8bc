/** The fees that are due: by their agent and age, and by when they were last tried. */
export const dueFees: readonly string[] = [
  `create index fee_events_due on fee_events (agent_id, created_at, fee_event_id) where state = 'due'`,
  `create index fee_events_due_tried on fee_events (changed_at) where state = 'due'`,
]
