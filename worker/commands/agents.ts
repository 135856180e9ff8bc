import { type Command, InvalidArgumentError, Option } from 'commander'
import { z } from 'zod'
import { trustStates } from '#domain/agents/trust.ts'
import type { Decision } from '#domain/reviews/review.ts'
import { callAsOperator } from '../operator-calls.ts'
import { type Output, recordText, show, tableText } from '../print.ts'
import { byOperator, operatorOption } from './by-operator.ts'
import { decideOne, readSubject, subjectText } from './review-calls.ts'

const PATH = '/api/operator/agents'
const LIMITS = '/api/operator/agent-limits'
const KEYS = '/api/signing-secret-rotation'

const Line = z.looseObject({
  agent_id: z.string(),
  name: z.string(),
  trust_state: z.string(),
  rails: z.array(z.string()),
  credential_id: z.string().nullable(),
  credential_state: z.string().nullable(),
  credential_expires_at: z.string().nullable(),
  limits: z.record(z.string(), z.unknown()).nullable(),
  open_tasks: z.number(),
})
const Lines = z.object({ items: z.array(Line) })
const Versions = z.object({ versions: z.array(z.record(z.string(), z.unknown())) })

type Options = Output & { operator: string }
type ListOptions = Options & { search?: string; state?: string; limit: string; offset: string }
type LimitOptions = {
  rails?: string[] | 'none'
  scopes?: string[] | 'none'
  maxUsd?: number | 'none'
  concurrentRuns?: number | 'none'
}
type DecideOptions = Options & LimitOptions & { note: string; seen: string }

/** `agent-rails agents …`: agents with their trust, limits and access keys, and the decisions about them. */
export function addAgents(program: Command): void {
  const agents = program.command('agents').description('agents with their trust and access keys')
  operatorOption(agents.command('list').description('agents, the newest first'))
    .option('--search <text>', 'id, account, name or e-mail address')
    .addOption(new Option('--state <state>', 'only with this trust').choices(trustStates))
    .option('--limit <number>', 'how many, 1 to 100', '25')
    .option('--offset <number>', 'after how many', '0')
    .action(async (options: ListOptions) => {
      const { operator, search, json: _json, ...query } = options
      const asked = new URLSearchParams({ ...query, ...(search && { q: search }) })
      const answer = await callAsOperator(operator, 'GET', `${PATH}?${asked}`)
      show(options, answer, listText)
    })
  operatorOption(
    agents.command('show <id>').description('an agent with everything that a decision is about'),
  ).action(async (id: string, options: Options) => {
    const line = await lineOf(options.operator, id)
    const { answer, ...subject } = await readSubject(options.operator, id)
    const shown = { agent: line, evidence: answer['evidence'] }
    show(options, shown, () => `${recordText(line)}\n${subjectText(id, subject)}`)
  })
  addTrust(agents)
  addLimitsOf(agents)
  addKeysOf(agents)
}

/** The decisions that an agent can get; `hold` stops a trusted agent until it is approved again. */
function addTrust(agents: Command): void {
  const about = {
    approve: 'trust an agent, within limits where they are given',
    reject: 'refuse an agent for good',
    hold: 'look at an agent later; one that is trusted is stopped until it is approved again',
  } as const
  for (const decision of ['approve', 'reject', 'hold'] as const) {
    const command = operatorOption(agents.command(`${decision} <id>`).description(about[decision]))
      .requiredOption('--note <text>', 'why, for the receipt')
      .requiredOption('--seen <digest>', 'the digest that `agents show` printed')
    if (decision === 'hold') command.alias('pause')
    if (decision === 'approve') addLimits(command)
    command.action((id: string, options: DecideOptions) => decide(decision, id, options))
  }
}

/** `agents limits ID`: what a trusted agent is limited to; with options, a change of those that are named. */
function addLimitsOf(agents: Command): void {
  const command = operatorOption(agents.command('limits <id>')).description(
    'what the agent is limited to; with options, change those limits of a trusted agent',
  )
  addLimits(command, { removable: true })
    .option('--reason <text>', 'why they change, for the receipt')
    .action(async (agent_id: string, options: LimitOptions & Options & { reason?: string }) => {
      const { operator, reason } = options
      const limits = limitsIn(options)
      if (Object.keys(limits).length === 0) return showLimits(agent_id, options)
      if (reason === undefined) throw new InvalidArgumentError('--reason says why they change')
      const asked = { agent_id, limits, reason }
      show(options, await callAsOperator(operator, 'POST', LIMITS, asked))
    })
}

