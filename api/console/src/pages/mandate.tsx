import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { grouped } from '#domain/rails/report/decimal-text.ts'
import { call, type OutputOf } from '../calls.ts'
import { Act } from '../parts/act.tsx'
import {
  Card,
  Empty,
  Facts,
  Foreign,
  Id,
  Loading,
  linkClass,
  Moment,
  None,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'
import {
  ActionTable,
  AgentLink,
  DecisionTable,
  FiringTable,
  GrantTable,
} from '../parts/delegation.tsx'
import { Json } from '../parts/json.tsx'
import { Table } from '../parts/table.tsx'
import { utc } from '../parts/words.ts'

type Detail = OutputOf<'mandate-read'>

/** One mandate: its terms, what is left, its decisions, and its revocation. */
export function MandatePage() {
  const { id } = useParams({ from: '/signed-in/authority/mandates/$id' })
  const read = useQuery({
    queryKey: ['mandate', id],
    queryFn: () => call('mandate-read', { mandate_id: id }),
  })
  if (read.data === undefined)
    return read.error === null ? <Loading /> : <Problem error={read.error} />
  const { kind, state, decisions, grants, actions, firings, payments } = read.data
  return (
    <>
      <PageTitle
        aside={
          <Link to="/authority" className={linkClass}>
            All mandates
          </Link>
        }
      >
        {words[kind].title} <State name={state} />
      </PageTitle>
      <div className="space-y-4">
        <Standing mandate={read.data} />
        {kind === 'ap2' && <Payments payments={payments} />}
        {kind === 'authority' && (
          <>
            <Card title="Decisions">
              {decisions.length === 0 ? (
                <Empty title="Nothing was decided yet" />
              ) : (
                <DecisionTable decisions={decisions} />
              )}
            </Card>
            <Card title="Delegated actions">
              {actions.length === 0 ? (
                <Empty title="No action yet" />
              ) : (
                <ActionTable actions={actions} ofMandate />
              )}
            </Card>
            {firings.length > 0 && (
              <Card title="Charged firings">
                <FiringTable firings={firings} />
              </Card>
            )}
            <Card title="Action grants">
              {grants.length === 0 ? (
                <Empty title="No grant yet" />
              ) : (
                <GrantTable grants={grants} ofMandate />
              )}
            </Card>
          </>
        )}
        <Terms document={read.data.document} />
      </div>
    </>
  )
}

function Standing({ mandate }: { mandate: Detail }) {
  const { mandate_id, agent_id, agent_name, budget, uses, uses_max, revocation } = mandate
  const payoutId = mandate.document?.['payout_id']
  const amount = (value: string) => `${grouped(value)} ${budget?.currency ?? ''}`
  return (
    <Card title="What is left" aside={<Revoke mandate={mandate} />}>
      {revocation !== null && (
        <p className="mt-0 rounded-md border border-bad p-3">
          Revoked by <Foreign text={revocation.by} /> at {utc(revocation.at)}:{' '}
          <Foreign text={revocation.reason} />
        </p>
      )}
      <Facts
        facts={[
          ['Mandate', <Id key="id" id={mandate_id} length={30} />],
          [
            'Agent',
            agent_id === null ? (
              <None key="agent" />
            ) : (
              <AgentLink key="agent" id={agent_id} name={agent_name} />
            ),
          ],
          [words[mandate.kind].principal, <Foreign key="for" text={mandate.principal} />],
          ...(typeof payoutId === 'string'
            ? ([
                [
                  'Payout',
                  <Link key="payout" to="/work/$id" params={{ id: payoutId }} className={linkClass}>
                    {payoutId.slice(0, 18)}…
                  </Link>,
                ],
              ] as const)
            : []),
          [
            'Budget',
            budget === null
              ? 'none'
              : `${amount(budget.used)} of ${amount(budget.total)} used, ${amount(budget.left)} left`,
          ],
          [words[mandate.kind].uses, `${uses} of ${uses_max ?? 'any number'}`],
          [
            'Issued',
            <span key="issued">
              <Moment time={mandate.known_since} />
              {mandate.issued_by !== null && (
                <>
                  {' '}
                  by <Foreign text={mandate.issued_by} />
                </>
              )}
            </span>,
          ],
          [
            'Expires',
            mandate.expires_at === null ? (
              'never'
            ) : (
              <Moment key="expires" time={mandate.expires_at} />
            ),
          ],
        ]}
      />
    </Card>
  )
}

const words = {
  authority: {
    title: 'Mandate',
    principal: 'Principal',
    uses: 'Actions',
    revoking: 'No action starts under it from now on, and its unused grants are revoked.',
  },
  ap2: {
    title: 'AP2 mandate',
    principal: 'Issuer',
    uses: 'Payments',
    revoking: 'No payment under it is taken from now on.',
  },
  payout: {
    title: 'Payout mandate',
    principal: 'Created by',
    uses: 'Payouts',
    revoking:
      'Its payout is neither authorized nor executed from now on. A transfer that has begun goes through.',
  },
} as const

/** A mandate of another issuer has no id here, and its issuer revokes it. */
const Revoke = ({ mandate: { mandate_id, kind, state } }: { mandate: Detail }) => (
  <Act
    ended={state === 'revoked' || !mandate_id.startsWith('mdt_')}
    label="Revoke"
    title="Revoke the mandate"
    tone="danger"
    act={(reason) =>
      call('revoke-mandate', { mode: 'revoke_mandate', action: { mandate_id, reason } })
    }
  >
    {words[kind].revoking} This cannot be undone.
  </Act>
)

/** Shown in their own places, or for programs. */
const elsewhere = new Set([
  'schema',
  'context',
  'version',
  'mandate_id',
  'agent_id',
  'principal_id',
  'expires_at',
  'key_id',
  'signature',
])

function Terms({ document }: Pick<Detail, 'document'>) {
  if (document === null) return null
  const terms = Object.entries(document).filter(([name]) => !elsewhere.has(name))
  return (
    <Card title="Terms">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <section aria-label="Terms of the mandate" tabIndex={0} className="overflow-x-auto">
        <Json value={Object.fromEntries(terms)} />
      </section>
    </Card>
  )
}

const Payments = ({ payments }: Pick<Detail, 'payments'>) => (
  <Card title="Payments">
    {payments.length === 0 ? (
      <Empty title="No payment yet" />
    ) : (
      <Table
        label="Payments under the mandate"
        items={payments}
        keyOf={(payment) => payment.payment_reference_id}
        columns={[
          { name: 'Paid', of: (payment) => <Moment time={payment.paid_at} /> },
          { name: 'Payment', of: (payment) => <Id id={payment.payment_reference_id} /> },
          { name: 'State', of: (payment) => <State name={payment.state} /> },
          {
            name: 'Amount',
            right: true,
            of: (payment) => (
              <>
                {grouped(payment.amount)} {payment.currency}
              </>
            ),
          },
          {
            name: 'By',
            named: true,
            of: (payment) => (
              <>
                <Foreign text={payment.instrument_type} /> <Id id={payment.instrument_id} />
              </>
            ),
          },
        ]}
      />
    )}
  </Card>
)
