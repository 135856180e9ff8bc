import { createClient, type InputOf } from '../../api/http/client.ts'
import { freshKey } from './agent-use.ts'

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
) => (await createClient({ baseUrl }).call('pilot-intake-submit', intakeInput(more))).body

/** The holder of a pilot's token, who has no key: any signature does. */
export const pilotClient = (baseUrl: string, statusToken: string) =>
  createClient({ baseUrl, statusToken, signAsAgent: () => 'A'.repeat(86) })
