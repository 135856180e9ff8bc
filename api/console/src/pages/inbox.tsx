import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { call, type InputOf, type OutputOf } from '../calls.ts'
import {
  Age,
  Cell,
  Foreign,
  fieldClass,
  Id,
  Loading,
  Money,
  PageTitle,
  Problem,
  Row,
  State,
  Table,
} from '../parts/basics.tsx'
import { Batch } from '../parts/batch.tsx'
import { Pager } from '../parts/pager.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'

export type Item = OutputOf<'inbox'>['items'][number]
const LIMIT = 50

const names: Readonly<Record<string, string>> = {
  decide: 'Decide',
  recover: 'Recover',
  close_difference: 'Resolve a difference',
}

/** Where an item is dealt with. */
function placeOf({ action, id }: Item) {
  const params = { id }
  if (action === 'decide') return { to: '/review/$id', params } as const
  return action === 'recover' ? ({ to: '/work/$id', params } as const) : ({ to: '/money' } as const)
}

export function InboxPage() {
  const search = useSearch({ from: '/signed-in/' })
  const navigate = useNavigate()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [at, setAt] = useState(0)
  const filter = useMemo(
    () => ({
      ...search,
      evidence_roots: search.kind === undefined ? undefined : 'true',
      limit: String(LIMIT),
    }),
    [search],
  )
  const inbox = useQuery({
    queryKey: ['inbox', filter],
    queryFn: () => call('inbox', filter as InputOf<'inbox'>),
    placeholderData: keepPreviousData,
  })
  const items = inbox.data?.items ?? []
  const change = (next: Record<string, string | undefined>) => {
    setSelected(new Set())
    setAt(0)
    void navigate({ to: '/', search: { ...search, offset: undefined, ...next } })
  }
  const toggle = (id: string) =>
    setSelected((before) => {
      const after = new Set(before)
      if (!after.delete(id)) after.add(id)
      return after
    })
  const current = items[at]
  const openCurrent = () => current !== undefined && void navigate(placeOf(current))
  useShortcuts({
    j: () => setAt(Math.min(at + 1, items.length - 1)),
    k: () => setAt(Math.max(at - 1, 0)),
    Enter: openCurrent,
    x: () => current !== undefined && toggle(current.id),
    '/': () => document.getElementById('inbox-filter')?.focus(),
  })
  const counts = inbox.data?.counts ?? []
  const choice = search.kind === undefined ? (search.action ?? '') : `kind:${search.kind}`
  return (
    <>
      <PageTitle aside={<Filter choice={choice} change={change} />}>Inbox</PageTitle>
      <p className="mt-0 mb-3 flex flex-wrap gap-x-4 text-sm text-muted">
        {counts.map(({ action, kind, count }) => (
          <span key={`${action} ${kind}`} className="tabular-nums">
            {count.toLocaleString('en')} × {names[action]?.toLowerCase()}:{' '}
            {kind.replaceAll('_', ' ')}
          </span>
        ))}
      </p>
      <Problem error={inbox.error} />
      {inbox.isPending && <Loading />}
      {inbox.data !== undefined && items.length === 0 && <p>Nothing waits for a person.</p>}
      {items.length > 0 && (
        <>
          <Batch
            items={items.filter(({ id }) => selected.has(id))}
            done={() => setSelected(new Set())}
          />
          <Table
            label="What waits"
            head={['Select', 'Waiting', 'To do', 'About', 'At stake', 'Rail', 'State']}
          >
            {items.map((item, index) => (
              <Row key={`${item.action} ${item.id}`} current={index === at}>
                <Cell>
                  <input
                    type="checkbox"
                    aria-label={`Select ${item.kind} ${item.id.slice(0, 16)}`}
                    checked={selected.has(item.id)}
                    onChange={() => toggle(item.id)}
                  />
                </Cell>
                <Cell>
                  <Age since={item.waiting_since} />
                </Cell>
                <Cell>
                  <Link {...placeOf(item)} className="font-medium whitespace-nowrap text-accent">
                    {names[item.action]}: {item.kind.replaceAll('_', ' ')}
                  </Link>
                </Cell>
                <Cell>
                  <div className="min-w-48">
                    <Foreign text={item.summary} />
                    <div className="text-sm text-muted">
                      <Id id={item.id} />
                    </div>
                  </div>
                </Cell>
                <Cell right>
                  <Money usd={item.amount_usd} />
                </Cell>
                <Cell>{item.rail ?? '–'}</Cell>
                <Cell>
                  <State name={item.code ?? item.state} />
                </Cell>
              </Row>
            ))}
          </Table>
          <Pager
            offset={inbox.data?.offset ?? 0}
            shown={items.length}
            limit={LIMIT}
            total={inbox.data?.total ?? 0}
            go={(offset) => change({ offset: String(offset) })}
          />
        </>
      )}
    </>
  )
}

type Change = (next: Record<string, string | undefined>) => void

function Filter({ choice, change }: { choice: string; change: Change }) {
  return (
    <select
      id="inbox-filter"
      aria-label="Show"
      className={`${fieldClass} max-w-xs`}
      value={choice}
      onChange={(event) => change(filterOf(event.target.value))}
    >
      <option value="">Everything</option>
      <option value="decide">All decisions</option>
      {subjects.map((kind) => (
        <option key={kind} value={`kind:${kind}`}>
          Decisions: {kind.replaceAll('_', ' ')}
        </option>
      ))}
      <option value="recover">Stopped work</option>
      <option value="close_difference">Differences</option>
    </select>
  )
}

const subjects = ['agent', 'task', 'loop_step', 'recovery', 'work_order', 'payment_reference']

function filterOf(value: string): Record<string, string | undefined> {
  const none = { action: undefined, kind: undefined, code: undefined }
  if (value === '') return none
  return value.startsWith('kind:')
    ? { ...none, action: 'decide', kind: value.slice('kind:'.length) }
    : { ...none, action: value }
}
