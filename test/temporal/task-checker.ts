import { createHash } from 'node:crypto'
import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client'
import pg from 'pg'

/**
 * Judges what tasks left in Postgres and in Temporal. It shares no code with the service: the table of states and the forms of
 * digests are written here a second time, from tasks.md.
 */

const table = `none: submit>created
created: preflight_passed>preflight_checked preflight_rejected>failed
preflight_checked: contract_prepared>contract_ready
contract_ready: contract_accepted>contract_accepted contract_declined>failed contract_lapsed>failed
contract_accepted: trust_requested>trust_pending
trust_pending: trust_granted>trusted trust_denied>failed
trusted: quote_issued>quoted
quoted: credit_requested>credit_pending quote_lapsed>exception_open
credit_pending: credit_funded>credit_funded credit_lapsed>exception_open
credit_funded: enqueued>queued review_rejected>failed
queued: started>operating
operating: evidence_missing>evidence_partial result_produced>result_ready
evidence_partial: evidence_supplied>operating evidence_waived>result_ready
result_ready: result_attested>attested
attested: receipts_issued>receipt_issued
receipt_issued: callback_scheduled>callback_pending closed>closed
callback_pending: callback_delivered>callback_delivered
callback_delivered: closed>closed
exception_open: input_proposed>exception_open input_declined>exception_open replay_prepared>replay_ready abandoned>failed
replay_ready: replayed>* abandoned>failed
failed: closed>closed`

const moves = new Map(
  table.split('\n').flatMap((line) => {
    const [from = '', events = ''] = line.split(': ')
    return events.split(' ').map((each) => {
      const [event, to = ''] = each.split('>')
      return [`${from} ${event}`, to] as const
    })
  }),
)
const loop =
  'intake planner worker validator exception_agent revision_loop review_step return_package attestation'.split(
    ' ',
  )

type Row = Record<string, string | number | boolean | null>
const selects = {
  tasks: 'select task_id, state, resume_state, sequence, head_hash, run_id from tasks',
  events: `select task_id, sequence, event_id, event, from_state, to_state, actor, data::text as data, data_sha256, prev_hash, hash,
    to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from task_events order by task_id, sequence`,
  runs: 'select run_id, task_id, step, attempt, round from runs',
  steps: `select run_id, attempt, round, step, verdict, output::text as output, output_sha256 from loop_steps order by run_id, started_at`,
  // Not those that a test made by hand as the evidence of an event.
  packages: "select run_id, partial from return_packages where completion_signature <> 'by hand'",
  exceptions:
    'select exception_id, task_id, sequence, state, resume_state, closed_at is null as open from task_exceptions',
  receipts: 'select receipt_id, subject, seq, jws, prev from receipts order by subject, seq',
  postings: 'select receipt_id, account, units from postings',
  balances: 'select account, units from account_balances',
  credits:
    "select task_id, entitlement_id, units, state, usage_receipt_id from task_credits where entitlement_id <> 'en_by_hand'",
  uses: 'select chain, credit_units, usage_receipt_id from usage_events where credit_units > 0',
  entitlements: `select entitlement_id, state, granted_units, consumed_units, returned_units,
    case when task_id is null then units else 1 end as runs from entitlements join quotes using (quote_id)`,
} as const
type Name = keyof typeof selects
export type TaskFacts = Record<Name, Row[]> & { workflows: Record<string, string[]> }

/** Reads what is stored as one moment saw it, and how each workflow of a task or a run stands; the latest run last. */
export async function readTaskFacts(
  databaseUrl: string,
  temporalAddress: string,
): Promise<TaskFacts> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'checker' })
  await client.connect()
  const rows = {} as Record<Name, Row[]>
  try {
    await client.query('begin isolation level repeatable read read only')
    for (const [name, select] of Object.entries(selects))
      rows[name as Name] = (await client.query(select)).rows
  } finally {
    await client.end()
  }
  const ids = rows.tasks
    .flatMap(({ task_id, run_id }) => [task_id, run_id])
    .filter((id) => id !== null)
  return { ...rows, workflows: await readWorkflows(temporalAddress, ids as string[]) }
}

