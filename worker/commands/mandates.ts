import { readFileSync, statSync } from 'node:fs'
import type { Command } from 'commander'
import { z } from 'zod'
import { askAsOperator, callAsOperator } from '../operator-calls.ts'
import { type Output, recordText, show, tableText } from '../print.ts'
import { byOperator, operatorOption } from './by-operator.ts'

const PATH = '/api/operator/mandates'
const AUTHORITY = '/api/delegated-authority'
const BYTES_MAX = 256 * 1024

const Line = z.looseObject({
  mandate_id: z.string(),
  kind: z.string(),
  state: z.string(),
  agent_id: z.string().nullable(),
  principal: z.string(),
  budget: z
    .object({ currency: z.string(), total: z.string(), used: z.string(), left: z.string() })
    .nullable(),
  uses: z.number(),
  uses_max: z.number().nullable(),
  expires_at: z.string().nullable(),
})
const Lines = z.object({ items: z.array(Line) })
const Judged = z.looseObject({
  valid: z.boolean(),
  state: z.string().nullable(),
  checks: z.array(z.record(z.string(), z.unknown())),
  constraints: z.array(z.record(z.string(), z.unknown())).optional(),
})
/** What `issue_mandate` answered. */
const Issued = z.looseObject({
  open_payment_mandate: z.string(),
  open_checkout_mandate: z.string(),
})

type Options = Output & { operator: string }
type ListOptions = Options & {
  search?: string
  kind?: string
  state?: string
  limit: string
  offset: string
}
type InspectOptions = Options & { checkout?: string; challenge?: string }

/** `agent-rails mandates …`: mandates of authority, of AP2 and for payouts, their inspection and revocation. */
export function addMandates(program: Command): void {
  const mandates = program
    .command('mandates')
    .description('mandates of authority, of AP2 and for payouts, and what is left of them')
  operatorOption(mandates.command('list').description('mandates, the newest first'))
    .option('--search <text>', 'id of a mandate, grant, agent or payout, principal or issuer')
    .option('--kind <kind>', 'authority, ap2 or payout')
    .option('--state <state>', 'active, exhausted, expired or revoked')
    .option('--limit <number>', 'how many, 1 to 100', '25')
    .option('--offset <number>', 'after how many', '0')
    .action(async (options: ListOptions) => {
      const { operator, search, json: _json, ...query } = options
      const asked = new URLSearchParams({ ...query, ...(search && { q: search }) })
      show(options, await callAsOperator(operator, 'GET', `${PATH}?${asked}`), listText)
    })
  operatorOption(
    mandates
      .command('show <id>')
      .description('a mandate with its terms, decisions, grants, actions and payments'),
  ).action(async (id: string, options: Options) =>
    show(options, await callAsOperator(options.operator, 'GET', `${PATH}/${id}`)),
  )
  addInspect(mandates)
  byOperator(
    mandates.command('revoke <id>').description('revoke a mandate with its unused grants'),
  ).action(async (mandate_id: string, options: Options & { reason: string }) => {
    const { operator, reason } = options
    const asked = { mode: 'revoke_mandate', action: { mandate_id, reason } }
    show(options, await askAsOperator(operator, AUTHORITY, asked))
  })
}

function addInspect(mandates: Command): void {
  operatorOption(
    mandates
      .command('inspect <file>')
      .description(
        'judge a mandate without using it: a signed mandate, the answer of issue_mandate, or an AP2 mandate as text, open or closed; exit 1 where it is not valid',
      ),
  )
    .option('--checkout <file>', 'the checkout mandate that belongs to an AP2 payment mandate')
    .option('--challenge <file>', 'the challenge token that the mandates were closed for')
    .action(async (file: string, options: InspectOptions) => {
      const asked = { mode: 'inspect_mandate', ...presented(file, options) }
      const answer = await askAsOperator(options.operator, AUTHORITY, asked)
      show(options, answer, judgedText)
      if (!Judged.parse(answer).valid) process.exitCode = 1
    })
}

/** A JSON object is a mandate of authority or what `issue_mandate` answered; any other text is a mandate of AP2. */
function presented(file: string, { checkout, challenge }: InspectOptions): object {
  const text = readText(file)
  const more = {
    ...(checkout === undefined ? {} : { checkout: readText(checkout) }),
    ...(challenge === undefined ? {} : { challenge_token: readText(challenge) }),
  }
  if (!text.startsWith('{')) return { action: { ap2: { payment: text, ...more } } }
  const object = z.record(z.string(), z.unknown()).parse(JSON.parse(text))
  const issued = Issued.safeParse(object)
  if (!issued.success) return { signed_mandate: object['signed_mandate'] ?? object }
  const { open_payment_mandate: payment, open_checkout_mandate } = issued.data
  return { action: { ap2: { payment, checkout: open_checkout_mandate, ...more } } }
}

function readText(path: string): string {
  if (statSync(path).size > BYTES_MAX)
    throw new Error(`${path}: it has more than ${BYTES_MAX} bytes`)
  return readFileSync(path, 'utf8').trim()
}

const listText = (answer: unknown): string =>
  tableText(
    Lines.parse(answer).items.map(({ budget, uses, uses_max, ...line }) => ({
      mandate_id: line.mandate_id,
      kind: line.kind,
      state: line.state,
      agent_id: line.agent_id,
      principal: line.principal,
      used: budget && `${budget.used} of ${budget.total} ${budget.currency}`,
      left: budget?.left ?? null,
      uses: `${uses} of ${uses_max ?? 'any'}`,
      expires_at: line.expires_at,
    })),
    'no mandate matches',
  )

function judgedText(answer: unknown): string {
  const { checks, constraints, ...rest } = Judged.parse(answer)
  return [
    recordText(rest),
    tableText(checks, 'no check'),
    ...(constraints === undefined ? [] : [tableText(constraints, 'no constraint')]),
  ].join('\n\n')
}
