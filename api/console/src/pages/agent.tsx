import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call, type OutputOf } from '../calls.ts'
import { Act } from '../parts/act.tsx'
import {
  Age,
  Card,
  Empty,
  Facts,
  Foreign,
  Id,
  Loading,
  linkClass,
  None,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'
import { LimitFields, type Limits } from '../parts/limits.tsx'
import { OperatorChanges } from '../parts/operator-changes.tsx'
import { Table } from '../parts/table.tsx'
import { dollars, utc } from '../parts/words.ts'

type Detail = OutputOf<'agent-read'>

/** One agent: its trust and limits, its keys, and what was decided about it. */
export function AgentPage() {
  const { id } = useParams({ from: '/signed-in/agents/$id' })
  const read = useQuery({
    queryKey: ['agent', id],
    queryFn: () => call('agent-read', { agent_id: id }),
  })
  if (read.data === undefined)
    return read.error === null ? <Loading /> : <Problem error={read.error} />
  const { agent, decisions, access_keys, signing_keys } = read.data
  return (
    <>
      <PageTitle
        aside={
          <span className="flex gap-4">
            <Link to="/work" search={{ q: agent.agent_id }} className={linkClass}>
              Its tasks
            </Link>
            <Link to="/agents" className={linkClass}>
              All agents
            </Link>
          </span>
        }
      >
        <Foreign text={agent.name} /> <State name={agent.trust.state} />
      </PageTitle>
      <div className="space-y-4">
        <Trust detail={read.data} />
        <AccessKeys agentId={agent.agent_id} keys={access_keys} state={agent.trust.state} />
        <SigningKeys keys={signing_keys} />
        <Decisions decisions={decisions} />
      </div>
    </>
  )
}

const words: Readonly<Record<string, string>> = {
  approve: 'Approve, with limits',
  reject: 'reject',
  hold: 'hold',
}

function Trust({
  detail: { agent, email, sandbox, requested_scopes, allowed_decisions },
}: {
  detail: Detail
}) {
  return (
    <Card
      title="Trust and limits"
      aside={
        allowed_decisions.length > 0 && (
          <Link to="/review/$id" params={{ id: agent.agent_id }} className={linkClass}>
            Decide:{' '}
            {allowed_decisions
              .map((one) => words[one] ?? one)
              .join(', ')
              .toLowerCase()}
          </Link>
        )
      }
    >
      <Facts
        facts={[
          ['Agent', <Id key="id" id={agent.agent_id} length={30} />],
          ['Account', <Id key="account" id={agent.account_id} length={30} />],
          ['Contact', <Foreign key="contact" text={email ?? agent.callback_url ?? 'none'} />],
          ['Registered', <Age key="age" since={agent.created_at} />],
          ['Sandbox', sandbox ? 'yes: synthetic work only' : 'no'],
          ['Asked for', `${requested_scopes.join(', ')} on ${agent.rails.join(', ')}`],
          ['Limits', limitsText(agent.trust.limits)],
        ]}
      />
      <div className="mt-3">
        <ChangeLimits agent={agent} scopes={requested_scopes} />
      </div>
    </Card>
  )
}

type ChangeLimitsProps = { agent: Detail['agent']; scopes: Detail['requested_scopes'] }

function ChangeLimits({ agent: { agent_id, rails, trust }, scopes }: ChangeLimitsProps) {
  const [edited, setEdited] = useState<Limits>()
  const limits = edited ?? trust.limits ?? {}
  return (
    <Act
      ended={trust.state !== 'trusted'}
      label="Change the limits"
      title="Change the limits"
      act={(reason, idempotency_key) =>
        call('agent-limits-set', {
          agent_id,
          limits: {
            rails: limits.rails ?? null,
            scopes: limits.scopes ?? null,
            max_usd: limits.max_usd ?? null,
            concurrent_runs: limits.concurrent_runs ?? null,
          },
          reason,
          idempotency_key,
        })
      }
      done={() => setEdited(undefined)}
    >
      <p className="mt-0">They hold from its next call and payment on.</p>
      <LimitFields asked={{ rails, scopes }} limits={limits} change={setEdited} />
    </Act>
  )
}

/** The limits in words; none are as the agent asked. */
function limitsText(limits: Partial<Limits> | null): string {
  const { rails, scopes, max_usd, concurrent_runs } = limits ?? {}
  const parts = [
    rails && `only ${rails.join(', ')}`,
    scopes && `only ${scopes.join(', ')}`,
    max_usd !== undefined && `at most ${dollars(max_usd)} USD at once`,
    concurrent_runs !== undefined && `${concurrent_runs} runs at once`,
  ].filter((part) => typeof part === 'string')
  return parts.join('; ') || 'none'
}

type AccessKeysProps = { agentId: string; keys: Detail['access_keys']; state: string }

function AccessKeys({ agentId, keys, state }: AccessKeysProps) {
  const mayRotate =
    state === 'trusted' && keys.length > 0 && !keys.some((key) => key.state === 'pending')
  return (
    <Card title="Access keys" aside={<Rotate agentId={agentId} ended={!mayRotate} />}>
      {keys.length === 0 ? (
        <Empty title="No access key yet">The first one is made when the agent is trusted.</Empty>
      ) : (
        <Table
          label="Access keys"
          items={keys}
          keyOf={(key) => key.credential_id}
          columns={[
            { name: 'Key', of: (key) => <Id id={key.credential_id} /> },
            { name: 'Version', right: true, named: true, of: (key) => key.version },
            { name: 'State', of: (key) => <State name={key.state} /> },
            {
              name: 'Scopes and rails',
              of: (key) => (
                <>
                  <div className="text-sm">{key.scopes.join(', ')}</div>
                  <div className="text-sm text-muted">{key.rails.join(', ')}</div>
                </>
              ),
            },
            { name: 'Made', named: true, of: (key) => <Age since={key.created_at} /> },
            {
              name: 'Ends',
              named: true,
              of: (key) =>
                key.rotate_by === null ? <None /> : <Day time={key.revoked_at ?? key.rotate_by} />,
            },
            {
              name: 'Act',
              unseen: true,
              of: (key) => <Revoke id={key.credential_id} ended={key.state === 'revoked'} />,
            },
          ]}
        />
      )}
    </Card>
  )
}

const Day = ({ time }: { time: string | null }) =>
  time === null ? (
    <None />
  ) : (
    <time dateTime={time} title={utc(time)} className="whitespace-nowrap tabular-nums">
      {time.slice(0, 10)}
    </time>
  )

const Rotate = ({ agentId, ended }: { agentId: string; ended: boolean }) => (
  <Act
    ended={ended}
    label="Rotate"
    title="Rotate the access key"
    tone="primary"
    act={(reason, idempotency_key) =>
      call('signing-rotate', {
        mode: 'rotate_signing_credential',
        target: 'own_access_key',
        agent_id: agentId,
        reason,
        idempotency_key,
      })
    }
  >
    The agent claims the next key by handshake. The present one works until then and for a day after
    it.
  </Act>
)

const Revoke = ({ id, ended }: { id: string; ended: boolean }) => (
  <Act
    ended={ended}
    label="Revoke"
    title="Revoke the access key"
    tone="danger"
    act={(reason, idempotency_key) =>
      call('access-key-revoke', { credential_id: id, reason, idempotency_key })
    }
  >
    The key <Id id={id} /> is refused with the next call in every process. This cannot be undone;
    the agent needs a new key.
  </Act>
)

function SigningKeys({ keys }: { keys: Detail['signing_keys'] }) {
  return (
    <Card title="Signing keys">
      <Table
        label="Signing keys of the agent"
        items={keys}
        keyOf={(key) => key.key_id}
        columns={[
          { name: 'Key', of: (key) => <Id id={key.key_id} length={24} /> },
          { name: 'Version', right: true, named: true, of: (key) => key.version },
          { name: 'Standing', of: (key) => <State name={key.state} /> },
          {
            name: 'From',
            named: true,
            of: (key) => <Day time={key.not_before} />,
          },
          {
            name: 'Until',
            named: true,
            of: (key) => <Day time={key.revoked_at ?? key.retire_at} />,
          },
        ]}
      />
      <p className="m-0 mt-2 text-sm text-muted">
        The agent changes them itself, by signatures of the old and the next key.
      </p>
    </Card>
  )
}

const Decisions = ({ decisions }: { decisions: Detail['decisions'] }) => (
  <Card title="Decisions">
    {decisions.length === 0 ? (
      <Empty title="Nothing was decided yet" />
    ) : (
      <OperatorChanges
        label="Decisions about the agent"
        about="Limits"
        changes={decisions.map((one) => ({
          at: one.decided_at,
          what: one.decision,
          about: limitsText(one.limits),
          operator: one.operator_name,
          reason: one.note,
          receiptId: one.receipt_id,
        }))}
      />
    )}
  </Card>
)
