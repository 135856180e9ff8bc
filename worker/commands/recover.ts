import { randomUUID } from 'node:crypto'
import { Argument, type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { type RecoverAct, recoverCommands } from '#domain/tasks/exception.ts'
import { readJsonFile } from '../../activities/config/config.ts'
import type { Line } from '../../api/services/recovery/line.ts'
import { type Output, printJson, show, tableText } from '../print.ts'
import type { Outcome } from '../recovery-service.ts'
import { byNamedOperator, jsonOption } from './by-operator.ts'
import { addWhere, chosen, type Where as WhereOf } from './where.ts'

const columns = ['id', 'kind', 'state', 'code', 'rail', 'usage', 'agent'] as const
type Where = WhereOf<(typeof columns)[number]>

/** Loaded by the command that needs it: most of a start would be spent on it otherwise. */
const openRecovery = async () => (await import('../recovery-service.ts')).openRecovery()

/** `agent-rails recover …`: list, explain and resolve stuck payouts and tasks, and compare everything; nothing is ever repaired by SQL. */
export function addRecover(program: Command): void {
  const recover = program
    .command('recover')
    .description(
      'list, explain and resolve what is stuck, and compare rows with the chain; nothing is ever repaired by SQL',
    )
  addWhere(jsonOption(recover.command('list')), columns)
    .description(
      'what is under way, at most 1,000 payouts and 1,000 tasks, and every late row; what is stopped or late first',
    )
    .option('--stuck', 'only what is stopped, or late by its own age')
    .action(async (options: Output & { stuck?: true; where: Where[] }) => {
      const { stuck, where } = options
      await using service = await openRecovery()
      const lines = chosen(await service.list(stuck === true), where)
      const none = `nothing ${stuck ? 'needs attention' : 'is under way'}${where.length > 0 ? ' and matches --where' : ''}`
      show(options, lines, () => lines.map(textOf).join('\n') || none)
    })
  jsonOption(recover.command('explain <id>'))
    .description('what a payout, a task or a run waits for, and the action that resolves it')
    .action(async (id: string, options: Output) => {
      await using service = await openRecovery()
      show(options, await service.explain(id), explanationText)
    })
  jsonOption(recover.command('replay-package <id>'))
    .description('print the signed replay package of a task, for agent-rails replay; always JSON')
    .action(async (id: string) => {
      await using service = await openRecovery()
      printJson(await service.replayPackage(id))
    })
  addAct(recover)
  addReconciliation(recover)
}

/** `!` marks what needs attention; ids are printed whole, because the next command takes one. */
const textOf = ({ id, summary, state, code, needs_attention, waits_for, act }: Line): string => {
  const is = [state, code].filter((one) => one !== null)
  return `${needs_attention ? '!' : ' '} ${id}\n    ${summary}: ${is.join(', ')}; waits for ${waits_for}${needs_attention && act !== null ? `\n    → ${act}` : ''}`
}

type Explained = Awaited<ReturnType<Awaited<ReturnType<typeof openRecovery>>['explain']>>

/** One name a line; what has several lines is indented. */
function explanationText(explanation: Explained): string {
  const lines = Object.entries(explanation).map(([name, value]) => {
    const text = ([value ?? []].flat().join(', ') || '–').replaceAll('\n', `\n${' '.repeat(17)}`)
    return `${name.padEnd(16)} ${text}`
  })
  return lines.join('\n')
}

type ActOptions = Output & {
  operator: string
  reason: string
  input?: string
  all?: true
  where: Where[]
  dryRun?: true
}

/** `recover act ID ACT`, and `recover act ACT --all --where …`. */
function addAct(recover: Command): void {
  addWhere(byNamedOperator(recover.command('act')), columns)
    .description(
      `act on one that is stuck, or with --all on several: ${recoverCommands.join(', ')}`,
    )
    .addArgument(new Argument('<id-or-act>', 'the id, or the act with --all'))
    .addArgument(new Argument('[act]').choices(recoverCommands))
    .option(
      '--input <file>',
      'the whole input of the run as JSON, for supply_evidence and correct_input',
    )
    .option('--all', 'on all that need attention and match --where')
    .option('--dry-run', 'try it on each, undo it, and print the outcome')
    .action(async (first: string, second: RecoverAct | undefined, options: ActOptions) => {
      await using service = await openRecovery()
      const { act, ids } =
        options.all === true
          ? {
              act: actNamed(second === undefined ? first : ''),
              ids: await idsOf(service, options.where),
            }
          : { act: actNamed(second ?? ''), ids: [first] }
      const { reason, operator, all, dryRun } = options
      const input =
        options.input === undefined ? undefined : readJsonFile(options.input, z.unknown())
      const key = randomUUID()
      const commands = ids.map((id) => ({ id, act, reason, input, key }))
      const outcomes = await service.act(operator, commands, dryRun === true)
      const text = () => outcomesText(act, outcomes, dryRun === true)
      show(options, all === true ? outcomes : outcomes[0], text)
      if (outcomes.some((outcome) => 'refused' in outcome)) process.exitCode = 1
    })
}

function outcomesText(act: RecoverAct, outcomes: readonly Outcome[], dryRun: boolean): string {
  if (outcomes.length === 0) return 'nothing needs attention and matches --where'
  if (dryRun) return triedText(act, outcomes)
  return outcomes
    .map((outcome) =>
      'refused' in outcome
        ? `${outcome.id} refused it: ${outcome.refused}`
        : `${outcome.id} is ${outcome.state}, ${outcome.receipt?.receipt_id}`,
    )
    .join('\n')
}

function triedText(act: RecoverAct, outcomes: readonly Outcome[]): string {
  const lines = outcomes.map((outcome) =>
    'refused' in outcome
      ? `${outcome.id} would refuse it: ${outcome.refused}`
      : `${outcome.id} would be ${outcome.state}`,
  )
  return [`${act}, tried on ${outcomes.length} and undone:`, ...lines].join('\n')
}

function actNamed(name: string): RecoverAct {
  const act = recoverCommands.find((known) => known === name)
  if (act === undefined)
    throw new InvalidArgumentError(`the act is one of ${recoverCommands.join(', ')}`)
  return act
}

async function idsOf(
  service: Awaited<ReturnType<typeof openRecovery>>,
  where: Where[],
): Promise<string[]> {
  if (where.length === 0)
    throw new InvalidArgumentError(
      'name which of them with --where, such as --where state=exception_open',
    )
  return chosen(await service.list(true), where).map(({ id }) => id)
}

function addReconciliation(recover: Command): void {
  jsonOption(recover.command('reconcile'))
    .description('compare chain, rows, workflows, receipts and charges now; exit 1 on a difference')
    .action(async (options: Output) => {
      await using service = await openRecovery()
      const { differences } = await service.reconcile()
      const seen = differences === 0 ? [] : (await service.exceptions()).filter((one) => one.seen)
      const agreed = 'rows and chain agree, and so do workflows, receipts and charges'
      show(options, { differences, exceptions: seen }, () => tableText(seen.map(line), agreed))
      if (differences > 0) process.exitCode = 1
    })
  jsonOption(recover.command('exceptions'))
    .description('differences that reconciliation found and that are not closed')
    .action(async (options: Output) => {
      await using service = await openRecovery()
      show(options, await service.exceptions(), (open) =>
        tableText(open.map(line), 'no exception is open'),
      )
    })
  byNamedOperator(recover.command('close <exception>'))
    .description('close an exception; what differs is not touched')
    .action(
      async (exception_id: string, options: Output & { reason: string; operator: string }) => {
        const { operator, reason } = options
        await using service = await openRecovery()
        show(options, await service.close(operator, { exception_id, reason }))
      },
    )
}

type Shown = {
  exception_id: string
  code: string
  subject: string
  seen: boolean
  first_seen_at: string
}
const line = ({ exception_id, code, subject, seen, first_seen_at }: Shown) => ({
  exception_id,
  code,
  subject,
  seen,
  first_seen_at,
})
