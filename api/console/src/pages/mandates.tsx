import { mandateStates } from '#domain/authority/facts.ts'
import { grouped } from '#domain/rails/report/decimal-text.ts'
import type { OutputOf } from '../calls.ts'
import { Age, Copy, Foreign, Moment, None, State } from '../parts/basics.tsx'
import { AgentLink, AuthorityTabs, MandateLink } from '../parts/delegation.tsx'
import { ListPage } from '../parts/list.tsx'
import { type Columns, Table } from '../parts/table.tsx'

type Line = OutputOf<'mandates-list'>['items'][number]

/** Mandates of the authority, of AP2 and for payouts, with what is left of each. */
export function MandatesPage() {
  return (
    <ListPage
      list="mandates-list"
      path="/authority"
      title="Delegated authority"
      tabs={<AuthorityTabs />}
      text="Id of a mandate, grant, agent or payout, principal or issuer"
      choices={[
        { name: 'kind', label: 'Kind', any: 'Any kind', values: ['authority', 'ap2', 'payout'] },
        { name: 'state', label: 'State', any: 'Any state', values: mandateStates },
      ]}
      empty={{
        title: 'No mandate matches',
        about: 'An operator issues mandates with issue_mandate at /api/delegated-authority.',
      }}
    >
      {(items) => (
        <Table label="Mandates" items={items} keyOf={(line) => line.mandate_id} columns={columns} />
      )}
    </ListPage>
  )
}

const columns: Columns<Line> = [
  { name: 'Issued', of: (line) => <Age since={line.known_since} /> },
  {
    name: 'Mandate',
    of: (line) => (
      <span className="whitespace-nowrap">
        <MandateLink id={line.mandate_id} />
        <Copy id={line.mandate_id} />
      </span>
    ),
  },
  { name: 'Kind', of: (line) => (line.kind === 'ap2' ? 'AP2' : line.kind) },
  { name: 'State', of: (line) => <State name={line.state} /> },
  {
    name: 'Agent, and for whom',
    of: (line) => (
      <div className="sm:min-w-36">
        {line.agent_id === null ? (
          <None />
        ) : (
          <AgentLink id={line.agent_id} name={line.agent_name} />
        )}
        <div className="text-sm text-muted">
          <Foreign text={line.principal} />
        </div>
      </div>
    ),
  },
  {
    name: 'Used',
    named: true,
    of: (line) => (
      <>
        <Used budget={line.budget} />
        <div className="text-sm whitespace-nowrap text-muted">
          {line.uses} of {line.uses_max ?? 'any number of'} {usesOf[line.kind]}
        </div>
      </>
    ),
  },
  {
    name: 'Left',
    right: true,
    named: true,
    of: ({ budget }) => (budget === null ? <None /> : inCurrency(budget.left, budget)),
  },
  {
    name: 'Expires',
    named: true,
    of: ({ expires_at }) => (expires_at === null ? <None /> : <Moment time={expires_at} />),
  },
]

const usesOf = { authority: 'actions', ap2: 'payments', payout: 'payouts' } as const

/** An exact amount. */
const inCurrency = (amount: string, { currency }: { currency: string }) => (
  <span className="whitespace-nowrap tabular-nums">
    {grouped(amount)} {currency}
  </span>
)

const Used = ({ budget }: Pick<Line, 'budget'>) =>
  budget === null ? (
    <None />
  ) : (
    <>
      {inCurrency(budget.used, budget)} of {inCurrency(budget.total, budget)}
    </>
  )
