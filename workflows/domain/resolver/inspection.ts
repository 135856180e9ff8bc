import { isObject } from '../core/plain-object.ts'
import { oneLine } from '../core/plain-text.ts'
import type { Candidate } from './candidate.ts'

export type CandidateCheck = { check: string; ok: boolean; detail: string }
export const risks = ['low', 'medium', 'high'] as const
export type Risk = (typeof risks)[number]

/** What a service publishes about itself, by its form. */
type DocumentForm = 'openapi' | 'mcp' | 'agent_card' | 'manifest'

/** A document in short: bounded, on one line for each text, and for operators alone. */
type DocumentSummary = {
  form: DocumentForm
  sha256: string
  bytes: number
  media_type: string
  title: string | null
  tools: { name: string; description: string | null }[]
  tool_count: number
  hosts: string[]
}
/** The outcome of an inspection; without a document, `unread` says why, for operators alone. */
export type Inspection = {
  checks: CandidateCheck[]
  risk: Risk
  document: DocumentSummary | null
  unread: string | null
}

/** A document as it was read: the parsed JSON, and the facts of its bytes. */
export type ReadDocument = Pick<DocumentSummary, 'sha256' | 'bytes' | 'media_type'> & {
  value: unknown
}

const TOOLS_MAX = 50
const HOSTS_MAX = 20
const TEXT_MAX = 300
/** Failing checks that make a service dangerous; any other one makes it only doubtful. */
const grave: ReadonlySet<string> = new Set(['document', 'text', 'secrets', 'self_reference'])

/** Judges a description and what was read at its URL. `secret` names secret material in the document; `ownHosts` are ours. */
export function inspect(
  candidate: Candidate,
  read: ReadDocument | { unread: string },
  { ownHosts, secret }: { ownHosts: readonly string[]; secret: string | undefined },
): Inspection {
  const described = suspicionIn([candidate.name, candidate.description ?? '', candidate.schema])
  if ('unread' in read)
    return outcome(
      [verdict('document', UNREAD), verdict('text', described, TEXT_OK)],
      null,
      read.unread,
    )
  const form = formOf(read.value)
  if (form === undefined)
    return outcome([verdict('document', UNREAD)], null, 'JSON of no known form')
  const hosts = hostsIn(read.value as Record<string, unknown>, candidate.url)
  const document = summarize(read, form, hosts.slice(0, HOSTS_MAX))
  const { hostname } = new URL(candidate.url)
  const foreign = hosts.find((host) => host !== hostname)
  const own = hosts.find((host) => ownHosts.includes(host))
  const isEmpty = document.tool_count === 0
  const checks = [
    verdict('document', undefined, `a document of the form ${form} was read`),
    verdict('declares', isEmpty ? 'it declares nothing to call' : undefined, 'it declares calls'),
    verdict('text', described ?? suspicionIn(read.value), TEXT_OK),
    verdict('secrets', secret && `it holds ${secret}`, 'no secret material was found'),
    verdict('self_reference', own && 'it names a host of this service', 'it names no host of ours'),
    verdict('host', foreign && 'it names another host than its own', 'all calls are to its host'),
  ]
  return outcome(checks, document, null)
}

/** The same words for every reason, so that callers learn nothing about a host. */
const UNREAD = 'no document that can be judged was read there'
const TEXT_OK = 'no instructions or markup were found'

const verdict = (check: string, fault: string | undefined, fine = ''): CandidateCheck => ({
  check,
  ok: fault === undefined,
  detail: fault ?? fine,
})

function outcome(
  checks: CandidateCheck[],
  document: DocumentSummary | null,
  unread: string | null,
): Inspection {
  const failed = checks.filter(({ ok }) => !ok)
  const doubt = failed.length === 0 ? 'low' : 'medium'
  const risk = failed.some(({ check }) => grave.has(check)) ? 'high' : doubt
  return { checks, risk, document, unread }
}

function formOf(value: unknown): DocumentForm | undefined {
  if (!isObject(value)) return undefined
  if (typeof value['openapi'] === 'string' && isObject(value['paths'])) return 'openapi'
  if (isObject(value['result']) && Array.isArray(value['result']['tools'])) return 'mcp'
  if (Array.isArray(value['skills'])) return 'agent_card'
  return Array.isArray(value['tools']) ? 'manifest' : undefined
}

