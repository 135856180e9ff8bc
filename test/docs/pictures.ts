import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { payoutTransitions } from '#domain/payouts/payout.ts'
import type { PayoutState } from '#domain/payouts/payout-state.ts'
import { resumableStates, type TaskState, taskTransitions } from '#domain/tasks/lifecycle.ts'
import { walkThroughScript } from '../../api/http/pages/walk-through.ts'
import { waysOf } from '../../api/operation.ts'
import { operations } from '../../api/operations/index.ts'
import * as messages from '../../workflows/payouts/messages.ts'
import { layers as codeFolders, sourcesIn } from '../support/sources.ts'
import { readHistory } from '../temporal/histories.ts'
import { proofRows } from './proofs.ts'

export const root = join(import.meta.dirname, '..', '..')
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const layers: readonly string[] = ['workflows/domain', ...codeFolders]

/** The parts of the pages that are made from the code, by the name in their markers. */
const pictures: Record<string, () => string> = {
  folders: () =>
    mermaid([
      'flowchart RL',
      ...folderImports().map(([from, to]) => `  ${node(from)} --> ${node(to)}`),
    ]),
  'payout-states': () => mermaid(['stateDiagram-v2', ...payoutEdges().map((edge) => `  ${edge}`)]),
  'task-states': () => mermaid(['stateDiagram-v2', ...taskPicture().map((line) => `  ${line}`)]),
  pipeline: () => mermaid(['flowchart LR', `  ${pipeline().map(step).join(' --> ')}`]),
  operations: operationTable,
  proofs: () => table(['Call', 'Requirements, each with its tests'], proofRows()),
  'sandbox-typescript': () => fenced('ts', read('examples/sandbox.mjs')),
  'sandbox-python': () => fenced('python', read('examples/sandbox.py')),
  'sandbox-curl': () => fenced('sh', read('examples/sandbox.sh')),
  payout: () => fenced('ts', walkThroughScript('http://127.0.0.1:3000')),
  messages: () =>
    table(
      ['Message', 'Kind'],
      Object.values(messages).map(({ name, type }) => [`\`${name}\``, type]),
    ),
  history: historyTable,
}

/** The text with what stands between `<!-- made: NAME -->` and `<!-- end -->` written again. */
export function withPictures(text: string): string {
  return text.replace(
    /(<!-- made: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_all, begin: string, name: string, end) => {
      const make = pictures[name]
      if (make === undefined) throw new Error(`nothing makes the part ${name}`)
      return `${begin}\n${make()}\n\n${end}`
    },
  )
}

/** The steps of a call as the comment of `execute` names them. */
function pipeline(): string[] {
  const comment =
    read('api/calls/execute.ts').match(
      /pipeline of every call, in this order: ([\s\S]*?)\. Never throws/,
    )?.[1] ?? ''
  return comment
    .replace(/\s*\n \* /g, ' ')
    .split('→')
    .map((part) => part.trim())
}

export const layerFolders = [...layers, 'activities/store']

/** The names of the folders in the layers, and of those in the folders of `api` that hold one for each subject; no layer is named. */
export function folderNames(): string[] {
  const inside = [...layerFolders, 'api/operations', 'api/services'].flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !layerFolders.includes(`${folder}/${entry.name}`))
      .map(({ name }) => name),
  )
  return [...new Set(inside)]
}

function folderImports(): [string, string][] {
  const edges = sourcesIn(codeFolders, /(?<!\.d)\.ts$/).flatMap(({ path, imports }) =>
    imports.flatMap(({ target }) =>
      target === undefined ? [] : [`${folderOf(path)} ${folderOf(target)}`],
    ),
  )
  const order = (folder: string) => layers.indexOf(folder)
  return [...new Set(edges)]
    .map((edge) => edge.split(' ') as [string, string])
    .filter(([from, to]) => from !== to)
    .sort((a, b) => order(b[0]) - order(a[0]) || order(b[1]) - order(a[1]))
}

const folderOf = (path: string): string =>
  layers.find((folder) => path.startsWith(`${folder}/`)) ?? path
const node = (folder: string): string =>
  folder.includes('/') ? `${folder.split('/')[1]}[${folder}]` : folder
const fenced = (language: string, code: string): string => `\`\`\`${language}\n${code}\`\`\``
const step = (name: string, at: number): string => `s${at}[${name}]`

