import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  entryHash,
  genesisHash,
  type LedgerEntry,
  ledgerEntry,
  type Move,
  verifyLedger,
} from '#domain/tasks/ledger.ts'
import {
  allowedTaskEvents,
  nextTaskState,
  resumeStateAfter,
  type TaskEvent,
  type TaskState,
} from '#domain/tasks/lifecycle.ts'
import { verifies } from '../../../verifies.ts'

const taskId = `task-${'ab'.repeat(32)}`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A ledger of random moves along the table. */
const ledgers = fc.array(fc.nat(), { maxLength: 30 }).map((choices): LedgerEntry[] => {
  const entries: LedgerEntry[] = []
  let state: TaskState | 'none' = 'none'
  let resume: TaskState | null = null
  for (const [index, choice] of [0, ...choices].entries()) {
    const events: TaskEvent[] = state === 'none' ? ['submit'] : allowedTaskEvents(state)
    const event = events[choice % events.length]
    if (event === undefined) break
    const to = nextTaskState(state, event, resume) as TaskState
    const at = new Date(1_795_000_000_000 + index).toISOString()
    const move: Move = {
      event,
      from_state: state,
      to_state: to,
      at,
      actor: 'workflow',
      data: { choice },
    }
    entries.push(ledgerEntry(taskId, entries.at(-1), move))
    if (state !== 'none') resume = resumeStateAfter(state, event, resume)
    state = to
  }
  return entries
})

verifies(
  'task.ledger.chain',
  'an entry is hashed over its canonical text and the hash before it',
  () => {
    const genesis = sha256(`{"task_id":"${taskId}","type":"service.task.v1"}`)
    expect(genesisHash(taskId)).toBe(genesis)
    const at = '2026-11-21T10:00:00.000Z'
    const move: Move = {
      event: 'submit',
      from_state: 'none',
      to_state: 'created',
      at,
      actor: 'agent:agt_1',
      data: {},
    }
    const first = ledgerEntry(taskId, undefined, move)
    const text = `{"actor":"agent:agt_1","at":"${at}","data_sha256":"${sha256('{}')}","event":"submit","from_state":"none","prev_hash":"${genesis}","sequence":1,"to_state":"created"}`
    expect(first.hash).toBe(sha256(text))
    const second = ledgerEntry(taskId, first, {
      ...move,
      event: 'preflight_passed',
      from_state: 'created',
    })
    expect(second).toMatchObject({ sequence: 2, prev_hash: first.hash })
  },
)

verifies(
  'task.ledger.chain',
  'each ledger along the table verifies, and its head is its last hash',
  () => {
    fc.assert(
      fc.property(ledgers, (entries) => {
        expect(verifyLedger(taskId, entries)).toEqual({ ok: true, head_hash: entries.at(-1)?.hash })
        expect(verifyLedger(`task-${'cd'.repeat(32)}`, entries)).toMatchObject({
          ok: false,
          sequence: 1,
        })
      }),
    )
  },
)

verifies('task.ledger.chain', 'a changed, left out or swapped entry is located', () => {
  const changes: ((entry: LedgerEntry) => Partial<LedgerEntry>)[] = [
    () => ({ at: '2020-01-01T00:00:00.000Z' }),
    () => ({ actor: 'operator:mallory' }),
    () => ({ data_sha256: sha256('other') }),
    ({ to_state }) => ({ to_state: to_state === 'closed' ? 'failed' : 'closed' }),
    ({ sequence }) => ({ sequence: sequence + 1 }),
    () => ({ prev_hash: sha256('other') }),
  ]
  fc.assert(
    fc.property(ledgers, fc.nat(), fc.constantFrom(...changes), (entries, choice, change) => {
      const at = choice % entries.length
      const entry = entries[at] as LedgerEntry
      const changed = entries.with(at, { ...entry, ...change(entry) })
      expect(verifyLedger(taskId, changed)).toMatchObject({ ok: false, sequence: at + 1 })
      if (at < entries.length - 1)
        expect(verifyLedger(taskId, entries.toSpliced(at, 1))).toMatchObject({
          ok: false,
          sequence: at + 1,
        })
    }),
  )
})

verifies(
  'task.ledger.chain',
  'a well-chained entry that the table has no room for is refused',
  () => {
    const move: Move = {
      event: 'submit',
      from_state: 'none',
      to_state: 'created',
      at: '2026-11-21T10:00:00.000Z',
      actor: 'workflow',
      data: {},
    }
    const first = ledgerEntry(taskId, undefined, move)
    const wrong = ledgerEntry(taskId, first, {
      ...move,
      event: 'started',
      from_state: 'created',
      to_state: 'operating',
    })
    expect(verifyLedger(taskId, [first, wrong])).toEqual({
      ok: false,
      sequence: 2,
      fault: 'the state table has no such move',
    })
  },
)

verifies('task.ledger.chain', 'each fault of an entry is named', () => {
  const submit: Move = {
    event: 'submit',
    from_state: 'none',
    to_state: 'created',
    at: '2026-11-21T10:00:00.000Z',
    actor: 'workflow',
    data: {},
  }
  const first = ledgerEntry(taskId, undefined, submit)
  const second = ledgerEntry(taskId, first, {
    ...submit,
    event: 'preflight_passed',
    from_state: 'created',
    to_state: 'preflight_checked',
  })
  const faultOf = (change: Partial<LedgerEntry>, isRehashed = true) => {
    const changed = { ...second, ...change }
    const entry = isRehashed ? { ...changed, hash: entryHash(changed) } : changed
    const verdict = verifyLedger(taskId, [first, entry])
    return verdict.ok ? null : verdict.fault
  }
  expect(faultOf({})).toBeNull()
  expect(faultOf({ sequence: 3 })).toBe('an entry is missing')
  expect(faultOf({ prev_hash: first.prev_hash })).toBe('it does not follow the entry before it')
  expect(faultOf({ actor: 'x' }, false)).toBe('it was changed after it was written')
  expect(faultOf({ from_state: 'trusted' })).toBe('the state table has no such move')
  expect(faultOf({ to_state: 'trusted' })).toBe('the state table has no such move')
})
