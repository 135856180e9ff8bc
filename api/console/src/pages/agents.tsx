import { Link } from '@tanstack/react-router'
import { Age, Foreign, Id, linkClass, None, State } from '../parts/basics.tsx'
import { ListPage } from '../parts/list.tsx'
import { Table } from '../parts/table.tsx'

const states = ['submitted', 'under_review', 'trusted', 'rejected', 'suspended', 'sandbox_trusted']

/** Agents with their trust, limits and access keys; trust is decided on the review page. */
export function AgentsPage() {
  return (
    <ListPage
      list="agents-list"
      path="/agents"
      title="Agents"
      text="Id, account, name or e-mail"
      choices={[{ name: 'state', label: 'Trust', any: 'Any trust', values: states }]}
      empty={{
        title: 'No agent matches',
        about:
          'Agents register themselves. Search by a whole id, or a part of the name or e-mail address.',
      }}
    >
      {(items) => (
        <Table
          label="Agents"
          items={items}
          keyOf={(agent) => agent.agent_id}
          columns={[
            { name: 'Registered', of: (agent) => <Age since={agent.created_at} /> },
            {
              name: 'Agent',
              of: (agent) => (
                <>
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
                </>
              ),
            },
            {
              name: 'Trust',
              of: (agent) => (
                <>
                  <State name={agent.trust_state} />
                  <div className="text-sm whitespace-nowrap text-muted">
                    for <Age since={agent.trust_since} />
                  </div>
                </>
              ),
            },
            { name: 'Rails', of: (agent) => agent.rails.join(', ') },
            {
              name: 'Access key',
              named: true,
              of: (agent) => (
                <>
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
                </>
              ),
            },
            { name: 'Open tasks', right: true, named: true, of: (agent) => agent.open_tasks },
            {
              name: 'Links',
              unseen: true,
              of: (agent) => (
                <span className="flex gap-3 whitespace-nowrap">
                  <Link to="/work" search={{ q: agent.agent_id }} className={linkClass}>
                    Tasks
                  </Link>
                </span>
              ),
            },
          ]}
        />
      )}
    </ListPage>
  )
}
