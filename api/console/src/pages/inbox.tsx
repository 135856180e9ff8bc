import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { railKeys } from '#domain/rails/rail.ts'
import { subjectKinds } from '#domain/reviews/review.ts'
import { call, type InputOf, type OutputOf } from '../calls.ts'
import {
  Age,
  Empty,
  Foreign,
  fieldClass,
  Id,
  Loading,
  linkClass,
  Money,
  None,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'
import { Batch } from '../parts/batch.tsx'
import { Pager } from '../parts/pager.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Table } from '../parts/table.tsx'
import { actName, kindName, withShortIds } from '../parts/words.ts'

export type Item = OutputOf<'inbox'>['items'][number]
const LIMIT = 50

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
  const isFiltered = Object.values(search).some((value) => value !== undefined)
  const choice = search.kind === undefined ? (search.action ?? '') : `kind:${search.kind}`
  return (
    <>
      <PageTitle
        aside={
          <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto sm:flex-wrap">
            <Filter choice={choice} change={change} />
            {choices.map(({ label, field, options }) => (
              <Choice
                key={field}
                label={label}
                options={options}
                value={search[field]}
                change={(value) => change({ [field]: value })}
              />
            ))}
          </div>
        }
      >
        Inbox
      </PageTitle>
      <Counts counts={counts} change={change} />
      <Problem error={inbox.error} />
      {inbox.isPending && <Loading />}
      {inbox.data !== undefined && items.length === 0 && (
        <Empty title={isFiltered ? 'Nothing like this waits' : 'Nothing waits for a person'}>
          {isFiltered
            ? 'Show everything to see what else there is.'
            : 'New work appears here by itself.'}
        </Empty>
      )}
      {items.length > 0 && (
        <>
          <Batch
            items={items.filter(({ id }) => selected.has(id))}
            done={() => setSelected(new Set())}
          />
          <Waiting items={items} at={at} selected={selected} toggle={toggle} />
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

type WaitingProps = {
  items: readonly Item[]
  /** The row that the keyboard is at. */
  at: number
  selected: ReadonlySet<string>
  toggle: (id: string) => void
}

function Waiting({ items, at, selected, toggle }: WaitingProps) {
  return (
    <Table
      label="What waits"
      items={items}
      keyOf={(item) => `${item.action} ${item.id}`}
      current={items[at]}
      columns={[
        {
          name: 'Select',
          unseen: true,
          of: (item) => (
            <input
              type="checkbox"
              aria-label={`Select ${item.kind} ${item.id.slice(0, 16)}`}
              checked={selected.has(item.id)}
              onChange={() => toggle(item.id)}
            />
          ),
        },
        { name: 'Waiting', of: (item) => <Age since={item.waiting_since} /> },
        {
          name: 'To do',
          of: (item) => (
            <Link {...placeOf(item)} className={`font-medium whitespace-nowrap ${linkClass}`}>
              {actName(item.action)}: {kindName(item.kind)}
            </Link>
          ),
        },
        {
          name: 'About',
          of: (item) => (
            <div className="min-w-48">
              <div className="line-clamp-3">
                <Foreign text={withShortIds(item.summary)} />
              </div>
              <div className="text-sm text-muted">
                <Id id={item.id} />
              </div>
            </div>
          ),
        },
        { name: 'At stake', right: true, of: (item) => <Money usd={item.amount_usd} /> },
        { name: 'Rail', of: (item) => item.rail ?? <None /> },
        { name: 'State', of: (item) => <State name={item.code ?? item.state} /> },
      ]}
    />
  )
}

type Change = (next: Record<string, string | undefined>) => void

type Count = OutputOf<'inbox'>['counts'][number]

/** How much waits of each kind; each number leads to its list. */
function Counts({ counts, change }: { counts: readonly Count[]; change: Change }) {
  if (counts.length === 0) return null
  return (
    <ul aria-label="Waiting by kind" className="m-0 mb-3 flex list-none flex-wrap gap-2 p-0">
      {counts.map(({ action, kind, count }) => (
        <li key={`${action} ${kind}`}>
          <button
            type="button"
            className="cursor-pointer rounded-full border border-line bg-card px-3 py-1 text-sm hover:bg-hover"
            onClick={() => change(filterOf(action === 'decide' ? `kind:${kind}` : action))}
          >
            {actName(action)}: {kindName(kind)}{' '}
            <strong className="tabular-nums">{count.toLocaleString('en')}</strong>
          </button>
        </li>
      ))}
    </ul>
  )
}

type Options = readonly (readonly [value: string, name: string])[]
const choices: readonly {
  label: string
  field: 'rail' | 'older_than_seconds' | 'min_amount_usd'
  options: Options
}[] = [
  {
    label: 'Rail',
    field: 'rail',
    options: [['', 'Any rail'], ...railKeys.map((key) => [key, key] as const)],
  },
  {
    label: 'Waiting',
    field: 'older_than_seconds',
    options: [
      ['', 'Any age'],
      ['3600', 'An hour or more'],
      ['86400', 'A day or more'],
      ['604800', 'A week or more'],
    ],
  },
  {
    label: 'At stake',
    field: 'min_amount_usd',
    options: [
      ['', 'Any amount'],
      ['10', '10 USD or more'],
      ['100', '100 USD or more'],
      ['1000', '1,000 USD or more'],
    ],
  },
]

type ChoiceProps = {
  label: string
  options: Options
  value: string | undefined
  change: (value: string | undefined) => void
}

function Choice({ label, options, value, change }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      className={`${fieldClass} sm:w-40`}
      value={value ?? ''}
      onChange={(event) => change(event.target.value || undefined)}
    >
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  )
}

function Filter({ choice, change }: { choice: string; change: Change }) {
  return (
    <select
      id="inbox-filter"
      aria-label="Show"
      className={`${fieldClass} sm:w-56`}
      value={choice}
      onChange={(event) => change(filterOf(event.target.value))}
    >
      <option value="">Everything</option>
      <option value="decide">All decisions</option>
      {subjectKinds.map((kind) => (
        <option key={kind} value={`kind:${kind}`}>
          Decisions: {kindName(kind)}
        </option>
      ))}
      <option value="recover">Stopped work</option>
      <option value="close_difference">Differences</option>
    </select>
  )
}

function filterOf(value: string): Record<string, string | undefined> {
  const none = { action: undefined, kind: undefined, code: undefined }
  if (value === '') return none
  return value.startsWith('kind:')
    ? { ...none, action: 'decide', kind: value.slice('kind:'.length) }
    : { ...none, action: value }
}