function payoutEdges(): string[] {
  const states = Object.keys(payoutTransitions) as (PayoutState | 'none')[]
  return states.flatMap((from) => {
    const moves = Object.entries(payoutTransitions[from])
    const begin = from === 'none' ? '[*]' : from
    return moves.length === 0
      ? [`${begin} --> [*]`]
      : moves.map(([event, to]) => `${begin} --> ${to}: payout-${event}`)
  })
}

/** The states that an exception can interrupt stand in one box, so that its edge is drawn once and not seventeen times. */
function taskPicture(): string[] {
  const states = Object.keys(taskTransitions) as (TaskState | 'none')[]
  const isOpen = (state: string) => (resumableStates as readonly string[]).includes(state)
  const edges = states.flatMap((from) =>
    Object.entries(taskTransitions[from])
      .filter(([event]) => event !== 'exception_raised')
      .map(([event, to]) => ({ from, event, to: to === 'resume_state' ? 'under_way' : to })),
  )
  const draw = ({ from, event, to }: (typeof edges)[number]) =>
    from === 'none' ? `[*] --> ${to}: ${event}` : `${from} --> ${to}: ${event}`
  const inside = edges.filter(({ from, to }) => (from === 'none' || isOpen(from)) && isOpen(to))
  return [
    'state under_way {',
    ...inside.map((edge) => `  ${draw(edge)}`),
    '}',
    'under_way --> exception_open: exception_raised',
    ...edges.filter((edge) => !inside.includes(edge)).map(draw),
    'closed --> [*]',
  ]
}

function operationTable(): string {
  const rows = operations.map((operation) => {
    const { id, mode, http, price, charge, idempotency } = operation as typeof operation & {
      mode?: string
    }
    const cost =
      price === null
        ? 'free'
        : `${price} atomic, ${charge === 'before' ? 'settled first' : 'settled after'}`
    return [
      `\`${id}\``,
      `${http.method} \`${http.path}\`${mode === undefined ? '' : `, mode \`${mode}\``}`,
      waysOf(operation).join(' or '),
      cost,
      idempotency.kind,
    ]
  })
  return table(['Operation', 'HTTP', 'Access', 'Price', 'A repeat is known by'], rows)
}

type HistoryEvent = {
  eventType: string
  userMetadata?: { summary?: { data: string } }
  workflowExecutionUpdateAcceptedEventAttributes?: { acceptedRequest: { input: { name: string } } }
  activityTaskScheduledEventAttributes?: {
    activityType: { name: string }
    taskQueue: { name: string }
  }
}

/** What a saved history of a whole payout shows, without Temporal's own book-keeping. */
function historyTable(): string {
  const { events } = readHistory('payout-executed-and-final') as {
    events: HistoryEvent[]
  }
  const notified = events.flatMap((event) => {
    const summary = event.userMetadata?.summary
    const text =
      summary === undefined
        ? ''
        : String(JSON.parse(Buffer.from(summary.data, 'base64').toString('utf8')))
    const line = notify(event, text)
    return line === undefined ? [] : [line]
  })
  return table(
    ['', 'Event', 'Summary shown'],
    notified.map(([event, summary], at) => [String(at + 1), event, summary]),
  )
}

function notify(event: HistoryEvent, summary: string): [string, string] | undefined {
  const update = event.workflowExecutionUpdateAcceptedEventAttributes
  const activity = event.activityTaskScheduledEventAttributes
  if (update !== undefined) return [`update \`${update.acceptedRequest.input.name}\` accepted`, '']
  if (activity !== undefined)
    return [
      `activity \`${activity.activityType.name}\` on queue \`${activity.taskQueue.name}\``,
      summary,
    ]
  if (event.eventType === 'EVENT_TYPE_MARKER_RECORDED') return ['local activity', summary]
  if (event.eventType === 'EVENT_TYPE_TIMER_STARTED') return ['timer', summary]
  if (event.eventType === 'EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED')
    return ['update answered', '']
  if (/_WORKFLOW_EXECUTION_(STARTED|COMPLETED)$/.test(event.eventType))
    return [event.eventType.endsWith('STARTED') ? 'workflow started' : 'workflow completed', '']
  return undefined
}

const mermaid = (lines: string[]): string => ['```mermaid', ...lines, '```'].join('\n')

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}
