import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import type { Judgement } from '#domain/reviews/evidence.ts'
import { type Decision, decisions, subjectKinds } from '#domain/reviews/review.ts'
import { readJsonFile } from '../../activities/config/config.ts'
import { callAsOperator } from '../operator-calls.ts'
import { print, printJson } from '../print.ts'
import { operatorOption } from './by-operator.ts'
import { type BatchOptions, decideAll } from './review-batch.ts'

const PATH = '/api/loop-review-console'

const Item = z.object({
  subject_kind: z.string(),
  subject_id: z.string(),
  waiting_since: z.string(),
  summary: z.string(),
  allowed_decisions: z.array(z.string()),
})
const Evidence = z.object({
  subject_kind: z.string(),
  waiting_since: z.string(),
  parts: z.array(z.object({ name: z.string(), bytes: z.number(), content: z.unknown() })),
  root_sha256: z.string(),
})
const Page = z.object({ items: z.array(Item), total: z.number(), evidence: Evidence.nullable() })
type Item = z.output<typeof Item>
type Evidence = z.output<typeof Evidence>

type ListOptions = { operator: string; kind?: string; rail?: string; limit: string; json?: true }
type ShowOptions = { operator: string; json?: true }
type DecideOptions = BatchOptions & {
  all?: true
  met: Judged[]
  notMet: Judged[]
  parameter: [string, unknown][]
  input?: string
}
type Judged = { number: number; note: string }

/** `agent-rails review list | show | approve | reject | revise | hold`: what waits for a decision, its evidence, and the decision. */
export function addReview(program: Command): void {
  const review = program.command('review').description('what waits for an operator’s decision')
  operatorOption(review.command('list').description('everything that waits, oldest first'))
    .addOption(new Option('--kind <kind>', 'only this kind').choices(subjectKinds))
    .option('--rail <rail>', 'only this rail')
    .option('--limit <number>', 'how many, 1 to 100', '25')
    .option('--json', 'print them as JSON')
    .action(async ({ operator, json, ...query }: ListOptions) => {
      const body = await callAsOperator(operator, 'GET', `${PATH}?${new URLSearchParams(query)}`)
      if (json === true) return printJson(body)
      const { items, total } = Page.parse(body)
      if (items.length === 0) return print('nothing waits for a decision')
      print(items.map(lineOf).join('\n'))
      if (total > items.length) print(`${items.length} of ${total}; --limit shows more`)
    })
  operatorOption(review.command('show <id>').description('everything that the decision is about'))
    .option('--json', 'print it as JSON')
    .action(async (id: string, { operator, json }: ShowOptions) => {
      const { items, evidence } = await readSubject(operator, id)
      if (json === true) return printJson(evidence)
      print(items.map(lineOf).join('\n') || `${id} does not wait for a decision now`)
      print(evidence.parts.map(partText).join('\n'))
      print(`seen ${evidence.root_sha256}`)
    })
  for (const decision of decisions) addDecision(review, decision)
}

function addDecision(review: Command, decision: (typeof decisions)[number]): void {
  const command = operatorOption(
    review
      .command(`${decision} [id]`)
      .description(
        `${decision} what \`review show\` printed, or with --all what \`--dry-run\` listed`,
      ),
  )
    .requiredOption('--note <text>', 'why, for the receipt')
    .option('--seen <digest>', 'the digest that `review show` or `--dry-run` printed')
    .option('--all', 'all of a kind that wait, at most 100, with the same criteria')
    .addOption(new Option('--kind <kind>', 'of --all').choices(subjectKinds))
    .option('--rail <rail>', 'of --all: only this rail')
    .option('--state <state>', 'of --all: only in this state')
    .option('--dry-run', 'of --all: try it on each, undo it, and print the outcome')
    .option('--met <number:note>', 'this criterion is met; may be repeated', judged, [])
    .option('--not-met <number:note>', 'this criterion is not met; may be repeated', judged, [])
  if (decision === 'revise')
    command
      .option('--parameter <name=json>', 'a parameter of the run; may be repeated', parameter, [])
      .option('--input <file>', 'a corrected input as JSON, which the agent has to accept')
  command.action(async (id: string | undefined, options: DecideOptions) => {
    if (options.all === true) return decideAll(decision, options)
    if (id === undefined || options.seen === undefined)
      throw new InvalidArgumentError('an id and --seen, or --all')
    await decideOne(decision, id, { ...options, seen: options.seen })
  })
}

async function decideOne(
  decision: Decision,
  id: string,
  { operator, note, seen, met, notMet, ...revised }: DecideOptions & { seen: string },
): Promise<void> {
  const { evidence } = await readSubject(operator, id)
  printJson(
    await callAsOperator(operator, 'POST', PATH, {
      subject_kind: evidence.subject_kind,
      subject_id: id,
      decision,
      note,
      evidence_seen_sha256: [seen],
      ...revisionOf(revised),
      judgements: [
        ...judgementsOf(evidence, met, 'met'),
        ...judgementsOf(evidence, notMet, 'not_met'),
      ],
    }),
  )
}

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

function revisionOf({
  parameter = [],
  input,
}: Partial<Pick<DecideOptions, 'parameter' | 'input'>>) {
  if (input !== undefined)
    return { revision: { input: readJsonFile(input, z.record(z.string(), z.unknown())) } }
  return parameter.length === 0 ? {} : { revision: { parameters: Object.fromEntries(parameter) } }
}

async function readSubject(operator: string, id: string) {
  const path = `${PATH}?${new URLSearchParams({ subject_id: id })}`
  const { items, evidence } = Page.parse(await callAsOperator(operator, 'GET', path))
  if (evidence === null) throw new Error(`the service has no evidence of ${id}`)
  return { items, evidence }
}

const lineOf = ({ subject_kind, subject_id, waiting_since, ...item }: Item): string =>
  `${subject_id}\n    ${subject_kind} since ${waiting_since}: ${item.summary}\n    ${item.allowed_decisions.join(', ')}`

/** A part as indented JSON; criteria have the numbers by which they are judged. */
function partText({ name, bytes, content }: Evidence['parts'][number]): string {
  if (content === null) return `${name}: ${bytes} bytes, read it by part=${name}`
  if (name === 'criteria')
    return ['criteria:', ...criteriaOf(content).map((text, at) => `  ${at + 1}: ${text}`)].join(
      '\n',
    )
  return `${name}: ${JSON.stringify(content, null, 2)}`
}

const criteriaOf = (content: unknown): string[] => z.array(z.string()).parse(content ?? [])

function judged(text: string, before: Judged[]): Judged[] {
  const [, number, note = ''] = /^([1-9][0-9]?)(?::([\s\S]*))?$/.exec(text) ?? []
  if (number === undefined)
    throw new InvalidArgumentError('NUMBER or NUMBER:NOTE, with the number of the criterion')
  return [...before, { number: Number(number), note }]
}

function judgementsOf(
  { parts }: Evidence,
  given: readonly Judged[],
  verdict: Judgement['verdict'],
): Judgement[] {
  const criteria = criteriaOf(parts.find(({ name }) => name === 'criteria')?.content)
  return given.map(({ number, note }) => {
    const criterion = criteria[number - 1]
    if (criterion === undefined)
      throw new Error(`there are ${criteria.length} criteria, and none with the number ${number}`)
    return { criterion, verdict, note }
  })
}
