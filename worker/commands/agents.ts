import { type Command, Option } from 'commander'
import { z } from 'zod'
import { trustStates } from '#domain/agents/trust.ts'
import { callAsOperator } from '../operator-calls.ts'
import { print, printJson, printTable } from '../print.ts'
import { operatorOption } from './by-operator.ts'

const Page = z.object({
  items: z.array(
    z.looseObject({
      agent_id: z.string(),
      name: z.string(),
      trust_state: z.string(),
      rails: z.array(z.string()),
      credential_state: z.string().nullable(),
      open_tasks: z.number(),
    }),
  ),
})
type ListOptions = {
  operator: string
  search?: string
  state?: string
  limit: string
  offset: string
  json?: true
}

/** `agent-rails agents list`: agents with their trust, rails and access keys; `review` decides about their trust. */
export function addAgents(program: Command): void {
  const agents = program.command('agents').description('agents with their trust and access keys')
  operatorOption(agents.command('list').description('agents, the newest first'))
    .option('--search <text>', 'id, account, name or e-mail address')
    .addOption(new Option('--state <state>', 'only with this trust').choices(trustStates))
    .option('--limit <number>', 'how many, 1 to 100', '25')
    .option('--offset <number>', 'after how many', '0')
    .option('--json', 'print them as JSON')
    .action(async ({ operator, search, json, ...query }: ListOptions) => {
      const asked = new URLSearchParams({ ...query, ...(search && { q: search }) })
      const body = await callAsOperator(operator, 'GET', `/api/operator/agents?${asked}`)
      if (json === true) return printJson(body)
      const { items } = Page.parse(body)
      if (items.length === 0) return print('no agent matches')
      printTable(
        items.map(({ agent_id, name, trust_state, rails, credential_state, open_tasks }) => ({
          agent_id,
          name,
          trust: trust_state,
          access_key: credential_state,
          open_tasks,
          rails,
        })),
      )
    })
}