function summarize(read: ReadDocument, form: DocumentForm, hosts: string[]): DocumentSummary {
  const value = read.value as Record<string, unknown>
  const { sha256, bytes, media_type } = read
  const about = isObject(value['info']) ? value['info']['title'] : value['name']
  const tools = toolsOf(value, form)
  return {
    form,
    sha256,
    bytes,
    media_type,
    title: textOf(about),
    tools: tools.slice(0, TOOLS_MAX),
    tool_count: tools.length,
    hosts,
  }
}

function toolsOf(value: Record<string, unknown>, form: DocumentForm): DocumentSummary['tools'] {
  if (form === 'openapi')
    return Object.entries(value['paths'] as object).map(([path, item]) => ({
      name: textOf(path) ?? '',
      description: isObject(item) ? textOf(item['summary'] ?? item['description']) : null,
    }))
  const within = form === 'mcp' ? (value['result'] as Record<string, unknown>) : value
  const listed = within[form === 'agent_card' ? 'skills' : 'tools'] as unknown[]
  return listed.map((one) => ({
    name: (isObject(one) && textOf(one['name'] ?? one['id'])) || '',
    description: isObject(one) ? textOf(one['description']) : null,
  }))
}

/** The hosts that calls would go to; `base` is where the document was read. */
function hostsIn(value: Record<string, unknown>, base: string): string[] {
  const urls = [...urlsIn(value), value['base_url'], value['endpoint']]
  const hosts = urls.flatMap((url) =>
    typeof url === 'string' && URL.canParse(url, base) ? [new URL(url, base).hostname] : [],
  )
  return [...new Set(hosts)].filter((host) => host !== '')
}

/** The URLs of the servers of an OpenAPI document, of its paths and of their operations, and of the interfaces of an A2A card. */
function urlsIn(value: Record<string, unknown>): unknown[] {
  const paths = membersOf(value['paths'])
  const operations = paths.flatMap(membersOf)
  const listed = [value, ...paths, ...operations].flatMap(({ servers }) => membersOf(servers))
  const { additionalInterfaces, supportedInterfaces } = value
  const interfaces = [additionalInterfaces, supportedInterfaces].flatMap(membersOf)
  return [value, ...listed, ...interfaces].map(({ url }) => url)
}

/** The members of a list or an object that are objects. */
const membersOf = (value: unknown): Record<string, unknown>[] =>
  typeof value === 'object' && value !== null ? Object.values(value).filter(isObject) : []

const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? oneLine(value.replaceAll(/\p{Cs}/gu, '\ufffd'), TEXT_MAX) : null

/** What a description of a service has no use for, each in time linear in the text. */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['markup', /<\/?[a-z!][^>]{0,200}/i],
  ['markup', /\]\([a-z][a-z0-9+.-]{0,20}:/i],
  ['markup', /\b(?:javascript|data|vbscript):[^\s]/i],
  [
    'instructions to the reader',
    /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|instructions?|rules?|prompts?|polic(?:y|ies))\b/i,
  ],
  ['instructions to the reader', /\b(?:system|developer)\s{1,3}(?:prompt|message)\b/i],
  [
    'instructions to the reader',
    /\b(?:you|the (?:agent|model|assistant))\s{1,3}(?:must|should|shall|have to)\b/i,
  ],
  [
    'instructions to the reader',
    /\b(?:do not|don't|never)\s{1,3}(?:mention|inform|reveal|ask|notify)\b/i,
  ],
  [
    'instructions to the reader',
    /\b(?:send|transfer|pay|forward|upload)\b[^.\n]{0,40}\b(?:wallet|private key|seed|password|credential|access key|token)s?\b/i,
  ],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  ['hidden characters', /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/],
  ['hidden characters', /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/],
]

/** What is suspicious about the first such text in a value, its names included; undefined where nothing is. */
export function suspicionIn(value: unknown): string | undefined {
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') {
      const found = patterns.find(([, pattern]) => pattern.test(one))
      if (found !== undefined) return `a text holds ${found[0]}`
    } else if (typeof one === 'object' && one !== null) {
      for (const [key, part] of Object.entries(one)) {
        left.push(part)
        if (!Array.isArray(one)) left.push(key)
      }
    }
  }
  return undefined
}
