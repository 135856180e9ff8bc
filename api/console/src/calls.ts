import type { InputOf, OutputOf } from '../../http/client-contract.ts'
import { paths } from './paths.ts'

type Called = keyof typeof paths

export type { InputOf, OutputOf }

/** What the service refused, in its own words. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly nextAction: string

  constructor(status: number, problem: { code?: string; detail?: string; next_action?: string }) {
    super(problem.detail ?? `the service answered ${status}`)
    this.status = status
    this.code = problem.code ?? 'unknown'
    this.nextAction = problem.next_action ?? ''
  }
}

/** Calls an operation in the session of the browser; throws `Refused`. */
export async function call<Id extends Called>(
  id: Id,
  input: InputOf<Id>,
  headers: Record<string, string> = {},
): Promise<OutputOf<Id>> {
  const [method = 'GET', template = ''] = paths[id].split(' ')
  const rest = new Map(Object.entries(input as object).filter(([, value]) => value !== undefined))
  const path = template.replace(/\{(\w+)\}/, (_, name: string) => {
    const value = String(rest.get(name))
    rest.delete(name)
    return encodeURIComponent(value)
  })
  const values = Object.fromEntries(rest)
  const query = method === 'GET' ? `?${new URLSearchParams(values as Record<string, string>)}` : ''
  const answer = await fetch(path + query, {
    method,
    headers: {
      accept: 'application/json',
      ...csrfHeader(),
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(values) }),
  })
  const body = await answer.json()
  if (!answer.ok) throw new Refused(answer.status, body)
  return body
}

/** Proves to the service that a script of the console calls, which can read this cookie, and no other site. */
export function csrfHeader(): Record<string, string> {
  const found = /(?:^|; )(?:__Host-)?agent_rails_csrf=([0-9a-f]{64})/.exec(document.cookie)
  return found?.[1] === undefined ? {} : { 'x-csrf-token': found[1] }
}

export const newKey = (): string => crypto.randomUUID()
