import { Link } from '@tanstack/react-router'
import type { OutputOf } from '../calls.ts'
import {
  Age,
  Cell,
  Foreign,
  Id,
  linkClass,
  Moment,
  Money,
  None,
  ReceiptLink,
  Row,
  State,
  Table,
} from './basics.tsx'

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
    head={[
      'Issued',
      'Grant',
      'State',
      'Operation',
      { name: 'At most', right: true, named: true },
      { name: 'Expires', named: true },
      ...(ofMandate ? [] : ['Agent', { name: 'Mandate', named: true as const }]),
      { name: 'Issued by', named: true },
    ]}
  >
    {grants.map((grant) => (
      <Row key={grant.grant_id}>
        <Cell>
          <Age since={grant.issued_at} />
        </Cell>
        <Cell>
          <Id id={grant.grant_id} length={14} />
        </Cell>
        <Cell>
          <State name={grant.state === 'issued' ? 'unused' : grant.state} />
        </Cell>
        <Cell>
          <Operation id={grant.operation_id} />
        </Cell>
        <Cell>
          <Money usd={grant.spend_usd_max} />
        </Cell>
        <Cell>
          <Moment time={grant.expires_at} />
        </Cell>
        {!ofMandate && (
          <Cell>
            <AgentLink id={grant.agent_id} name={grant.agent_name} />
          </Cell>
        )}
        {!ofMandate && (
          <Cell>
            <MandateLink id={grant.mandate_id} />
          </Cell>
        )}
        <Cell>
          <Foreign text={grant.issued_by} />
        </Cell>
      </Row>
    ))}
  </Table>
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
    head={[
      'Stored',
      'Action',
      'State',
      'Operation',
      { name: 'Price', right: true },
      'Permitted by',
      ...(ofMandate ? [] : ['Agent', { name: 'Mandate', named: true as const }]),
      { name: 'Links', unseen: true },
    ]}
  >
    {actions.map((action) => (
      <Row key={action.action_id}>
        <Cell>
          <Age since={action.reserved_at} />
        </Cell>
        <Cell>
          <Id id={action.action_id} length={14} />
        </Cell>
        <Cell>
          <State name={action.state} />
          {action.refusal !== null && (
            <div className="text-sm">
              <Foreign text={action.refusal.detail} />
            </div>
          )}
        </Cell>
        <Cell>
          <Operation id={action.operation_id} />
        </Cell>
        <Cell>
          <Money usd={action.price_usd} />
        </Cell>
        <Cell>
          {action.decision === null ? <None /> : <RuleList rules={action.decision.rules} />}
        </Cell>
        {!ofMandate && (
          <Cell>
            <AgentLink id={action.agent_id} name={action.agent_name} />
          </Cell>
        )}
        {!ofMandate && (
          <Cell>
            <MandateLink id={action.mandate_id} />
          </Cell>
        )}
        <Cell>
          <ActionLinks of={action} />
        </Cell>
      </Row>
    ))}
  </Table>
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
    head={[
      'Decided',
      'Decision',
      { name: 'Asked to', named: true },
      'Operation',
      { name: 'Price', right: true },
      'Rules',
      'Receipt',
    ]}
  >
    {decisions.map((one) => (
      <Row key={one.decision_id}>
        <Cell>
          <Age since={one.decided_at} />
        </Cell>
        <Cell>
          <State name={one.decision} />
        </Cell>
        <Cell>{one.purpose}</Cell>
        <Cell>
          <Operation id={one.operation_id} />
        </Cell>
        <Cell>
          <Money usd={one.price_usd} />
        </Cell>
        <Cell>
          <RuleList rules={one.rules} />
        </Cell>
        <Cell>
          <ReceiptLink id={one.receipt_id}>verify</ReceiptLink>
        </Cell>
      </Row>
    ))}
  </Table>
)
