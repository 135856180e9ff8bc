import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type OutputOf } from '../calls.ts'
import {
  Age,
  Button,
  Card,
  Facts,
  Foreign,
  Id,
  Loading,
  Money,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'
import { Chart } from '../parts/chart.tsx'
import { Decide, type Decided, DecisionReceipt } from '../parts/decide.tsx'
import { Json } from '../parts/json.tsx'
import { seriesOf } from '../parts/series.ts'
import { Slices } from '../parts/slices.tsx'

type Read = OutputOf<'loop-review-console'>
export type Evidence = NonNullable<Read['evidence']>
export type Part = Evidence['parts'][number]

const titles: Readonly<Record<string, string>> = {
  request: 'What is requested',
  criteria: 'Acceptance criteria',
  changes: 'Changes since the last round',
  history: 'Ledger',
}
/** What a decision is about comes first; what only supports it is folded. */
const open = [
  'request',
  'exception',
  'gaps',
  'findings',
  'checks',
  'changes',
  'plan',
  'parameters',
  'price',
  'payment',
  'agent',
]
const beside = ['input', 'result']

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
  const read = useQuery({
    queryKey: ['evidence', id],
    queryFn: () => call('loop-review-console', { subject_id: id }),
  })
  const latest = read.data?.evidence ?? undefined
  // What was shown stays until the reader asks for the new version, so that nobody decides about what they did not read.
  const evidence = shown ?? latest
  if (shown === undefined && latest !== undefined) setShown(latest)
  if (read.error !== null) return <Problem error={read.error} />
  if (evidence === undefined) return <Loading />
  const item = read.data?.items[0]
  const partOf = (name: string) => evidence.parts.find((part) => part.name === name)
  const charts = seriesOf(partOf('result')?.content ?? null)
  const others = evidence.parts.filter(({ name }) => !beside.includes(name))
  const isStale =
    decided === undefined && latest !== undefined && latest.root_sha256 !== evidence.root_sha256
  const refresh = () => {
    setShown(latest)
    setSeen([])
  }
  const take = (answer: Decided) => {
    setDecided(answer)
    void queries.invalidateQueries()
  }
  const addSeen = (sha256: string) => setSeen((before) => [...new Set([...before, sha256])])
  return (
    <>
      <PageTitle
        aside={
          <Link to="/" className="text-accent">
            Back to the inbox
          </Link>
        }
      >
        Review: {evidence.subject_kind.replaceAll('_', ' ')}
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
            {beside.map((name) => {
              const part = partOf(name)
              return part && <PartCard key={name} part={part} subjectId={id} seen={addSeen} />
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
            <PartCard key={part.name} part={part} subjectId={id} seen={addSeen} />
          ))}
        </div>
        <div className="xl:sticky xl:top-4 xl:self-start">
          {decided !== undefined && <DecisionReceipt answer={decided} />}
          {decided === undefined && (
            <Undecided item={item} evidence={evidence} seen={seen} decided={take} />
          )}
        </div>
      </div>
    </>
  )
}

type Item = Read['items'][number] | undefined
type UndecidedProps = Omit<Parameters<typeof Decide>[0], 'allowed'> & { item: Item }

function Undecided({ item, ...props }: UndecidedProps) {
  if (item !== undefined && 'allowed_decisions' in item)
    return <Decide {...props} allowed={item.allowed_decisions} />
  return (
    <Card title="Decision">
      <p className="m-0">Nothing waits for a decision about this subject.</p>
    </Card>
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
              <Foreign key="text" text={item.summary} />
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
  [...open, ...beside].includes(name) && !(Array.isArray(content) && content.length === 0)

function titleOf({ name }: Part): string {
  const [within = '', ...list] = name.split('.')
  const shown =
    titles[within] ?? `${within[0]?.toUpperCase()}${within.slice(1).replaceAll('_', ' ')}`
  return list.length === 0 ? shown : `${shown}: uploaded list ${list.join(' ')}`
}

/** One part of the evidence; a large one is read in slices. */
function PartCard({
  part,
  subjectId,
  seen,
}: {
  part: Part
  subjectId: string
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
          {part.content !== null && <Json value={part.content} />}
        </section>
      </details>
    </section>
  )
}