async function readWorkflows(address: string, ids: string[]): Promise<Record<string, string[]>> {
  const connection = await Connection.connect({ address })
  try {
    const { workflow } = new Client({ connection })
    const seen: Record<string, string[]> = {}
    for (const id of ids) {
      const now = await workflow
        .getHandle(id)
        .describe()
        .catch((error: unknown) => {
          if (error instanceof WorkflowNotFoundError) return undefined
          throw error
        })
      // A list may lag behind, so it shows only what has ended; the state of the latest run is requested.
      const ended: string[] = []
      for await (const run of workflow.list({ query: `WorkflowId = '${id}'` }))
        if (run.runId !== now?.runId) ended.push(run.status.name)
      seen[id] = now === undefined ? ended : [...ended, now.status.name]
    }
    return seen
  } finally {
    await connection.close()
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** Keys in order and no spaces; enough for flat entries of texts and whole numbers. */
const canonical = (flat: Row) =>
  JSON.stringify(Object.fromEntries(Object.entries(flat).sort(([a], [b]) => (a < b ? -1 : 1))))
const of = (rows: Row[], column: string, value: Row[string] | undefined) =>
  rows.filter((row) => row[column] === value)
const sum = (rows: Row[]) => rows.reduce((total, { units }) => total + Number(units), 0)

/** Everything that is wrong, in words; `expected` are the tasks that a caller knows. */
export function checkTasks(facts: TaskFacts, expected: readonly string[]): string[] {
  const lost = expected
    .filter((id) => of(facts.tasks, 'task_id', id).length === 0)
    .map((id) => `${id} is lost`)
  return [
    ...lost,
    ...facts.tasks.flatMap((task) => [
      ...checkLedger(facts, task),
      ...checkRun(facts, task),
      ...checkWorkflow(facts, task),
    ]),
    ...checkReceipts(facts),
    ...checkMoney(facts),
    ...facts.credits.flatMap((credit) => checkCredit(facts, credit)),
    ...facts.entitlements.flatMap((entitlement) => checkEntitlement(facts, entitlement)),
  ]
}

function checkLedger({ events, exceptions }: TaskFacts, task: Row): string[] {
  const id = String(task['task_id'])
  const wrong: string[] = []
  const say = (holds: boolean, what: string) => {
    if (!holds) wrong.push(`${id}: ${what}`)
  }
  const entries = of(events, 'task_id', id)
  let head = sha256(canonical({ task_id: id, type: 'service.task.v1' }))
  let [state, resume]: [string, string | null] = ['none', null]
  const left = new Map<string, number>()
  for (const [index, entry] of entries.entries()) {
    const { task_id: _, event_id: _e, data, hash, ...rest } = entry
    const { event, from_state, to_state } = entry
    const to =
      moves.get(`${state} ${event}`) ??
      (event === 'exception_raised' ? 'exception_open' : undefined)
    say(
      entry['sequence'] === index + 1 && entry['prev_hash'] === head,
      `entry ${index + 1} does not follow the one before`,
    )
    say(
      hash === sha256(canonical(rest)) && entry['data_sha256'] === sha256(String(data)),
      `entry ${index + 1} is not what its hash says`,
    )
    say(
      from_state === state && to_state === (to === '*' ? resume : to),
      `${state} does not lead to ${to_state} by ${event}`,
    )
    if (event === 'exception_raised') resume = state
    if (event === 'quote_lapsed') resume = 'trusted'
    if (event === 'credit_lapsed') resume = 'quoted'
    // A completed transition stays, unless an operator led the task back.
    if (event === 'replayed' || event === 'evidence_supplied') left.clear()
    left.set(`${state} ${event}`, (left.get(`${state} ${event}`) ?? 0) + 1)
    state = String(to_state)
    head = String(hash)
  }
  for (const [move, times] of left) say(times === 1, `${move} happened ${times} times`)
  const eventIds = entries.map((entry) => entry['event_id'])
  say(new Set(eventIds).size === eventIds.length, 'an event id stands for two entries')
  say(
    task['state'] === state && task['sequence'] === entries.length && task['head_hash'] === head,
    'the row is not where its ledger ends',
  )
  const opened = entries
    .filter(({ event, to_state }) => event === 'evidence_missing' || to_state === 'exception_open')
    .map(({ sequence }) => sequence)
  const stored = of(exceptions, 'task_id', id)
  say(
    stored
      .map(({ sequence }) => sequence)
      .sort()
      .join() === opened.sort().join(),
    'exceptions and ledger differ',
  )
  const open = stored.filter((exception) => exception['open'] === true)
  const stopping = open.filter(({ resume_state }) => resume_state !== null).length
  say(
    stopping === (state === 'exception_open' || state === 'replay_ready' ? 1 : 0),
    `${stopping} exceptions are open in ${state}`,
  )
  const waits = state === 'evidence_partial' || task['resume_state'] === 'evidence_partial'
  say(open.length - stopping === (waits ? 1 : 0), `the gaps are not open as they are in ${state}`)
  return wrong
}

function checkRun({ runs, steps, packages, events }: TaskFacts, task: Row): string[] {
  const id = String(task['task_id'])
  const wrong: string[] = []
  const own = of(runs, 'task_id', id)
  const started = of(events, 'task_id', id).filter(({ event }) => event === 'started').length
  if (own.length !== started) wrong.push(`${id}: started ${started} times with ${own.length} runs`)
  for (const { run_id, step, attempt } of own) {
    const taken = of(steps, 'run_id', run_id)
    for (const { output, output_sha256 } of taken)
      if (output !== null && sha256(String(output)) !== output_sha256)
        wrong.push(`${run_id}: a step is not what its digest says`)
    const taking = taken.map((each) => `${each['attempt']} ${each['round']} ${each['step']}`)
    if (new Set(taking).size !== taking.length) wrong.push(`${run_id}: a step was taken twice`)
    const latest = taken
      .filter((each) => each['attempt'] === attempt)
      .map((each) => `${each['round']} ${each['step']}`)
    const names = latest.map((each) => each.split(' ')[1])
    const straight =
      latest.every((each) => each.startsWith('0 ')) && names.every((name, at) => name === loop[at])
    const waived = of(events, 'task_id', id).some(({ event }) => event === 'evidence_waived')
    if (!straight && !waived && latest.every((each) => each.startsWith('0 ')))
      wrong.push(`${run_id}: steps out of order: ${names.join(' ')}`)
    const isOver = names.includes('attestation') || task['state'] === 'closed'
    if ((step === null) !== isOver)
      wrong.push(`${run_id}: at no step without an attestation or its end, or at one after it`)
    const made = of(packages, 'run_id', run_id).length
    if (made !== (names.includes('return_package') ? 1 : 0))
      wrong.push(`${run_id}: ${made} packages`)
  }
  return wrong
}

/** An open task has one open workflow or none, a closed one none; and none ever failed. */
function checkWorkflow({ workflows }: TaskFacts, task: Row): string[] {
  const ids = [task['task_id'], task['run_id']].filter((id) => id !== null).map(String)
  const known = ids.flatMap((id) => (workflows[id] ?? []).map((status) => [id, status] as const))
  const wrong = known.filter(
    ([, status]) => !['RUNNING', 'COMPLETED', 'CONTINUED_AS_NEW', 'CANCELLED'].includes(status),
  )
  const over = task['state'] === 'closed' ? known.filter(([, status]) => status === 'RUNNING') : []
  return [
    ...wrong.map(([id, status]) => `${id}: its workflow ${status}`),
    ...over.map(([id]) => `${id}: a workflow is open although the task is closed`),
  ]
}

function checkReceipts({ receipts }: TaskFacts): string[] {
  const last = new Map<string, { seq: number; digest: string }>()
  return receipts.flatMap(({ receipt_id, subject, seq, jws, prev }) => {
    const before = last.get(String(subject))
    last.set(String(subject), { seq: Number(seq), digest: sha256(String(jws)) })
    const follows =
      before === undefined
        ? seq === 0 && prev === null
        : seq === before.seq + 1 && prev === before.digest
    return follows ? [] : [`${receipt_id}: it does not follow the receipt before it`]
  })
}

function checkMoney({ postings, balances, entitlements }: TaskFacts): string[] {
  const wrong: string[] = []
  for (const receipt of new Set(postings.map(({ receipt_id }) => receipt_id)))
    if (sum(of(postings, 'receipt_id', receipt)) !== 0)
      wrong.push(`${receipt}: its postings do not balance`)
  for (const { account, units } of balances)
    if (Number(units) < 0 || sum(of(postings, 'account', account)) !== Number(units))
      wrong.push(`${account}: its balance ${units} is not what its postings come to, or below zero`)
  for (const {
    entitlement_id,
    state,
    granted_units,
    consumed_units,
    returned_units,
  } of entitlements) {
    const held = sum(of(postings, 'account', `credit:${entitlement_id}`))
    const left =
      state === 'pending'
        ? 0
        : Number(granted_units) - Number(consumed_units) - Number(returned_units)
    if (held !== left || left < 0)
      wrong.push(`${entitlement_id}: it says ${left} and holds ${held}`)
  }
  return wrong
}

/** What is set aside for a task is used by its one usage receipt, or free again once the task has failed or is closed, and never both. */
function checkCredit({ events, tasks, postings, uses }: TaskFacts, credit: Row): string[] {
  const { task_id, entitlement_id, units, state, usage_receipt_id } = credit
  const charged = of(of(events, 'task_id', task_id), 'event', 'receipts_issued').map(
    ({ data }) => (JSON.parse(String(data)) as Row)['usage_receipt_id'],
  )
  const { state: reached } = of(tasks, 'task_id', task_id)[0] ?? {}
  const unused = reached === 'failed' || reached === 'closed' ? 'released' : 'reserved'
  const due = charged.length > 0 ? 'used' : unused
  const receipts: unknown[] = usage_receipt_id === null ? [] : [usage_receipt_id]
  const taken = postings.filter(
    ({ receipt_id, account }) =>
      receipts.includes(receipt_id) && account === `credit:${entitlement_id}`,
  )
  const notified = uses.filter(({ usage_receipt_id: receipt }) => receipts.includes(receipt))
  const once = (rows: Row[], column: string, sign: number) =>
    rows.map((row) => Number(row[column]) * sign).join() ===
    receipts.map(() => Number(units)).join()
  return [
    ...(state === due ? [] : [`${task_id}: its credit is ${state} and should be ${due}`]),
    ...(charged.join() === receipts.join()
      ? []
      : [`${task_id}: its ledger and its credit name other usage receipts`]),
    ...(once(taken, 'units', -1) && once(notified, 'credit_units', 1)
      ? []
      : [`${task_id}: its credit was not used once`]),
  ]
}

/** Credit is funded at most once, uses come to what is consumed, and nothing is left once every run that it was for is over. */
function checkEntitlement({ credits, postings, uses }: TaskFacts, entitlement: Row): string[] {
  const { entitlement_id, granted_units, consumed_units, returned_units, state, runs } = entitlement
  const own = of(credits, 'entitlement_id', entitlement_id)
  const funded = of(postings, 'account', `credit:${entitlement_id}`).filter(
    ({ units }) => Number(units) > 0,
  )
  const used = of(uses, 'chain', entitlement_id).reduce(
    (total, { credit_units }) => total + Number(credit_units),
    0,
  )
  const left = Number(granted_units) - Number(consumed_units) - Number(returned_units)
  const over = own.length >= Number(runs) && of(own, 'state', 'reserved').length === 0
  const paid = funded.map(({ units }) => Number(units)).join()
  const wrong = [
    paid === (state === 'pending' ? '' : String(granted_units)) ? '' : `it was funded by ${paid}`,
    used === Number(consumed_units) && used === sum(of(own, 'state', 'used'))
      ? ''
      : `uses of ${used} stand against ${consumed_units}, of tasks ${sum(of(own, 'state', 'used'))}`,
    sum(of(own, 'state', 'reserved')) > left ? 'more is set aside than is left' : '',
    over && state !== 'pending' && left !== 0
      ? `${left} are left although no run will use them`
      : '',
  ]
  return wrong.filter((what) => what !== '').map((what) => `${entitlement_id}: ${what}`)
}
