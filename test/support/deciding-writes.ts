import { AsyncLocalStorage } from 'node:async_hooks'
import { WorkflowClient } from '@temporalio/client'
import pg from 'pg'
import type { AnyOperation } from '../../api/operation.ts'

/** One call of a handler, with what it committed and what it sent, in order. */
export type HandledCall = { operation: string; writes: string[]; hints: string[] }

const handled = new AsyncLocalStorage<HandledCall>()
const calls: HandledCall[] = []

/** What decides nothing: places in a line, counters of limits, signatures and readings that are kept whatever is decided. */
const undecided = new Set([
  'update_leases',
  'window_counts',
  'payment_signatures',
  'upload_checks',
  'upload_readings',
])

const writing = /\b(insert into|delete from|merge into|update)\s+"?([a-z_0-9]+)"?/gi
const locking = /\bfor (?:no key )?update\b|\bdo update set\b/gi

/** What a statement writes, such as `update payments`. */
const writtenBy = (text: string): string[] =>
  [...text.replace(locking, '').matchAll(writing)].flatMap(([, verb = '', table = '']) =>
    undecided.has(table) ? [] : [`${verb.split(' ')[0]} ${table}`.toLowerCase()],
  )

/** What the settlement of a stored payment writes: the law exempts it, and the sweep repeats it. */
const settlement = new Set([
  'update payment_references',
  'update payment_challenges',
  'update entitlements',
  'insert receipts',
  'insert log_outbox',
  'insert postings',
  'update fee_events',
])

const isSettlement = (written: readonly string[]): boolean =>
  written.includes('update payment_references') && written.every((one) => settlement.has(one))

type Query = { text?: string } | string
type Asked = (query: Query, ...rest: unknown[]) => unknown
type Answered = { command?: string; rowCount?: number | null } | undefined

const textOf = (query: Query): string => (typeof query === 'string' ? query : (query.text ?? ''))

/** Statements of an open transaction, by its connection. */
const open = new WeakMap<object, { call: HandledCall; written: string[] }>()

function noted(asked: unknown, then: (answer: Answered) => void): void {
  if (asked instanceof Promise) asked.then(then, () => undefined)
}

const hasChanged = (answer: Answered): boolean => (answer?.rowCount ?? 0) > 0

function record({ writes }: HandledCall, written: readonly string[]): void {
  if (written.length > 0 && !isSettlement(written)) writes.push([...new Set(written)].join(', '))
}

function watchPostgres(): void {
  const { query: onClient } = pg.Client.prototype as unknown as { query: Asked }
  const { query: onPool } = pg.Pool.prototype as unknown as { query: Asked }
  function clientQuery(this: object, query: Query, ...rest: unknown[]): unknown {
    const asked = onClient.call(this, query, ...rest)
    const call = handled.getStore()
    const text = textOf(query)
    const begun = open.get(this)
    if (/^begin\b/i.test(text)) {
      if (call !== undefined) open.set(this, { call, written: [] })
    } else if (/^(commit|rollback)\b/i.test(text)) {
      open.delete(this)
      if (begun !== undefined)
        noted(asked, (answer) => {
          if (answer?.command === 'COMMIT') record(begun.call, begun.written)
        })
    } else if (begun !== undefined) {
      const written = writtenBy(text)
      if (written.length > 0)
        noted(asked, (answer) => {
          if (hasChanged(answer)) begun.written.push(...written)
        })
    }
    return asked
  }
  function poolQuery(this: object, query: Query, ...rest: unknown[]): unknown {
    const call = handled.getStore()
    const asked = handled.exit(() => onPool.call(this, query, ...rest))
    const written = writtenBy(textOf(query))
    if (call !== undefined && written.length > 0)
      noted(asked, (answer) => {
        if (hasChanged(answer)) record(call, written)
      })
    return asked
  }
  Object.assign(pg.Client.prototype, { query: clientQuery })
  Object.assign(pg.Pool.prototype, { query: poolQuery })
}

