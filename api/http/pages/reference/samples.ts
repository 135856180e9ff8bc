import { exampleOf } from '../../../examples/index.ts'
import { hasBody } from '../../../http-method.ts'
import type { AccessKind, AnyOperation } from '../../../operation.ts'
import { waysOf } from '../../../operation.ts'
import type { HostUrls } from '../../openapi.ts'
import { bodyOfExample } from '../../openapi-examples.ts'
import { namesIn } from '../../operation-groups.ts'

/** The example of an operation as a program that calls it. */
export type Sample = { readonly language: 'curl' | 'TypeScript' | 'Python'; readonly code: string }

export function samplesOf(operation: AnyOperation, urls: HostUrls): Sample[] {
  return [
    { language: 'curl', code: curlOf(operation, urls) },
    { language: 'TypeScript', code: typescriptOf(operation, urls) },
    { language: 'Python', code: pythonOf(operation, urls) },
  ]
}

/** What the example presents: the header, and the variable of the environment that holds its secret. */
type Presented = { readonly header: string; readonly prefix: string; readonly variable: string }
const presentedBy: Readonly<Record<AccessKind, Presented | undefined>> = {
  public: undefined,
  agent: { header: 'Authorization', prefix: 'Bearer ', variable: 'ACCESS_KEY' },
  operator: { header: 'Authorization', prefix: 'Bearer ', variable: 'OPERATOR' },
  status: { header: 'X-Status-Token', prefix: '', variable: 'STATUS_TOKEN' },
  wallet: { header: 'X-Service-Wallet-Proof', prefix: '', variable: 'WALLET_PROOF' },
  provider: { header: 'webhook-signature', prefix: '', variable: 'WEBHOOK_SIGNATURE' },
}

const hasTokenPath = ({ http }: AnyOperation): boolean => http.path.includes('{token}')
/** With a token in the path nothing else is presented. */
const headerOf = (operation: AnyOperation): Presented | undefined =>
  hasTokenPath(operation) ? undefined : presentedBy[waysOf(operation)[0]]

const hostOf = ({ http }: AnyOperation, { baseUrl, osUrl }: HostUrls): string =>
  http.host === 'os' ? osUrl : baseUrl

/** The URL of the example, with `token` where a status token stands in its path. */
function urlOf(operation: AnyOperation, urls: HostUrls, token: string): string {
  const { http, stream } = operation
  const named = namesIn(http.path)
  const { input } = exampleOf(operation)
  const path = http.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    name === 'token' ? token : encodeURIComponent(String(input[name])),
  )
  const inQuery = !hasBody(http.method) || stream !== undefined
  const rest = Object.entries(input).filter(([name]) => inQuery && !named.includes(name))
  const query = new URLSearchParams(
    rest.map(([name, value]): [string, string] => [name, String(value)]),
  )
  return `${hostOf(operation, urls)}${path}${query.size === 0 ? '' : `?${query}`}`
}

const FILE = 'body.txt'
const mediaTypeOf = ({ stream }: AnyOperation): string =>
  stream?.mediaTypes[0] ?? 'application/json'

function curlOf(operation: AnyOperation, urls: HostUrls): string {
  const { http, stream } = operation
  const header = headerOf(operation)
  const method = http.method === 'PUT' || http.method === 'DELETE' ? ` -X ${http.method}` : ''
  const bytes = stream === undefined ? quoted(jsonOf(operation)) : `@${FILE}`
  const parts = [
    `curl -s${method} "${urlOf(operation, urls, '$STATUS_TOKEN')}"`,
    ...(header ? [`-H "${header.header}: ${header.prefix}$${header.variable}"`] : []),
    ...(hasBody(http.method)
      ? [
          `-H 'Content-Type: ${mediaTypeOf(operation)}'`,
          stream === undefined ? `-d ${bytes}` : `--data-binary ${bytes}`,
        ]
      : []),
  ]
  const call = parts.join(' \\\n  ')
  return stream === undefined
    ? call
    : `printf %s ${quoted(exampleOf(operation).bytes ?? '')} > ${FILE}\n${call}`
}

const jsonOf = (operation: AnyOperation): string =>
  JSON.stringify(bodyOfExample(operation), null, 2)
