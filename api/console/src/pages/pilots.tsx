import { Link } from '@tanstack/react-router'
import { pilotSources, pilotStates } from '#domain/pilots/pilot.ts'
import { railKeys } from '#domain/rails/rail.ts'
import { Age, Foreign, Id, linkClass, Money, None, State } from '../parts/basics.tsx'
import { ListPage } from '../parts/list.tsx'
import { Table } from '../parts/table.tsx'
import { plain } from '../parts/words.ts'

/** Pilots of every source; each is decided about, and closed, on its review page. */
export function PilotsPage() {
  return (
    <ListPage
      list="pilots-list"
      path="/pilots"
      title="Pilots"
      text="Id of a pilot, agent or order, or client"
      choices={[
        { name: 'rail', label: 'Rail', any: 'Any rail', values: railKeys },
        { name: 'state', label: 'State', any: 'Any state', values: pilotStates },
        { name: 'source', label: 'Source', any: 'Any source', values: pilotSources },
      ]}
      empty={{
        title: 'No pilot matches',
        about: 'Pilots begin by an intake, an invitation, an offer or a controlled activation.',
      }}
    >
      {(items) => (
        <Table
          label="Pilots"
          items={items}
          keyOf={(pilot) => pilot.pilot_id}
          columns={[
            { name: 'Asked', of: (pilot) => <Age since={pilot.created_at} /> },
            {
              name: 'Client',
              of: (pilot) => (
                <>
                  <Link
                    to="/review/$id"
                    params={{ id: pilot.pilot_id }}
                    className={`font-medium ${linkClass}`}
                  >
                    <Foreign text={pilot.client.name} />
                  </Link>
                  <div className="line-clamp-2 min-w-48 text-sm">
                    <Foreign text={pilot.objective} />
                  </div>
                  <div className="text-sm text-muted">
                    <Id id={pilot.pilot_id} />
                  </div>
                </>
              ),
            },
            {
              name: 'State',
              of: (pilot) => (
                <>
                  <State name={pilot.state} />
                  <div className="text-sm whitespace-nowrap text-muted">
                    for <Age since={pilot.state_since} />
                    {pilot.waiting_since !== null && ', waits for you'}
                  </div>
                </>
              ),
            },
            {
              name: 'Rail',
              of: (pilot) => (
                <>
                  {pilot.rail} {pilot.tier}
                </>
              ),
            },
            {
              name: 'Price',
              right: true,
              of: (pilot) => <Money usd={String(pilot.total_usd)} />,
            },
            {
              name: 'Start',
              of: (pilot) => (
                <span className="whitespace-nowrap">{pilot.desired_start ?? <None />}</span>
              ),
            },
            { name: 'Source', of: (pilot) => plain(pilot.source) },
            {
              name: 'Links',
              unseen: true,
              of: (pilot) => (
                <span className="flex gap-3 whitespace-nowrap">
                  {pilot.runs.map((id) => (
                    <Link key={id} to="/work" search={{ q: id }} className={linkClass}>
                      Run
                    </Link>
                  ))}
                  {pilot.agent_id !== null && (
                    <Link to="/agents/$id" params={{ id: pilot.agent_id }} className={linkClass}>
                      Agent
                    </Link>
                  )}
                </span>
              ),
            },
          ]}
        />
      )}
    </ListPage>
  )
}
