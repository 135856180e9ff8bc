import type { z } from 'zod'
import { refuse } from '#domain/core/errors.ts'
import { railOf, rails } from '#domain/rails/index.ts'
import type { RailKey } from '#domain/rails/rail.ts'
import type { HostUrls } from '../http/openapi.ts'
import type { AnyOperation } from '../operation.ts'
import type { Quickstart, QuickstartCall } from '../shapes/start-here.ts'
import {
  answered,
  own,
  ownKey,
  type Plan,
  type PlannedCall,
  plannedCalls,
} from './planned-calls.ts'
import { firstRun } from './start-here.ts'

type Call = z.output<typeof QuickstartCall>

const token = answered('header', 'X-Status-Token', 'agent-quickstart-run', '/status_token')

/** A sandbox run and its result, without an agent. */
const withoutAgent: readonly PlannedCall[] = [
  {
    operationId: 'agent-quickstart-run',
    changes: (rail) => ({ rail, input: undefined, callback_url: undefined }),
    replace: [ownKey],
  },
  { operationId: 'agent-sandbox-read', replace: [token] },
  {
    operationId: 'fetch-return-package',
    replace: [token, answered('body', 'run_id', 'agent-quickstart-run', '/run/run_id')],
  },
]

/** The rails of the quickstart, and the calls of a sandbox run on one of them. 400 `invalid_request` for another rail. */
export function quickstart(
  registry: readonly AnyOperation[],
  urls: HostUrls,
  rail: RailKey,
): z.output<typeof Quickstart> {
  if (!railOf(rail).takes.quickstart)
    throw refuse('invalid_request', {
      detail: `${rail} is not in the quickstart`,
      errors: [{ pointer: '/rail', message: 'is not in the quickstart' }],
    })
  const allowed_rails = rails.filter(({ takes }) => takes.quickstart).map(({ key }) => key)
  return { allowed_rails, rail, calls: withCurl(registry, urls, { calls: withoutAgent, rail }) }
}

/** The calls of the same work for an agent; an input of the caller is announced by its digest and not repeated. */
export function quickstartOfAgent(
  registry: readonly AnyOperation[],
  urls: HostUrls,
  { rail, input }: { rail: RailKey; input: Record<string, unknown> | undefined },
): Call[] {
  if (input === undefined) return withCurl(registry, urls, { calls: firstRun, rail })
  const calls = firstRun.map((call) =>
    call.operationId === 'self-serve-loop-submit'
      ? {
          ...call,
          changes: () => ({ input: {} }),
          replace: [...call.replace, own('input', 'The input that you have sent.')],
        }
      : call,
  )
  return withCurl(registry, urls, { calls, rail, input })
}

const withCurl = (registry: readonly AnyOperation[], urls: HostUrls, plan: Plan): Call[] =>
  plannedCalls(registry, urls, plan).map((step) => ({ ...step, curl: curlOf(step) }))

/** The call for a POSIX shell; what is replaced is a variable of its name in capitals. */
function curlOf({ method, url, example_body, replace }: Omit<Call, 'curl'>): string {
  const called = replace
    .filter(({ place }) => place === 'path')
    .reduce((path, { name }) => path.replace(`{${name}}`, `$${variableOf(name)}`), url)
  const headers = replace
    .filter(({ place }) => place === 'header')
    .map(({ name }) => {
      const scheme = name === 'Authorization' ? 'Bearer ' : ''
      return `-H "${name}: ${scheme}$${variableOf(name)}"`
    })
  const sent =
    example_body === null
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${bodyText(example_body, replace)}'`]
  return [`curl -s -X ${method} "${called}"`, ...headers, ...sent].join(' ')
}

function bodyText(body: Record<string, unknown>, replace: Call['replace']): string {
  const replaced = new Set(replace.filter(({ place }) => place === 'body').map(({ name }) => name))
  const members = Object.entries(body).map(([name, value]) => {
    if (!replaced.has(name)) return quoted(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
    const variable = `'"$${variableOf(name)}"'`
    return `${JSON.stringify(name)}:${typeof value === 'string' ? `"${variable}"` : variable}`
  })
  return `{${members.join(',')}}`
}

/** As it stands between single quotes. */
const quoted = (text: string): string => text.replaceAll("'", `'\\''`)

const variableOf = (name: string): string => name.toUpperCase().replaceAll('-', '_')