/** As a word of the shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const optionsBy: Readonly<Record<AccessKind, string | undefined>> = {
  public: undefined,
  agent: 'agent: env.ACCESS_KEY',
  operator: 'operator: env.OPERATOR',
  status: 'statusToken: env.STATUS_TOKEN',
  wallet: `wallet: privateKeyToAccount(env.WALLET_KEY as \`0x\${string}\`)`,
  provider: undefined,
}

function typescriptOf(operation: AnyOperation, urls: HostUrls): string {
  const { id, stream, status } = operation
  const example = exampleOf(operation)
  const [way] = waysOf(operation)
  if (way === 'provider') return fetchOf(operation, urls)
  const options = [
    `baseUrl: ${literal(urls.baseUrl)}`,
    ...(operation.http.host === 'os' ? [`osUrl: ${literal(urls.osUrl)}`] : []),
    ...(hasTokenPath(operation) ? [optionsBy.status] : [optionsBy[way]]),
  ].filter((option) => option !== undefined)
  const upload =
    stream === undefined
      ? ''
      : `, {\n  upload: { mediaType: ${literal(stream.mediaTypes[0])}, bytes: ${literal(example.bytes ?? '')} },\n}`
  const refused = status[0] === 402
  const call = `client.call(${literal(id)}, ${object(example.input, 0)}${upload})`
  return [
    `import { createClient${refused ? ', ProblemError' : ''} } from '@agent-rails/client'`,
    ...(way === 'wallet' ? [`import { privateKeyToAccount } from 'viem/accounts'`] : []),
    ...(options.some((option) => /\benv\./.test(option)) ? [ENV] : []),
    '',
    `const client = createClient({\n${options.map((option) => `  ${option},\n`).join('')}})`,
    ...(refused
      ? [
          `const refusal: unknown = await ${call}.catch((error) => error)`,
          'if (refusal instanceof ProblemError) console.log(refusal.problem)',
        ]
      : [`const { body } = await ${call}`, 'console.log(body)']),
  ].join('\n')
}

const ENV = `import { env } from 'node:process'`

/** A call without the client, for those whose signature is another system's. */
function fetchOf(operation: AnyOperation, urls: HostUrls): string {
  const { header = '', variable = '' } = headerOf(operation) ?? {}
  return `${ENV}

const answer = await fetch(${literal(urlOf(operation, urls, ''))}, {
  method: 'POST',
  headers: { 'content-type': 'application/json', ${literal(header)}: env.${variable} ?? '' },
  body: JSON.stringify(${object(exampleOf(operation).input, 1)}),
})
console.log(await answer.json())`
}

const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`

/** A value as the source text of JavaScript. */
function object(value: unknown, depth: number): string {
  return printed(value, depth, {
    text: literal,
    constant: String,
    name: (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : literal(name)),
  })
}

function pythonOf(operation: AnyOperation, urls: HostUrls): string {
  const { http, stream, status } = operation
  const header = headerOf(operation)
  const token = hasTokenPath(operation)
  const url = JSON.stringify(urlOf(operation, urls, '{token}'))
  const headers = [
    ...(hasBody(http.method) ? [`"Content-Type": ${JSON.stringify(mediaTypeOf(operation))}`] : []),
    ...(header
      ? [
          `${JSON.stringify(header.header)}: ${header.prefix === '' ? '' : `${JSON.stringify(header.prefix)} + `}os.environ["${header.variable}"]`,
        ]
      : []),
  ]
  const data =
    stream === undefined
      ? `json.dumps(${python(bodyOfExample(operation), 1)}).encode()`
      : `${JSON.stringify(exampleOf(operation).bytes)}.encode()`
  const more = [
    `    method="${http.method}",`,
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    ...(hasBody(http.method) ? [`    data=${data},`] : []),
  ]
  const refused = status[0] === 402
  const modules = [
    'json',
    ...(header || token ? ['os'] : []),
    refused ? 'urllib.error, urllib.request' : 'urllib.request',
  ]
  return [
    `import ${modules.join(', ')}`,
    '',
    ...(token ? ['token = os.environ["STATUS_TOKEN"]'] : []),
    `request = urllib.request.Request(\n    ${token ? 'f' : ''}${url},\n${more.join('\n')}\n)`,
    ...(refused
      ? [
          'try:\n    urllib.request.urlopen(request)',
          'except urllib.error.HTTPError as refusal:\n    print(json.load(refusal))',
        ]
      : ['with urllib.request.urlopen(request) as answer:\n    print(json.load(answer))']),
  ].join('\n')
}

/** A value as the source text of Python. */
function python(value: unknown, depth: number): string {
  return printed(value, depth, {
    text: JSON.stringify,
    constant: (constant) => constants[String(constant)] ?? String(constant),
    name: JSON.stringify,
    indent: '    ',
  })
}

const constants: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }

type Syntax = {
  readonly text: (text: string) => string
  readonly constant: (value: number | boolean | null) => string
  readonly name: (name: string) => string
  readonly indent?: string
}

function printed(value: unknown, depth: number, syntax: Syntax): string {
  const { indent = '  ' } = syntax
  if (typeof value === 'string') return syntax.text(value)
  if (typeof value !== 'object' || value === null)
    return syntax.constant(value as number | boolean | null)
  const inner = (part: unknown) => printed(part, depth + 1, syntax)
  const parts = Array.isArray(value)
    ? value.map(inner)
    : Object.entries(value).map(([name, part]) => `${syntax.name(name)}: ${inner(part)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return `${open}${close}`
  const lines = parts.map((part) => `${indent.repeat(depth + 1)}${part},\n`).join('')
  return `${open}\n${lines}${indent.repeat(depth)}${close}`
}
