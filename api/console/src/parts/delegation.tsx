import { Link } from '@tanstack/react-router'
import type { OutputOf } from '../calls.ts'
import { Age, Foreign, Id, linkClass, Moment, Money, None, ReceiptLink, State } from './basics.tsx'
import { type Columns, Table } from './table.tsx'

type Detail = OutputOf<'mandate-read'>
type Rules = Detail['decisions'][number]['rules']

const tabs = [
  ['/authority', 'Mandates'],
  ['/authority/grants', 'Grants'],
  ['/authority/actions', 'Actions'],
] as const

/** The lists of delegated authority. */
export const AuthorityTabs = () => (
  <nav aria-label="Delegated authority" className="mb-4">
    <ul className="m-0 flex list-none flex-wrap gap-1 border-b border-line p-0">
      {tabs.map(([to, name]) => (
        <li key={to}>
          <Link
            to={to}
            activeOptions={{ exact: true, includeSearch: false }}
            className="-mb-px block border-b-2 border-transparent px-3 py-1.5 text-text no-underline hover:bg-hover aria-[current=page]:border-accent aria-[current=page]:font-semibold"
          >
            {name}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)

export const AgentLink = ({ id, name }: { id: string; name: string | null }) => (
  <Link to="/agents/$id" params={{ id }} className={linkClass}>
    <Foreign text={name ?? `${id.slice(0, 14)}…`} />
  </Link>
)

export const MandateLink = ({ id }: { id: string }) => (
  <Link
    to="/authority/mandates/$id"
    params={{ id }}
    className={`font-mono text-sm whitespace-nowrap ${linkClass}`}
  >
    {id.slice(0, 14)}…
  </Link>
)

const Operation = ({ id }: { id: string }) => <span className="sm:whitespace-nowrap">{id}</span>

/** The rules that decided, each with its reason. */
const RuleList = ({ rules }: { rules: Rules }) => (
  <ul className="m-0 list-none p-0 text-sm">
    {rules.map(({ rule, detail }) => (
      <li key={rule}>
        <code className="font-mono">{rule}</code>: <Foreign text={detail} />
      </li>
    ))}
  </ul>
)

type Line = Pick<Detail['grants'][number], 'agent_id' | 'agent_name' | 'mandate_id'>
const ofWhom = (ofMandate: boolean): Columns<Line> =>
  ofMandate
    ? []
    : [
        { name: 'Agent', of: (line) => <AgentLink id={line.agent_id} name={line.agent_name} /> },
        { name: 'Mandate', named: true, of: (line) => <MandateLink id={line.mandate_id} /> },
      ]

/** `ofMandate`: all are of the mandate that the page is about. */
export const GrantTable = ({
  grants,
  ofMandate = false,
}: {
  grants: Detail['grants']
  ofMandate?: boolean
}) => (
  <Table
    label="Action grants"
    items={grants}
    keyOf={(grant) => grant.grant_id}
    columns={[
      { name: 'Issued', of: (grant) => <Age since={grant.issued_at} /> },
      { name: 'Grant', of: (grant) => <Id id={grant.grant_id} length={14} /> },
      {
        name: 'State',
        of: (grant) => <State name={grant.state === 'issued' ? 'unused' : grant.state} />,
      },
      { name: 'Operation', of: (grant) => <Operation id={grant.operation_id} /> },
      {
        name: 'At most',
        right: true,
        named: true,
        of: (grant) => <Money usd={grant.spend_usd_max} />,
      },
      { name: 'Expires', named: true, of: (grant) => <Moment time={grant.expires_at} /> },
      ...ofWhom(ofMandate),
      { name: 'Issued by', named: true, of: (grant) => <Foreign text={grant.issued_by} /> },
    ]}
  />
)

export const ActionTable = ({
  actions,
  ofMandate = false,
}: {
  actions: Detail['actions']
  ofMandate?: boolean
}) => (
  <Table
    label="Delegated actions"
    items={actions}
    keyOf={(action) => action.action_id}
    columns={[
      { name: 'Stored', of: (action) => <Age since={action.reserved_at} /> },
      { name: 'Action', of: (action) => <Id id={action.action_id} length={14} /> },
      {
        name: 'State',
        of: (action) => (
          <>
            <State name={action.state} />
            {action.refusal !== null && (
              <div className="text-sm">
                <Foreign text={action.refusal.detail} />
              </div>
            )}
          </>
        ),
      },
      { name: 'Operation', of: (action) => <Operation id={action.operation_id} /> },
      {
        name: 'Price',
        right: true,
        of: (action) => (
          <>
            <Money usd={action.price_usd} />
            {action.released_usd !== null && (
              <div className="text-sm">
                {action.released_usd === 0 ? 'used by a run' : 'given back'}
              </div>
            )}
          </>
        ),
      },
      {
        name: 'Permitted by',
        of: (action) =>
          action.decision === null ? <None /> : <RuleList rules={action.decision.rules} />,
      },
      ...ofWhom(ofMandate),
      { name: 'Links', unseen: true, of: (action) => <ActionLinks of={action} /> },
    ]}
  />
)

/** What the runs of delegated workflows cost a mandate. */
export const FiringTable = ({ firings }: { firings: Detail['firings'] }) => (
  <Table
    label="Charged firings"
    items={firings}
    keyOf={(firing) => firing.firing_id}
    columns={[
      { name: 'Due', of: (firing) => <Moment time={firing.due_at} /> },
      {
        name: 'Workflow',
        of: (firing) => (
          <>
            <Foreign text={firing.workflow_name} /> <Id id={firing.workflow_id} length={14} />
          </>
        ),
      },
      { name: 'State', of: (firing) => <State name={firing.state} /> },
      {
        name: 'Charged',
        right: true,
        named: true,
        of: (firing) => (
          <>
            <Money usd={firing.charged_usd} />
            {firing.charged_usd === 0 && <div className="text-sm">paid by its action</div>}
          </>
        ),
      },
      { name: 'Action', named: true, of: (firing) => <Id id={firing.action_id} length={14} /> },
      {
        name: 'Run',
        named: true,
        of: (firing) => (firing.run_id === null ? <None /> : <Id id={firing.run_id} length={14} />),
      },
    ]}
  />
)

const ActionLinks = ({ of }: { of: Detail['actions'][number] }) => (
  <span className="flex flex-wrap gap-x-3 whitespace-nowrap">
    {of.decision !== null && <ReceiptLink id={of.decision.receipt_id}>decision</ReceiptLink>}
    {of.receipt_id !== null && <ReceiptLink id={of.receipt_id}>receipt</ReceiptLink>}
    {of.temporal_url !== null && (
      <a href={of.temporal_url} className={linkClass}>
        Temporal
      </a>
    )}
  </span>
)

export const DecisionTable = ({ decisions }: { decisions: Detail['decisions'] }) => (
  <Table
    label="Decisions"
    items={decisions}
    keyOf={(one) => one.decision_id}
    columns={[
      { name: 'Decided', of: (one) => <Age since={one.decided_at} /> },
      { name: 'Decision', of: (one) => <State name={one.decision} /> },
      { name: 'Asked to', named: true, of: (one) => one.purpose },
      { name: 'Operation', of: (one) => <Operation id={one.operation_id} /> },
      { name: 'Price', right: true, of: (one) => <Money usd={one.price_usd} /> },
      { name: 'Rules', of: (one) => <RuleList rules={one.rules} /> },
      { name: 'Receipt', of: (one) => <ReceiptLink id={one.receipt_id}>verify</ReceiptLink> },
    ]}
  />
)
