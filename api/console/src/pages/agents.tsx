import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { call, type InputOf } from '../calls.ts'
import {
  Age,
  Button,
  Cell,
  Empty,
  Foreign,
  fieldClass,
  Id,
  Loading,
  linkClass,
  None,
  PageTitle,
  Problem,
  Row,
  State,
  Table,
} from '../parts/basics.tsx'
import { Pager } from '../parts/pager.tsx'
import { plain } from '../parts/words.ts'

const LIMIT = 50
const states = ['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']

/** Agents with their trust, limits and access keys; trust is decided on the review page. */
export function AgentsPage() {
  const search = useSearch({ from: '/signed-in/agents' })
  const navigate = useNavigate()
  const list = useQuery({
    queryKey: ['agents', search],
    queryFn: () =>
      call('agents-list', { ...search, limit: String(LIMIT) } as InputOf<'agents-list'>),
    placeholderData: keepPreviousData,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const value = (name: string) => String(given.get(name) ?? '').trim() || undefined
    void navigate({ to: '/agents', search: { q: value('q'), state: value('state') } })
  }
  const items = list.data?.items ?? []
  return (
    <>
      <PageTitle>Agents</PageTitle>
      <form
        key={JSON.stringify(search)}
        onSubmit={submit}
        className="mb-3 grid gap-2 sm:grid-cols-[1fr_12rem_auto]"
      >
        <input
          name="q"
          aria-label="Id, account, name or e-mail"
          placeholder="Id, account, name or e-mail"
          className={fieldClass}
          defaultValue={search.q ?? ''}
        />
        <select
          name="state"
          aria-label="Trust"
          className={fieldClass}
          defaultValue={search.state ?? ''}
        >
          <option value="">Any trust</option>
          {states.map((state) => (
            <option key={state} value={state}>
              {plain(state)}
            </option>
          ))}
        </select>
        <Button type="submit" tone="primary">
          Search
        </Button>
      </form>
      <Problem error={list.error} />
      {list.isPending && <Loading />}
      {list.data !== undefined && items.length === 0 && (
        <Empty title="No agent matches">
          Agents register themselves. Search by a whole id, or a part of the name or e-mail address.
        </Empty>
      )}
      {items.length > 0 && (
        <Table
          label="Agents"
          head={[
            'Registered',
            'Agent',
            'Trust',
            'Rails',
            { name: 'Access key', named: true },
            { name: 'Open tasks', right: true, named: true },
            { name: 'Links', unseen: true },
          ]}
        >
          {items.map((agent) => (
            <Row key={agent.agent_id}>
              <Cell>
                <Age since={agent.created_at} />
              </Cell>
              <Cell>
                <Link
                  to="/agents/$id"
                  params={{ id: agent.agent_id }}
                  className={`font-medium ${linkClass}`}
                >
                  <Foreign text={agent.name} />
                </Link>
                <div className="text-sm text-muted">
                  <Id id={agent.agent_id} />
                </div>
              </Cell>
              <Cell>
                <State name={agent.trust_state} />
                <div className="text-sm whitespace-nowrap text-muted">
                  for <Age since={agent.trust_since} />
                </div>
              </Cell>
              <Cell>{agent.rails.join(', ')}</Cell>
              <Cell>
                {agent.credential_state === null ? (
                  <None />
                ) : (
                  <State name={agent.credential_state} />
                )}
                {agent.credential_expires_at !== null && (
                  <div className="text-sm whitespace-nowrap text-muted">
                    until {agent.credential_expires_at.slice(0, 10)}
                  </div>
                )}
              </Cell>
              <Cell>{agent.open_tasks}</Cell>
              <Cell>
                <span className="flex gap-3 whitespace-nowrap">
                  <Link to="/work" search={{ q: agent.agent_id }} className={linkClass}>
                    Tasks
                  </Link>
                </span>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <Pager
        offset={list.data?.offset ?? 0}
        shown={items.length}
        limit={LIMIT}
        go={(offset) =>
          void navigate({ to: '/agents', search: { ...search, offset: String(offset) } })
        }
      />
    </>
  )
}
