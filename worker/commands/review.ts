import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { type Decision, decisions, subjectKinds } from '#domain/reviews/review.ts'
import { readJsonFile } from '../../activities/config/config.ts'
import { type Output, show } from '../print.ts'
import { operatorOption } from './by-operator.ts'
import { type BatchOptions, batchColumns, decideAll } from './review-batch.ts'
import {
  decideOne,
  itemsText,
  type Judged,
  readReviews,
  readSubject,
  subjectText,
} from './review-calls.ts'
import { addWhere } from './where.ts'

type ListOptions = Output & {
  operator: string
  kind?: string
  rail?: string
  olderThan?: number
  minAmount?: string
  limit: string
}
type ShowOptions = Output & { operator: string; part?: string; offset: string }
type DecideOptions = BatchOptions & { all?: true; input?: string }

/** `agent-rails review list | show | approve | reject | revise | hold`: what waits for a decision, its evidence, and the decision. */
export function addReview(program: Command): void {
  const review = program.command('review').description('what waits for an operator’s decision')
  operatorOption(review.command('list').description('everything that waits, oldest first'))
    .addOption(new Option('--kind <kind>', 'only this kind').choices(subjectKinds))
    .option('--rail <rail>', 'only this rail')
    .option('--older-than <time>', 'only what has waited so long, such as 30m, 4h or 2d', seconds)
    .option('--min-amount <usd>', 'only with at least so much money at stake')
    .option('--limit <number>', 'how many, 1 to 100', '25')
    .action(async (options: ListOptions) => {
      const { operator, json: _json, olderThan, minAmount, ...query } = options
      const asked: Record<string, string> = query
      if (olderThan !== undefined) asked['older_than_seconds'] = String(olderThan)
      if (minAmount !== undefined) asked['min_amount_usd'] = minAmount
      const { answer, page } = await readReviews(operator, asked)
      const { items, total } = page
      const more = total > items.length ? `\n${items.length} of ${total}; --limit shows more` : ''
      show(options, answer, () => itemsText(items, 'nothing waits for a decision') + more)
    })
  operatorOption(review.command('show <id>').description('everything that the decision is about'))
    .option('--part <name>', 'a slice of a long part or of an uploaded list, such as input.usage')
    .option('--offset <number>', 'where the slice begins, as the slice before it said', '0')
    .action(async (id: string, options: ShowOptions) => {
      if (options.part !== undefined) return showPart(id, options.part, options)
      const { answer, ...subject } = await readSubject(options.operator, id)
      show(options, answer['evidence'], () => subjectText(id, subject))
    })
  for (const decision of decisions) addDecision(review, decision)
}

async function showPart(subject_id: string, part: string, options: ShowOptions): Promise<void> {
  const query = { subject_id, part, part_offset: options.offset }
  const { answer, page } = await readReviews(options.operator, query)
  const { text = '', next_offset = null } = page.evidence_part ?? {}
  const next = next_offset === null ? 'this was the end' : `continue with --offset ${next_offset}`
  show(options, answer['evidence_part'], () => `${text}\n${next}`)
}

function addDecision(review: Command, decision: Decision): void {
  const command = operatorOption(
    review
      .command(`${decision} [id]`)
      .description(
        `${decision} what \`review show\` printed, or with --all what \`--dry-run\` listed`,
      ),
  )
    .requiredOption('--note <text>', 'why, for the receipt')
    .option(
      '--seen <digest>',
      'the digest that `review show` or `--dry-run` printed; again for each part that was opened',
      collected,
      [],
    )
    .option('--all', 'all of a kind that wait, at most 100, with the same criteria')
    .addOption(new Option('--kind <kind>', 'of --all').choices(subjectKinds))
    .option('--rail <rail>', 'of --all: only this rail')
    .option('--state <state>', 'of --all: only in this state')
    .option('--dry-run', 'of --all: try it on each, undo it, and print the outcome')
    .option('--met <number:note>', 'this criterion is met; may be repeated', judged, [])
    .option('--not-met <number:note>', 'this criterion is not met; may be repeated', judged, [])
  addWhere(command, batchColumns)
  if (decision === 'revise')
    command
      .option('--parameter <name=json>', 'a parameter of the run; may be repeated', parameter, [])
      .option('--input <file>', 'a corrected input as JSON, which the agent has to accept')
  command.action(async (id: string | undefined, options: DecideOptions) => {
    if (options.all === true) return decideAll(decision, asBatch(options))
    if (id === undefined || options.seen.length === 0)
      throw new InvalidArgumentError('an id and --seen, or --all')
    const { operator, note, seen, met, notMet } = options
    const asked = { operator, note, seen, met, notMet, more: revisionOf(options) }
    show(options, await decideOne(decision, id, asked))
  })
}

function asBatch(options: DecideOptions): BatchOptions {
  if (options.input !== undefined)
    throw new InvalidArgumentError('an input is proposed for one run, not for --all')
  return options
}

const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

function seconds(text: string): number {
  const [, number, unit = ''] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? []
  const length = secondsIn[unit]
  if (length === undefined) throw new InvalidArgumentError('a number and s, m, h or d, such as 4h')
  return Number(number) * length
}

const collected = (text: string, before: string[]): string[] => [...before, text]

function parameter(text: string, before: [string, unknown][]): [string, unknown][] {
  const [, name, value] = /^([a-z_]+)=([\s\S]+)$/.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('NAME=JSON, such as tolerance_minor=50')
  try {
    return [...before, [name, JSON.parse(value)]]
  } catch {
    throw new InvalidArgumentError(`${value} is not JSON: text needs quotes`)
  }
}

function revisionOf({ parameter = [], input }: DecideOptions): Record<string, unknown> {
  if (input !== undefined)
    return { revision: { input: readJsonFile(input, z.record(z.string(), z.unknown())) } }
  return parameter.length === 0 ? {} : { revision: { parameters: Object.fromEntries(parameter) } }
}

function judged(text: string, before: Judged[]): Judged[] {
  const [, number, note = ''] = /^([1-9][0-9]?)(?::([\s\S]*))?$/.exec(text) ?? []
  if (number === undefined)
    throw new InvalidArgumentError('NUMBER or NUMBER:NOTE, with the number of the criterion')
  return [...before, { number: Number(number), note }]
}
