import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Drafts as Drafted } from '#domain/rails/drafts/draft.ts'
import { call, type OutputOf, Refused } from '../calls.ts'
import {
  Age,
  Button,
  Card,
  Facts,
  Foreign,
  Id,
  Loading,
  linkClass,
  Money,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'
import { Chart } from '../parts/chart.tsx'
import { Decide, type Decided, DecisionReceipt } from '../parts/decide.tsx'
import { Drafts, type Questions, questionsOf } from '../parts/drafts.tsx'
import { Json } from '../parts/json.tsx'
import { seriesOf } from '../parts/series.ts'
import { Slices } from '../parts/slices.tsx'
import { kindName, plain, withShortIds } from '../parts/words.ts'

type Read = OutputOf<'loop-review-console'>
export type Evidence = NonNullable<Read['evidence']>
export type Part = Evidence['parts'][number]

const titles: Readonly<Record<string, string>> = {
  request: 'What is requested',
  criteria: 'Acceptance criteria',
  drafts: 'Drafts of a model',
  changes: 'Changes since the last round',
  history: 'Ledger',
}
/** What a decision is about, in the order of reading; what only supports it comes after, folded. */
const order = [
  'request',
  'exception',
  'gaps',
  'findings',
  'drafts',
  'checks',
  'changes',
  'plan',
  'files',
  'parameters',
  'criteria',
  'price',
  'payment',
  'checkouts',
  'agent',
]
const pair = ['input', 'result']
const placeOf = ({ name }: Part): number =>
  order.includes(name) ? order.indexOf(name) : order.length

/** Everything that a decision is about, and the decision. */
export function ReviewPage() {
  const { id } = useParams({ from: '/signed-in/review/$id' })
  // Another subject begins with nothing seen and nothing decided.
  return <Review key={id} id={id} />
}

function Review({ id }: { id: string }) {
  const queries = useQueryClient()
  const [seen, setSeen] = useState<readonly string[]>([])
  const [shown, setShown] = useState<Evidence>()
  const [decided, setDecided] = useState<Decided>()
  const [refused, setRefused] = useState<unknown>()
  const read = useQuery({
    queryKey: ['evidence', id],
    queryFn: () => call('loop-review-console', { subject_id: id }),
  })
  const latest = read.data?.evidence ?? undefined
  // What was shown stays until the reader asks for the new version, so that a decision is about what was read.
  const evidence = shown ?? latest
  if (shown === undefined && latest !== undefined) setShown(latest)
  if (read.error !== null) return <Problem error={read.error} />
  if (evidence === undefined) return <Loading />
  const item = read.data?.items[0]
  const partOf = (name: string) => evidence.parts.find((part) => part.name === name)
  const charts = [...seriesOf(partOf('result')?.content), ...seriesOf(partOf('input')?.content)]
  const others = evidence.parts
    .filter(({ name }) => !pair.includes(name))
    .sort((one, other) => placeOf(one) - placeOf(other))
  const isStale =
    decided === undefined &&
    !isLate(refused) &&
    latest !== undefined &&
    latest.root_sha256 !== evidence.root_sha256
  const refresh = () => {
    setShown(latest)
    setSeen([])
  }
  const refuse = (error: unknown) => {
    setRefused(error)
    void queries.invalidateQueries()
  }
  const take = (answer: Decided) => {
    setRefused(undefined)
    setDecided(answer)
    void queries.invalidateQueries()
  }
  const addSeen = (sha256: string) => setSeen((before) => [...new Set([...before, sha256])])
  const questions = questionsOf(partOf('input')?.content)
  const shownWith = { subjectId: id, questions, seen: addSeen }
  return (
    <>
      <PageTitle
        aside={
          <span className="flex gap-4">
            <Elsewhere evidence={evidence} />
            <Link to="/" className={linkClass}>
              Back to the inbox
            </Link>
          </span>
        }
      >
        Review: {kindName(evidence.subject_kind)}
      </PageTitle>
      {isStale && (
        <div role="alert" className="mb-4 rounded-md border border-warn p-3 text-warn">
          The evidence changed since you opened it:{' '}
          {changedParts(evidence, latest).join(', ') || 'the time of waiting'}.{' '}
          <Button onClick={refresh}>Show the new version</Button>
        </div>
      )}
      <div className="grid gap-4 xl:grid-cols-[1fr_24rem]">
        <div className="min-w-0 space-y-4">
          <Subject evidence={evidence} item={item} />
          <div className="grid gap-4 lg:grid-cols-2">
            {pair.map((name) => {
              const part = partOf(name)
              return part && <PartCard key={name} part={part} {...shownWith} />
            })}
          </div>
          {charts.length > 0 && (
            <Card title="Charts">
              <div className="grid gap-6 lg:grid-cols-2">
                {charts.map((series) => (
                  <Chart key={series.title} series={series} />
                ))}
              </div>
            </Card>
          )}
          {others.map((part) => (
            <PartCard key={part.name} part={part} {...shownWith} />
          ))}
        </div>
        <div className="xl:sticky xl:top-4 xl:self-start">
          {decided !== undefined && <DecisionReceipt answer={decided} />}
          {decided === undefined && (
            <div className="space-y-4">
              <WhyRefused error={refused} state={stateNow(latest)} />
              <Undecided
                item={item}
                evidence={evidence}
                seen={seen}
                decided={take}
                refused={refuse}
              />
            </div>
          )}
        </div>
      </div>
    </>
  )
}

type Item = Read['items'][number] | undefined
type UndecidedProps = Omit<Parameters<typeof Decide>[0], 'allowed'> & { item: Item }

const late = new Set(['already_decided', 'wrong_state'])
const isLate = (error: unknown): boolean => error instanceof Refused && late.has(error.code)

/** Why a decision was not recorded; where another operator was first, the state that it led to. */
function WhyRefused({ error, state }: { error: unknown; state: string | undefined }) {
  if (!isLate(error)) return <Problem error={error} />
  return (
    <div role="alert" className="rounded-md border border-warn p-3 text-warn">
      Your decision was not recorded: another operator decided first.{' '}
      {state === undefined ? (
        'It does not wait any more.'
      ) : (
        <>
          It is now <State name={state} />
        </>
      )}
    </div>
  )
}

/** The state of the subject as its latest evidence has it. */
function stateNow(latest: Evidence | undefined): string | undefined {
  const contentOf = (name: string) => latest?.parts.find((part) => part.name === name)?.content
  const agent = contentOf('agent') as { trust?: { state?: string } } | undefined
  const history = contentOf('history') as { state?: string } | undefined
  return latest?.subject_kind === 'agent' ? agent?.trust?.state : history?.state
}

function Undecided({ item, ...props }: UndecidedProps) {
  if (item !== undefined && 'allowed_decisions' in item)
    return <Decide {...props} allowed={item.allowed_decisions} />
  return (
    <Card title="Decision">
      <p className="m-0">Nothing waits for a decision about this subject.</p>
    </Card>
  )
}

/** The page of what is decided about. */
function Elsewhere({ evidence: { subject_kind: kind, subject_id: id } }: { evidence: Evidence }) {
  if (kind === 'agent')
    return (
      <Link to="/agents/$id" params={{ id }} className={linkClass}>
        The agent
      </Link>
    )
  if (kind === 'pilot')
    return (
      <Link to="/pilots" search={{ q: id }} className={linkClass}>
        In the list of pilots
      </Link>
    )
  if (kind !== 'task' && kind !== 'loop_step') return null
  return (
    <Link to="/work/$id" params={{ id }} className={linkClass}>
      The task
    </Link>
  )
}

function Subject({ evidence, item }: { evidence: Evidence; item: Item }) {
  return (
    <Card>
      <Facts
        facts={[
          ['Subject', <Id key="id" id={evidence.subject_id} length={30} />],
          ['Waiting', <Age key="age" since={evidence.waiting_since} />],
          [
            'State',
            item === undefined ? (
              'it does not wait now'
            ) : (
              <State key="state" name={stateOf(item)} />
            ),
          ],
          [
            'At stake',
            <Money
              key="money"
              usd={item !== undefined && 'amount_usd' in item ? item.amount_usd : null}
            />,
          ],
          [
            'Summary',
            item !== undefined && 'summary' in item ? (
              <Foreign key="text" text={withShortIds(item.summary)} />
            ) : (
              '–'
            ),
          ],
          ['Evidence', <Id key="root" id={evidence.root_sha256} length={24} />],
        ]}
      />
    </Card>
  )
}

const stateOf = (item: Read['items'][number]): string => item.state

const changedParts = (before: Evidence, after: Evidence): string[] => {
  const old = new Map(before.parts.map(({ name, sha256 }) => [name, sha256]))
  return after.parts.filter(({ name, sha256 }) => old.get(name) !== sha256).map(({ name }) => name)
}

const isOpen = ({ name, content }: Part): boolean =>
  [...order, ...pair].includes(name) && !(Array.isArray(content) && content.length === 0)

const capital = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}`

function titleOf({ name }: Part): string {
  const [within = '', ...list] = name.split('.')
  const shown = titles[within] ?? capital(plain(within))
  return list.length === 0 ? shown : `${shown}: uploaded list ${list.join(' ')}`
}

/** One part of the evidence; a large one is read in slices. */
function PartCard({
  part,
  subjectId,
  questions,
  seen,
}: {
  part: Part
  subjectId: string
  questions: Questions
  seen: (sha256: string) => void
}) {
  const title = titleOf(part)
  return (
    <section className="min-w-0 rounded-lg border border-line bg-card p-4">
      <details open={isOpen(part)}>
        <summary className="mb-2 cursor-pointer">
          <h2 className="m-0 inline text-base font-semibold">{title}</h2>{' '}
          <span className="text-sm text-muted">{part.bytes.toLocaleString('en')} bytes</span>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
        <section aria-label={title} tabIndex={0} className="max-h-[32rem] overflow-auto">
          {part.content === null && (
            <Slices part={part} subjectId={subjectId} seen={() => seen(part.sha256)} />
          )}
          {part.content !== null && <Content part={part} questions={questions} />}
        </section>
      </details>
    </section>
  )
}

const Content = ({ part: { name, content }, questions }: { part: Part; questions: Questions }) =>
  name === 'drafts' ? (
    <Drafts drafted={content as Drafted} questions={questions} />
  ) : (
    <Json value={content} />
  )
