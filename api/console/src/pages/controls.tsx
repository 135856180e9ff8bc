import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, newKey } from '../calls.ts'
import {
  Age,
  Button,
  Card,
  Cell,
  Field,
  Foreign,
  fieldClass,
  Id,
  Loading,
  PageTitle,
  Problem,
  Row,
  State,
  Table,
} from '../parts/basics.tsx'

type Scope = 'service' | 'payouts' | 'wallet' | 'payout'

/** Pauses, signing keys and operators. */
export function ControlsPage() {
  return (
    <>
      <PageTitle>Keys and controls</PageTitle>
      <div className="space-y-4">
        <Pauses />
        <Keys />
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
          <Table
            label="Changes"
            head={['When', 'Scope', 'Change', 'Operator', 'Reason', 'Receipt']}
          >
            {changes.map((change) => (
              <Row key={change.change_id}>
                <Cell>
                  <Age since={change.changed_at} />
                </Cell>
                <Cell>
                  {change.scope} {change.target !== null && <Id id={change.target} />}
                </Cell>
                <Cell>{change.paused ? 'paused' : 'resumed'}</Cell>
                <Cell>
                  <Foreign text={change.operator_name} />
                </Cell>
                <Cell>
                  <Foreign text={change.reason} />
                </Cell>
                <Cell>
                  <a
                    className="text-accent"
                    href={`/api/verify-receipt?receipt_id=${change.receipt_id}`}
                  >
                    verify
                  </a>
                </Cell>
              </Row>
            ))}
          </Table>
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
]

/** Pauses or resumes, after what it stops is shown. */
function Switch() {
  const queries = useQueryClient()
  const [scope, setScope] = useState<Scope>('payouts')
  const [target, setTarget] = useState('')
  const [reason, setReason] = useState('')
  const [error, setError] = useState<unknown>()
  const [said, setSaid] = useState('')
  const needsTarget = scope === 'wallet' || scope === 'payout'
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
        <Field label={scope === 'wallet' ? 'Address or wallet id' : 'Payout id'}>
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

/** Listing keys or operators leaves a receipt, so it is done when it is asked for. */
function Keys() {
  const read = useMutation({ mutationFn: () => call('keys-list', {}) })
  return (
    <Card title="Signing keys">
      <Problem error={read.error} />
      {read.data === undefined ? (
        <Button onClick={() => read.mutate()}>List the keys</Button>
      ) : (
        <Table label="Signing keys" head={['Ring', 'Key', 'Algorithm', 'Standing', 'Since']}>
          {read.data.keys.map((key) => (
            <Row key={`${key.ring} ${key.kid}`}>
              <Cell>{key.ring}</Cell>
              <Cell>
                <Id id={key.kid} />
              </Cell>
              <Cell>{key.alg}</Cell>
              <Cell>
                <State name={key.state} />
              </Cell>
              <Cell>
                <Age since={key.activated_at} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <p className="m-0 mt-2 text-sm text-muted">
        Keys are published, retired and revoked with <code>agent-rails keys</code>, next to the file
        that holds them.
      </p>
    </Card>
  )
}

function Operators() {
  const read = useMutation({ mutationFn: () => call('operators-list', {}) })
  return (
    <Card title="Operators">
      {read.data === undefined && <Button onClick={() => read.mutate()}>List the operators</Button>}
      <Problem error={read.error} />
      {read.data !== undefined && (
        <Table label="Operators" head={['Name', 'Id', 'Made', 'Standing']}>
          {read.data.operators.map(({ operator_id, name, created_at, revoked_at }) => (
            <Row key={operator_id}>
              <Cell>
                <Foreign text={name} />
              </Cell>
              <Cell>
                <Id id={operator_id} />
              </Cell>
              <Cell>
                <Age since={created_at} />
              </Cell>
              <Cell>
                <State name={revoked_at === null ? 'active' : 'revoked'} />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
    </Card>
  )
}