async function showLimits(agent_id: string, options: Options): Promise<void> {
  const { limits } = await lineOf(options.operator, agent_id)
  show(options, { agent_id, limits }, () =>
    limits === null || Object.keys(limits).length === 0 ? 'no limits' : recordText(limits),
  )
}

/** With `removable`, `none` removes a limit. */
function addLimits(command: Command, { removable = false } = {}): Command {
  const read = removable ? orNone : <T>(one: (text: string) => T) => one
  const none = removable ? ', or none' : ''
  return command
    .option('--rails <rails>', `only these rails, separated by commas${none}`, read(separated))
    .option('--scopes <scopes>', `only these scopes, separated by commas${none}`, read(separated))
    .option('--max-usd <number>', `the most that it may pay at once${none}`, read(whole))
    .option('--concurrent-runs <number>', `how many runs at once${none}`, read(whole))
}

/** Commander takes null for a value that is missing. */
const orNone =
  <T>(read: (text: string) => T) =>
  (text: string): T | 'none' =>
    text === 'none' ? text : read(text)

function limitsIn({ rails, scopes, maxUsd, concurrentRuns }: LimitOptions): object {
  const given = { rails, scopes, max_usd: maxUsd, concurrent_runs: concurrentRuns }
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(named.map(([name, value]) => [name, value === 'none' ? null : value]))
}

async function decide(decision: Decision, id: string, options: DecideOptions): Promise<void> {
  const { operator, note, seen } = options
  const limits = limitsIn(options)
  const more = Object.keys(limits).length === 0 ? {} : { limits }
  show(options, await decideOne(decision, id, { operator, note, seen: [seen], more }))
}

function addKeysOf(agents: Command): void {
  operatorOption(
    agents
      .command('credentials <id>')
      .description('the newest access key of an agent, and the versions of its signing key'),
  ).action(async (id: string, options: Options) => {
    const { credential_id, credential_state, credential_expires_at } = await lineOf(
      options.operator,
      id,
    )
    const read = await callAsOperator(options.operator, 'GET', `${KEYS}?agent_id=${id}`)
    const access_key = { credential_id, credential_state, credential_expires_at }
    const { versions } = Versions.parse(read)
    show(options, { access_key, signing_keys: versions }, () =>
      [recordText(access_key), tableText(versions, 'no signing key')].join('\n'),
    )
  })
  byOperator(
    agents
      .command('rotate-credential <id>')
      .description('prepare the next access key, which the agent claims by handshake'),
  )
    .option('--overlap <seconds>', 'how long the old key stays valid after the claim', whole)
    .option('--revoke-old', 'end the old key at once')
    .action(
      async (
        agent_id: string,
        options: Options & { reason: string; overlap?: number; revokeOld?: true },
      ) => {
        const { operator, reason, overlap, revokeOld } = options
        const answer = await callAsOperator(operator, 'POST', KEYS, {
          mode: 'rotate_signing_credential',
          target: 'own_access_key',
          agent_id,
          reason,
          revoke_old: revokeOld === true,
          ...(overlap === undefined ? {} : { overlap_seconds: overlap }),
        })
        show(options, answer)
      },
    )
}

async function lineOf(operator: string, id: string): Promise<z.output<typeof Line>> {
  const query = new URLSearchParams({ q: id })
  const { items } = Lines.parse(await callAsOperator(operator, 'GET', `${PATH}?${query}`))
  const line = items.find(({ agent_id }) => agent_id === id)
  if (line === undefined) throw new Error(`there is no agent ${id}`)
  return line
}

const listText = (answer: unknown): string =>
  tableText(
    Lines.parse(answer).items.map((agent) => ({
      agent_id: agent.agent_id,
      name: agent.name,
      trust: agent.trust_state,
      access_key: agent.credential_state,
      open_tasks: agent.open_tasks,
      rails: agent.rails,
    })),
    'no agent matches',
  )

const separated = (text: string): string[] => text.split(',')

function whole(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new InvalidArgumentError('a whole number')
}
