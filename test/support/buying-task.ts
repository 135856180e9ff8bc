import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { expect } from 'vitest'
import { acceptanceText } from '#domain/agents/signature.ts'
import { tokenops } from '#domain/rails/tokenops/index.ts'
import { transaction } from '../../activities/store/postgres/db.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { findTask } from '../../activities/store/tasks/tasks.ts'
import { type Client, createClient, type InputOf, ProblemError } from '../../api/http/client.ts'
import { manifestOf, provideInput } from '../../api/services/tasks/input.ts'
import { evidenceRoot, type Hosts, type trustedAgent } from './registering-agent.ts'

const key = () => randomBytes(6).toString('hex')
type Known = Awaited<ReturnType<typeof trustedAgent>>
type Reviewed = 'payment_reference' | 'task' | 'loop_step'
type Paid = Omit<InputOf<'payment-reference-create'>, 'idempotency_key'>

/** The code that a call is refused with; undefined where it is not. */
export const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (error instanceof ProblemError ? error.problem.code : error),
  )

/** An agent that buys runs of tokenops over HTTP, and the operator who decides about them; `repeating` is how both call. */
export function buyingAgent(
  hosts: Hosts,
  known: Known,
  operator: string,
  db: Kysely<Database>,
  repeating = (client: Client) => client,
) {
  const agent = repeating(
    createClient({ baseUrl: hosts.base, osUrl: hosts.os, agent: known.credential }),
  )
  const reviewer = repeating(createClient({ baseUrl: hosts.base, osUrl: hosts.os, operator }))
  let units = 1

  const review = async (
    subject_kind: Reviewed,
    subject_id: string,
    decision: 'approve' | 'reject' = 'approve',
  ) =>
    reviewer.call('loop-review-record', {
      subject_kind,
      subject_id,
      decision,
      note: 'seen',
      evidence_seen_sha256: [await evidenceRoot(reviewer, subject_id)],
      idempotency_key: key(),
    })

  async function preflighted() {
    const begun = await agent.call('preflight', {
      rail: 'tokenops',
      tier: 'standard',
      objective: 'what each model cost',
      idempotency_key: key(),
      input_manifest: manifestOf(tokenops.sandboxInput),
      input: tokenops.sandboxInput as unknown as Record<string, unknown>,
      on_gaps: 'report',
    })
    const { task_token, task } = begun.body
    return { taskId: task.task_id, task_token }
  }

  /** A task with a contract that waits to be accepted. */
  async function contracted(task?: Awaited<ReturnType<typeof preflighted>>) {
    const { taskId, task_token } = task ?? (await preflighted())
    const { contract } = (
      await agent.call('contract-prepare', { task_token, idempotency_key: key() })
    ).body
    const { contract_id, terms_sha256 } = contract
    const accept = async (quote_id?: string) =>
      (
        await agent.call('contract-accept', {
          contract_id,
          terms_sha256,
          idempotency_key: key(),
          signature: known.agent.signText(acceptanceText(contract_id, terms_sha256)),
          ...(quote_id === undefined ? {} : { quote_id }),
        })
      ).body
    return { taskId, task_token, accept }
  }

  async function quoted() {
    const bought = {
      rail: 'tokenops',
      tier: 'standard',
      units: ++units,
      idempotency_key: key(),
    } as const
    return (await agent.call('agent-quote', bought)).body.quote
  }

  /** A task whose money is asked for. */
  async function challenged() {
    const task = await contracted()
    const quote = await quoted()
    const accepted = await task.accept(quote.quote_id)
    const { entitlement, challenge } = accepted
    if (entitlement === null || challenge === null)
      throw new Error('money was expected to be asked for')
    return { ...task, accepted, entitlement, challenge, share: challenge.amount_usd / quote.units }
  }

  const stateOf = async (taskToken: string) => {
    const { body } = await createClient({ baseUrl: hosts.base, statusToken: taskToken }).call(
      'agent-status',
      {},
    )
    if (body.kind !== 'task') throw new Error('the status of a task was expected')
    return body.task.state
  }
  const reaches = (taskToken: string, state: string, timeout = 30_000) =>
    expect.poll(() => stateOf(taskToken), { timeout, interval: 200 }).toBe(state)
  const present = async (paid: Paid) =>
    (await agent.call('payment-reference-create', { ...paid, idempotency_key: key() })).body
      .payment_reference

  /** From the funded credit to the end, with the reviews of an operator. */
  async function finish({
    taskId,
    task_token,
  }: {
    taskId: string
    task_token: string
  }): Promise<void> {
    await transaction(db, (tx) => provideInput(tx, taskId, tokenops.sandboxInput))
    await review('task', taskId)
    await reaches(task_token, 'operating')
    const runId = (await findTask(db, taskId))?.run_id ?? ''
    // The run comes to its review by itself.
    await expect.poll(() => codeOf(review('loop_step', runId)), { interval: 300 }).toBeUndefined()
    await reaches(task_token, 'closed')
  }

  return {
    agent,
    reviewer,
    preflighted,
    contracted,
    quoted,
    challenged,
    stateOf,
    reaches,
    present,
    review,
    finish,
  }
}
