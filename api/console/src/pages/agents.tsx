import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import {
  Age,
  Cell,
  Foreign,
  Id,
  linkClass,
  None,
  PageTitle,
  Row,
  State,
  Table,
} from '../parts/basics.tsx'
import { List, useList } from '../parts/list.tsx'
import { SearchForm } from '../parts/search-form.tsx'

const states = ['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']

/** Agents with their trust, limits and access keys; trust is decided on the review page. */
export function AgentsPage() {
  const search = useSearch({ from: '/signed-in/agents' })
  const navigate = useNavigate()
  const list = useList('agents-list', search)
  return (
    <>
      <PageTitle>Agents</PageTitle>
      <SearchForm
        text="Id, account, name or e-mail"
        choices={[{ name: 'state', label: 'Trust', any: 'Any trust', values: states }]}
        now={search}
        search={(given) => void navigate({ to: '/agents', search: given })}
      />
      <List
        list={list}
        empty={{
          title: 'No agent matches',
          about:
            'Agents register themselves. Search by a whole id, or a part of the name or e-mail address.',
        }}
        go={(offset) => void navigate({ to: '/agents', search: { ...search, offset } })}
      >
        {(items) => (
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
      </List>
    </>
  )
}