type Sent = {
  args?: readonly unknown[]
  signalArgs?: readonly unknown[]
  startWorkflowOperation?: { options: { workflowId: string } }
}

/** A message that carries something decides; one that carries nothing makes its workflow read the rows. What was not taken was not sent. */
function note<Sending>(sending: Sending, to: string, carried: readonly unknown[] = []): Sending {
  const call = handled.getStore()
  noted(sending, () => {
    if (carried.length === 0) call?.hints.push(to)
    else call?.writes.push(`message to ${to}`)
  })
  return sending
}

function watchTemporal(): void {
  const workflows = WorkflowClient.prototype
  const { start, signalWithStart, executeUpdateWithStart, getHandle } = workflows
  Object.assign(workflows, {
    // What a start carries in addition to the name of its row is shown and decides nothing.
    start(this: WorkflowClient, type: string, options: never) {
      return note(start.call(this, type, options), type)
    },
    signalWithStart(this: WorkflowClient, type: string, options: Sent) {
      return note(signalWithStart.call(this, type, options as never), type, options.signalArgs)
    },
    executeUpdateWithStart(this: WorkflowClient, update: never, options: Sent) {
      const sending = executeUpdateWithStart.call(this, update, options as never)
      return note(sending, String(options.startWorkflowOperation?.options.workflowId), options.args)
    },
    getHandle(this: WorkflowClient, ...of: Parameters<typeof getHandle>) {
      const handle = getHandle.apply(this, of)
      const { executeUpdate, signal } = handle
      return Object.assign(handle, {
        executeUpdate(update: never, options: Sent = {}) {
          return note(executeUpdate.call(handle, update, options as never), of[0], options.args)
        },
        signal(sent: never, ...args: never[]) {
          return note(signal.call(handle, sent, ...args), of[0], args)
        },
      })
    },
  })
}

let isWatching = false
const watched = new WeakSet<AnyOperation>()

/** Attributes every write of this process to the handler that it serves; what the pipeline itself writes is not counted. */
export function watchWrites(operations: readonly AnyOperation[]): void {
  if (!isWatching) {
    watchPostgres()
    watchTemporal()
  }
  isWatching = true
  for (const operation of operations) {
    if (watched.has(operation)) continue
    watched.add(operation)
    const { id, handle } = operation
    const watching: typeof handle = (input, context) => {
      const call: HandledCall = { operation: id, writes: [], hints: [] }
      calls.push(call)
      return handled.run(call, () => handle(input, context))
    }
    Object.assign(operation, { handle: watching })
  }
}

/** The calls handled since this was last asked. */
export const handledCalls = (): readonly HandledCall[] => calls.splice(0)

/** Operations that may make more than one, and why; the list only shrinks. */
export const exempt: Readonly<Record<string, string>> = {
  'loop-review-record-batch': 'a batch is so many decisions, each of them complete',
  'execute-delegated-action':
    'the action is reserved before it begins, and its own workflow ends it',
  'provider-event-receive':
    'the event is stored before it is applied, and the sweep applies one that was not',
  'input-upload':
    'the bytes of a stream are kept as they come; the last transaction alone makes them an input',
  'inspect-service':
    'what another service says of itself is kept as it was read, and read again by a repeat',
  'payment-links-set':
    'the page is stored before it is requested; whether it answers is noted on it, by a repeat too',
  'loop-start':
    'the quote of a free run is issued first; it binds no one, and a repeat of the call finds it',
}

/** The calls that made two deciding writes, one line each. */
export const offendersOf = (handled: readonly HandledCall[]): string[] => [
  ...new Set(
    handled
      .filter(({ operation, writes }) => writes.length > 1 && !(operation in exempt))
      .map(({ operation, writes }) => `${operation}: ${writes.join('; ')}`),
  ),
]
