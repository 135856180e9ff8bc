import { beginOf } from '../core/plain-text.ts'
import { rails } from '../rails/index.ts'
import { isCurrent, type Rail } from '../rails/rail.ts'
import { Service, serviceOf } from '../rails/scout/index.ts'
import { SERVICE_OS } from '../work-orders/work-order.ts'
import type { Candidate, ServiceKind } from './candidate.ts'

/** The longest texts that scout reads, in UTF-16 units. */
const NAME_MAX = 128
const SUMMARY_MAX = 1_000
const CAPABILITY_MAX = 256

/** A service as callers find it. `operation`: what `run_service` runs; only a free tool has one. */
export type Listed = Service & {
  kind: ServiceKind
  access: 'public' | 'agent' | 'outside'
  operation: string | null
}

/** A rail, which an agent buys; one without a price is free. */
const listedRail = (rail: Rail): Listed => ({
  ...serviceOf(rail),
  kind: 'rail',
  access: 'agent',
  operation: null,
})

/** Several runs in one order. */
const serviceOs: Listed = {
  service_id: `svc_${SERVICE_OS}`,
  name: SERVICE_OS,
  summary: 'Takes several runs on different rails as the steps of one work order.',
  capabilities: [
    `order several runs at once: ${rails
      .filter((rail) => isCurrent(rail))
      .map(({ key }) => key)
      .join(', ')}`,
  ],
  rail: null,
  protocols: ['http'],
  price_usd: null,
  origin: 'first_party',
  state: 'available',
  kind: 'work_order',
  access: 'agent',
  operation: null,
}

/** A free operation as a service; `path` names it. */
export function freeTool({
  id,
  summary,
  path,
  tool,
}: {
  id: string
  summary: string
  path: string
  tool: string | undefined
}): Listed {
  const words = path
    .split('/')
    .filter((part) => part !== '' && part !== 'api' && !part.startsWith('{'))
  const name = words.join('_').replaceAll('-', '_')
  return {
    service_id: `tool_${name}`,
    name,
    summary,
    capabilities: [words.join(' ').replaceAll('-', ' '), beginOf(summary, CAPABILITY_MAX)],
    rail: null,
    protocols: ['http', ...(tool === undefined ? [] : ['mcp'])],
    price_usd: 0,
    origin: 'first_party',
    state: 'available',
    kind: 'free_tool',
    access: 'public',
    operation: id,
  }
}

/** A service of someone else in its own words; undefined for one that scout does not read. */
export function listedCandidate({
  service_id,
  name,
  description,
  protocols,
}: Pick<Candidate, 'name' | 'protocols'> & {
  service_id: string
  description: string | null
}): Listed | undefined {
  const summary = beginOf(description || name, SUMMARY_MAX)
  const read = Service.safeParse({
    service_id,
    name: beginOf(name, NAME_MAX),
    summary,
    capabilities: [beginOf(summary, CAPABILITY_MAX)],
    rail: null,
    protocols,
    price_usd: null,
    origin: 'registry',
    state: 'available',
  })
  return read.success
    ? { ...read.data, kind: 'candidate', access: 'outside', operation: null }
    : undefined
}

/** Our own services: each rail, the order of several runs, and these free tools. */
export const ownServices = (tools: readonly Listed[]): Listed[] => [
  ...rails.map(listedRail),
  serviceOs,
  ...tools,
]
