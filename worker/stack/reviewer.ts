import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type Hosts, type InputOf } from '../../clients/typescript/src/index.ts'

type Kind = InputOf<'loop-review-record'>['subject_kind']
type Decision = InputOf<'loop-review-record'>['decision']

/** An operator at the review console: each decision waits until its subject does. */
export function openReviewer(hosts: Hosts, operator: string) {
  const client = createClient({ ...hosts, operator })
  const waiting = async (kind: Kind, subjectId: string) => {
    const { items } = (await client.call('loop-review-console', { kind, limit: '100' })).body
    return items.find(({ subject_id }) => subject_id === subjectId)
  }
  const decide = async (
    kind: Kind,
    subject_id: string,
    decision: Decision,
    note: string,
    withinMs = 60_000,
  ) => {
    const until = Date.now() + withinMs
    let subject = await waiting(kind, subject_id)
    while (subject === undefined) {
      if (Date.now() > until) throw new Error(`no ${kind} ${subject_id} waits for a decision`)
      await sleep(100)
      subject = await waiting(kind, subject_id)
    }
    const { evidence } = (await client.call('loop-review-console', { kind, subject_id })).body
    const evidence_seen_sha256 = evidence === null ? [] : [evidence.root_sha256]
    const { waiting_since } = subject
    const idempotency_key = `${subject_id}-${waiting_since}`
    const decided = {
      subject_kind: kind,
      subject_id,
      waiting_since,
      decision,
      note,
      evidence_seen_sha256,
    }
    return (await client.call('loop-review-record', { ...decided, idempotency_key })).body
  }
  return {
    decide,
    approve: (kind: Kind, subjectId: string, note: string, withinMs?: number) =>
      decide(kind, subjectId, 'approve', note, withinMs),
  }
}
