import { createClient, type InputOf } from '../../api/http/client.ts'
import { freshKey } from './agent-use.ts'
import { type Hosts, patience, trustedAgent } from './registering-agent.ts'

/** What a client asks for a pilot with. */
export const intakeInput = (
  more: Partial<InputOf<'pilot-intake-submit'>> = {},
): InputOf<'pilot-intake-submit'> => ({
  client: { name: 'Northwind GmbH', contact: 'ops@northwind.example' },
  rail: 'financeops',
  objective: 'Match the open invoices of the fourth quarter with the payments.',
  data_declaration: 'no_regulated_or_confidential_data',
  idempotency_key: freshKey(),
  ...more,
})

/** A pilot that any caller asks for. */
export const requestedPilot = async (
  baseUrl: string,
  more: Partial<InputOf<'pilot-intake-submit'>> = {},
) =>
  (await createClient({ baseUrl, ...patience }).call('pilot-intake-submit', intakeInput(more))).body

/** The holder of a pilot's token, who has no key: any signature does. */
export const pilotClient = (baseUrl: string, statusToken: string, more = {}) =>
  createClient({ baseUrl, statusToken, ...more, signAsAgent: () => 'A'.repeat(86) })

/** Invitations of an operator, and what the holders of their tokens do. */
export function invitationsOf({ base }: Hosts, operator: string) {
  const console = createClient({ baseUrl: base, operator })
  const input = (more: Partial<InputOf<'pilot-invite'>> = {}): InputOf<'pilot-invite'> => ({
    client: { name: 'Northwind GmbH', contact: 'ops@northwind.example' },
    rail: 'financeops',
    objective: 'Match the open invoices of the fourth quarter with the payments.',
    idempotency_key: freshKey(),
    ...more,
  })
  return {
    input,
    invite: async (more: Partial<InputOf<'pilot-invite'>> = {}) =>
      (await console.call('pilot-invite', input(more))).body,
    intake: () => requestedPilot(base),
    read: async (token: string) => {
      const { body } = await pilotClient(base, token).call('invitation-read', {})
      if (!('terms' in body)) throw new Error('an invitation was expected')
      return body
    },
    respond: (token: string, more: Partial<InputOf<'invitation-respond'>>) =>
      pilotClient(base, token).call('invitation-respond', {
        response: 'decline',
        idempotency_key: freshKey(),
        ...more,
      }),
    waiting: async (subject_id: string) =>
      (
        await console.call('loop-review-console', { kind: 'pilot', limit: '100' })
      ).body.items.filter((item) => item.subject_id === subject_id),
  }
}

/** A trusted agent of a client, which asks for quotes of financeops. */
export async function agentOfPilots({ base, os }: Hosts, operator: string, sandbox = false) {
  const known = await trustedAgent({ base, os }, operator, {
    rails: ['financeops', 'tokenops'],
    requested_scopes: ['runs:read', 'runs:write'],
    sandbox,
  })
  const client = createClient({ baseUrl: base, osUrl: os, agent: known.credential })
  return {
    agentId: known.registered.agent.agent_id,
    client,
    quote: async (tier: 'standard' | 'pro') => {
      const asked = { rail: 'financeops', tier, units: 1, idempotency_key: freshKey() } as const
      return (await client.call('agent-quote', asked)).body.quote.quote_id
    },
  }
}
