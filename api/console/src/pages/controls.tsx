import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, newKey, type OutputOf } from '../calls.ts'
import { Act } from '../parts/act.tsx'
import {
  Age,
  Button,
  Card,
  Field,
  Foreign,
  fieldClass,
  Id,
  Loading,
  None,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'
import { OperatorChanges } from '../parts/operator-changes.tsx'
import { Table } from '../parts/table.tsx'

type Scope = 'service' | 'payouts' | 'wallet' | 'payout' | 'rail' | 'agent'

/** Pauses and operators. */
export function ControlsPage() {
  return (
    <>
      <PageTitle>Controls</PageTitle>
      <div className="space-y-4">
        <Pauses />
        <Operators />
      </div>
    </>
  )
}

function Pauses() {
  const read = useQuery({ queryKey: ['pauses'], queryFn: () => call('pauses', {}) })
  const { active = [], changes = [] } = read.data ?? {}
  return (
    <Card title="Pauses">
      <Problem error={read.error} />
      {read.isPending && <Loading />}
      {active.length === 0 && !read.isPending && <p className="mt-0">Nothing is paused.</p>}
      <ul className="m-0 mb-4 list-none space-y-2 p-0">
        {active.map(({ scope, target, reason, operator_name, changed_at }) => (
          <li key={`${scope} ${target}`} className="rounded-md border border-bad p-3">
            <strong>{scope}</strong> {target !== null && <Id id={target} />} is paused by{' '}
            <Foreign text={operator_name} /> for <Age since={changed_at} />:{' '}
            <Foreign text={reason} />
          </li>
        ))}
      </ul>
      <Switch />
      {changes.length > 0 && (
        <details className="mt-4">
          <summary className="cursor-pointer">Latest changes</summary>
          <OperatorChanges
            label="Changes"
            about="Scope"
            changes={changes.map((change) => ({
              at: change.changed_at,
              what: change.paused ? 'paused' : 'resumed',
              about: (
                <>
                  {change.scope} {change.target !== null && <Id id={change.target} />}
                </>
              ),
              operator: change.operator_name,
              reason: change.reason,
              receiptId: change.receipt_id,
            }))}
          />
        </details>
      )}
    </Card>
  )
}

const scopes: readonly (readonly [Scope, string])[] = [
  ['service', 'Everything new'],
  ['payouts', 'The payout rail'],
  ['wallet', 'One wallet'],
  ['payout', 'One payout'],
  ['rail', 'The runs of one rail'],
  ['agent', 'The runs of one agent'],
]
const targets: Partial<Record<Scope, string>> = {
  wallet: 'Address or wallet id',
  payout: 'Payout id',
  rail: 'Key of the rail',
  agent: 'Agent id',
}

/** Pauses or resumes, after what it stops is shown. */
function Switch() {
  const queries = useQueryClient()
  const [scope, setScope] = useState<Scope>('payouts')
  const [target, setTarget] = useState('')
  const [reason, setReason] = useState('')
  const [error, setError] = useState<unknown>()
  const [said, setSaid] = useState('')
  const targetLabel = targets[scope]
  const needsTarget = targetLabel !== undefined
  const set = async (paused: boolean) => {
    try {
      setError(undefined)
      const { affected } = await call('pause-set', {
        scope,
        ...(needsTarget ? { target } : {}),
        paused,
        reason,
        idempotency_key: newKey(),
      })
      setSaid(
        `${paused ? 'paused' : 'resumed'}; it covers ${affected.payouts} payouts and ${affected.tasks} tasks`,
      )
      await queries.invalidateQueries()
    } catch (refused) {
      setError(refused)
    }
  }
  const ready = reason !== '' && (!needsTarget || target !== '')
  return (
    <form className="grid gap-3 sm:grid-cols-2" onSubmit={(event) => event.preventDefault()}>
      <Field label="What">
        <select
          className={fieldClass}
          value={scope}
          onChange={(event) => setScope(event.target.value as Scope)}
        >
          {scopes.map(([one, name]) => (
            <option key={one} value={one}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      {needsTarget && (
        <Field label={targetLabel}>
          <input
            className={fieldClass}
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          />
        </Field>
      )}
      <Field label="Reason" hint="It is in the signed receipt.">
        <input
          className={fieldClass}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      <div className="flex flex-wrap items-center gap-2 sm:col-span-2">
        <Button tone="danger" disabled={!ready} onClick={() => void set(true)}>
          Pause
        </Button>
        <Button disabled={!ready} onClick={() => void set(false)}>
          Resume
        </Button>
        <span role="status">{said}</span>
      </div>
      <Problem error={error} />
    </form>
  )
}

/** Listing operators leaves a receipt, so it is done when it is asked for; the last list stays until the next is there. */
function useOnRequest<Data>(read: () => Promise<Data>) {
  const [data, setData] = useState<Data>()
  const [error, setError] = useState<unknown>()
  const again = async () => {
    try {
      setData(await read())
      setError(undefined)
    } catch (refused) {
      setError(refused)
    }
  }
  return { data, error, again }
}

function Operators() {
  const read = useOnRequest(() => call('operators-list', {}))
  return (
    <Card title="Operators">
      {read.data === undefined && (
        <Button onClick={() => void read.again()}>List the operators</Button>
      )}
      <Problem error={read.error} />
      {read.data !== undefined && (
        <Table
          label="Operators"
          items={read.data.operators}
          keyOf={(operator) => operator.operator_id}
          columns={[
            { name: 'Name', of: ({ name }) => <Foreign text={name} /> },
            { name: 'Id', of: ({ operator_id }) => <Id id={operator_id} /> },
            { name: 'Made', named: true, of: ({ created_at }) => <Age since={created_at} /> },
            {
              name: 'Standing',
              of: ({ revoked_at }) => <State name={revoked_at === null ? 'active' : 'revoked'} />,
            },
            {
              name: 'Act',
              unseen: true,
              of: (operator) => <Revoke operator={operator} changed={() => void read.again()} />,
            },
          ]}
        />
      )}
      <p className="m-0 mt-2 text-sm text-muted">
        Listing them leaves a receipt. <code>agent-rails operator create NAME</code> makes a new
        one.
      </p>
    </Card>
  )
}

type RevokeProps = {
  operator: OutputOf<'operators-list'>['operators'][number]
  changed: () => void
}

const Revoke = ({ operator: { operator_id, name, revoked_at }, changed }: RevokeProps) =>
  revoked_at === null ? (
    <Act
      label="Revoke"
      title="Revoke the operator"
      done={changed}
      tone="danger"
      act={(reason, idempotency_key) =>
        call('operators-revoke', { mode: 'revoke_operator', operator_id, reason, idempotency_key })
      }
    >
      The credential of <Foreign text={name} /> and its sessions are refused with the next call.
    </Act>
  ) : (
    <None />
  )
