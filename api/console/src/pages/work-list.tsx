import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useRef } from 'react'
import { payoutStates } from '#domain/payouts/payout-state.ts'
import { taskStates } from '#domain/tasks/lifecycle.ts'
import {
  Age,
  Button,
  Copy,
  fieldClass,
  Id,
  linkClass,
  Money,
  None,
  PageTitle,
  State,
} from '../parts/basics.tsx'
import { List, useList } from '../parts/list.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Table } from '../parts/table.tsx'
import { plain } from '../parts/words.ts'

/** Payouts and tasks, to be searched. */
export function WorkListPage() {
  const search = useSearch({ from: '/signed-in/work' })
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  useShortcuts({ '/': () => field.current?.focus() })
  const list = useList('work-list', search)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const value = (name: string) => String(given.get(name) ?? '').trim() || undefined
    void navigate({
      to: '/work',
      search: { q: value('q'), kind: value('kind'), state: value('state') },
    })
  }
  return (
    <>
      <PageTitle>Payouts and tasks</PageTitle>
      <form
        key={JSON.stringify(search)}
        onSubmit={submit}
        className="mb-3 grid gap-2 sm:grid-cols-[1fr_8rem_12rem_auto]"
      >
        <input
          ref={field}
          name="q"
          aria-label="Id, agent, wallet, reference, transaction or rail"
          placeholder="Id, agent, wallet, reference, transaction or rail"
          className={fieldClass}
          defaultValue={search.q ?? ''}
        />
        <select
          name="kind"
          aria-label="Kind"
          className={fieldClass}
          defaultValue={search.kind ?? ''}
        >
          <option value="">Both kinds</option>
          <option value="payout">Payouts</option>
          <option value="task">Tasks</option>
        </select>
        <select
          name="state"
          aria-label="State"
          className={fieldClass}
          defaultValue={search.state ?? ''}
        >
          <option value="">Any state</option>
          <optgroup label="Payouts">
            {payoutStates.map((state) => (
              <option key={state} value={state}>
                {plain(state)}
              </option>
            ))}
          </optgroup>
          <optgroup label="Tasks">
            {taskStates.map((state) => (
              <option key={state} value={state}>
                {plain(state)}
              </option>
            ))}
          </optgroup>
        </select>
        <Button type="submit" tone="primary">
          Search
        </Button>
      </form>
      <List
        list={list}
        empty={{
          title: 'Nothing matches',
          about: 'A search takes a whole id, address, reference, transaction or rail.',
        }}
        go={(offset) => void navigate({ to: '/work', search: { ...search, offset } })}
      >
        {(items) => (
          <Table
            label="Payouts and tasks"
            items={items}
            keyOf={(item) => item.id}
            columns={[
              { name: 'Created', of: (item) => <Age since={item.created_at} /> },
              {
                name: 'Payout or task',
                of: (item) => (
                  <>
                    <Link
                      to="/work/$id"
                      params={{ id: item.id }}
                      className={`font-mono text-sm ${linkClass}`}
                    >
                      {item.id.slice(0, 18)}…
                    </Link>
                    <Copy id={item.id} />
                  </>
                ),
              },
              { name: 'State', of: (item) => <State name={item.state} /> },
              { name: 'Rail', of: (item) => item.rail },
              { name: 'Amount', right: true, of: (item) => <Money usd={item.amount_usd} /> },
              {
                name: 'Owner',
                named: true,
                of: (item) => (item.owner === null ? <None /> : <Id id={item.owner} length={12} />),
              },
              { name: 'Usage', of: (item) => item.usage },
            ]}
          />
        )}
      </List>
    </>
  )
}
