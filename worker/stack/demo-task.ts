import { join } from 'node:path'
import { demoReceiverPath } from '#domain/callbacks/callback-body.ts'
import { writeSecret } from '../../activities/config/secret-file.ts'
import {
  type Customer,
  claimAccessKey,
  createClient,
  type OutputOf,
  type OwnTask,
  openCustomer,
  registerAgent,
  waitForTask,
} from '../../clients/typescript/src/index.ts'
import type { Demo } from './demo-run.ts'
import { demoUsage } from './demo-usage.ts'
import { judgeOffline } from './offline.ts'
import { openReviewer } from './reviewer.ts'

/** What a stranger needs to check the task: `replay` is what the offline program said of the package. */
export type TaskSummary = {
  task: OutputOf<'task-ledger'>['task']
  ledger: OutputOf<'task-ledger'>['entries']
  run: OutputOf<'get-run-status'>['run']
  return_package: OutputOf<'fetch-return-package'>['return_package']
  replay: unknown
}

/**
 * A full reference run through the public API, in its usual order: an agent registers, is trusted, quoted and paid
 * for by invoice, its input is worked on and reviewed, and it gets a signed package, a callback, and a file that anyone can replay.
 */
export async function runDemoTask(demo: Demo, jwks: OutputOf<'jwks'>): Promise<TaskSummary> {
  const { hosts, run, stack, say } = demo
  const reviewer = openReviewer(hosts, stack.accounts.operator.credential)
  const customer = await comeIn(demo, reviewer)
  const { task, contract } = await agreeAndPay(demo, customer, reviewer)

  await customer.submit(task, contract, demoUsage)
  const run_id = await work(task, reviewer)
  say(
    `run         nine steps over ${demoUsage.usage.length} rows of model usage; the operator has reviewed the result`,
  )
  const { task: closed, entries } = await waitForTask(task, 'closed')
  const { return_package } = await customer.returnPackage(run_id)
  writeSecret(join(demo.directory, 'return-package.json'), return_package)
  say(`result      ${return_package.return_package_id}, proof ${return_package.proof_hash}`)
  const { items } = (await createClient(hosts).call('callback-demo-read', { receiver: run })).body
  say(
    `callback    ${items.filter(({ verified }) => verified).length} taken and verified by the demo receiver`,
  )
  const { attestation } = (await task.holder.call('task-attestation', {})).body
  say(`attested    ${attestation.receipt_id} over a ledger of ${entries.length} entries`)
  const replay = await replayOffline(
    demo,
    (await task.holder.call('task-replay-package', {})).body,
    jwks,
  )
  return { task: closed, ledger: entries, run: await customer.run(run_id), return_package, replay }
}

type Reviewer = ReturnType<typeof openReviewer>

/** Registration, trust, and the access key. */
async function comeIn({ hosts, run, say }: Demo, reviewer: Reviewer): Promise<Customer> {
  const agent = await registerAgent(hosts, { ...manifest, idempotency_key: `${run}-register` })
  const { agent_id } = agent.registered.agent
  say(`registered  ${agent_id} waits for trust`)
  await reviewer.approve('agent', agent_id, 'known from the demo')
  const accessKey = await claimAccessKey(agent)
  say(
    'trusted     by the operator; the access key is claimed with a signature of the registered key',
  )
  return openCustomer(agent, accessKey, run)
}

/** Quote, preflight, contract, and the invoice that an operator finds paid. */
async function agreeAndPay({ hosts, run, ui, say }: Demo, customer: Customer, reviewer: Reviewer) {
  const quote = await customer.quote(order)
  const task = await customer.preflight({
    ...order,
    callback_url: `${hosts.baseUrl}${demoReceiverPath}?receiver=${run}`,
  })
  const { task_id } = task.begun.task
  say(
    `preflight   ${task_id}: ${task.begun.checks.map(({ check }) => check).join(', ')} are in order`,
  )
  say(`            ${ui}/${task_id}`)
  const { contract } = await customer.prepareContract(task)
  const { challenge } = await customer.acceptContract(contract, quote)
  if (challenge === null) throw new Error('the accepted contract asks for no payment')
  say(
    `contract    ${contract.contract_id} accepted, ${quote.total_usd} usd by ${quote.provider_route.service_id}`,
  )
  const invoice = { method: 'invoice_reference', external_reference: `INV-${run}` } as const
  const { payment_reference_id } = await customer.present(challenge, invoice)
  await reviewer.approve('payment_reference', payment_reference_id, 'the money is on our account')
  say(
    `credit      invoice INV-${run} is confirmed by the operator: a settlement receipt funds the run`,
  )
  return { task, contract }
}

/** The operator lets the work begin and takes its result; returns the id of the run. */
async function work(task: OwnTask, reviewer: Reviewer): Promise<string> {
  await reviewer.approve('task', task.begun.task.task_id, 'may run')
  const { run_id } = (await waitForTask(task, 'operating')).task
  if (run_id === null) throw new Error('a task at work has no run')
  await reviewer.approve('loop_step', run_id, 'the result holds')
  return run_id
}

/** Verifies the package with the key set alone, and does the work of the run again; throws unless that proves it. */
async function replayOffline(
  demo: Demo,
  content: OutputOf<'task-replay-package'>,
  keys: OutputOf<'jwks'>,
): Promise<unknown> {
  const report = await judgeOffline<{
    verdict: string
    checks: { check: string; detail: string }[]
  }>(demo, 'replay', { name: 'replay-package.json', content, keys })
  const again = report.checks.find(({ check }) => check === 'replay')?.detail
  demo.say(`replayed    ${report.verdict}: ${again}`)
  return report
}

const order = {
  rail: 'tokenops',
  tier: 'standard',
  objective: 'What did our models cost in November?',
  usage: 'operational',
  input: demoUsage,
} as const

const manifest = {
  name: 'Demo agent',
  contact: { email: 'demo@agent.example' },
  capabilities: ['reads what models cost'],
  rails: ['tokenops' as const],
  requested_scopes: ['runs:read' as const, 'runs:write' as const],
}
