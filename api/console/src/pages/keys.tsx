import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rotationStates } from '#domain/keys/rotation.ts'
import { call, type OutputOf } from '../calls.ts'
import { Act } from '../parts/act.tsx'
import {
  Card,
  Empty,
  Field,
  Foreign,
  fieldClass,
  Id,
  Loading,
  linkClass,
  Moment,
  None,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'
import { type Columns, Table } from '../parts/table.tsx'

type Ring = OutputOf<'key-rings'>['rings'][number]
type Rotation = NonNullable<Ring['rotation']>
type Key = Ring['keys'][number]

const AGAIN_MS = 2_000
const isOpen = ({ rotation }: Ring): boolean => rotation !== null && rotation.state !== 'done'

/** The rings of signing keys, the step of each rotation, and what an operator does to them. */
export function KeysPage() {
  const read = useQuery({
    queryKey: ['key-rings'],
    queryFn: () => call('key-rings', {}),
    refetchInterval: ({ state }) => (state.data?.rings.some(isOpen) ? AGAIN_MS : false),
  })
  const rings = read.data?.rings ?? []
  return (
    <>
      <PageTitle
        aside={
          <span className="flex flex-wrap gap-2">
            <Act
              label="Publish new keys"
              title="Publish new signing keys"
              act={(reason, idempotency_key) =>
                call('keys-publish', { mode: 'publish_keys', reason, idempotency_key })
              }
            >
              The service asks its signer again, publishes the keys of a file that was replaced, and
              signs with them.
            </Act>
            <Rotate label="Rotate every ring" ended={rings.some(isOpen)} />
          </span>
        }
      >
        Signing keys
      </PageTitle>
      <Problem error={read.error} />
      {read.isPending && <Loading />}
      <div className="space-y-4">
        {rings.map((ring) => (
          <RingCard key={ring.ring} of={ring} />
        ))}
      </div>
    </>
  )
}

const uses: Readonly<Record<Ring['ring'], string>> = {
  receipt: 'Receipts, proofs and packages',
  authority: 'Mandates, grants, actions and challenges',
  checkout: 'Checkouts (ES256)',
  callback: 'Callbacks',
  'agent-statement': 'Statements of agents',
  log: 'Checkpoints of the transparency log',
}

const RingCard = ({ of }: { of: Ring }) => (
  <Card
    title={of.ring}
    aside={
      <span className="flex flex-wrap gap-2">
        <Rotate label="Rotate" ring={of.ring} ended={isOpen(of)} />
        <Replace of={of} />
      </span>
    }
  >
    <p className="mt-0 mb-3 text-sm text-muted">{uses[of.ring]}</p>
    {of.rotation !== null && <Steps rotation={of.rotation} />}
    {of.keys.length === 0 ? (
      <Empty title="No key is published">The signer has the keys; publish them.</Empty>
    ) : (
      <Table
        label={`Keys of the ring ${of.ring}`}
        items={of.keys}
        keyOf={(key) => key.kid}
        columns={columns}
      />
    )}
  </Card>
)

const columns: Columns<Key> = [
  { name: 'Key', of: (key) => <Id id={key.kid} length={36} /> },
  { name: 'Standing', of: (key) => <State name={key.state} /> },
  {
    name: 'Times',
    of: (key) => (
      <ul className="m-0 list-none p-0 text-sm">
        <Since what="published" time={key.published_at} />
        <Since what="signs from" time={key.activated_at} />
        <Since what="retired" time={key.retired_at} />
        <Since what="revoked" time={key.revoked_at} />
      </ul>
    ),
  },
  {
    name: 'Act',
    unseen: true,
    of: (key) => (key.state === 'revoked' ? <None /> : <EndKey of={key} />),
  },
]

const Since = ({ what, time }: { what: string; time: string | null }) =>
  time !== null && (
    <li className="flex gap-2">
      <span className="w-20 text-muted">{what}</span>
      <Moment time={time} />
    </li>
  )

/** What each step of a rotation did, or will do. */
const steps: Readonly<Record<Rotation['state'], string>> = {
  requested: 'Ordered',
  published: 'Next key published',
  active: 'Next key signs',
  done: 'Previous key ended',
}

function Steps({ rotation }: { rotation: Rotation }) {
  const { state, reason, temporal_url, next_kid, previous_kid } = rotation
  const reached = rotationStates.indexOf(state)
  return (
    <div className="mb-3 rounded-md border border-line p-3">
      <p className="m-0 mb-2 flex flex-wrap items-baseline gap-x-3">
        <strong className="font-medium">
          {state === 'done' ? 'Last rotation' : 'Rotation under way'}
        </strong>
        <Foreign text={reason} />
        {temporal_url !== null && (
          <a href={temporal_url} className={`ml-auto ${linkClass}`}>
            Open in Temporal
          </a>
        )}
      </p>
      <ol className="m-0 mb-2 list-none p-0">
        {rotationStates.map((step, at) => (
          <li
            key={step}
            aria-current={at === reached && state !== 'done' ? 'step' : undefined}
            className={`flex flex-wrap gap-x-3 ${at > reached ? 'text-muted' : ''} ${at === reached ? 'font-medium' : ''}`}
          >
            <span aria-hidden="true">{at <= reached ? '✓' : '○'}</span>
            <span>{steps[step]}</span>
            <StepTime of={rotation} step={step} isDue={at > reached} />
          </li>
        ))}
      </ol>
      <p className="m-0 flex flex-wrap gap-x-3 text-sm text-muted">
        {next_kid !== null && (
          <span>
            Next <Id id={next_kid} length={34} />
          </span>
        )}
        {previous_kid !== null && (
          <span>
            Previous <Id id={previous_kid} length={34} />
            {rotation.revoke_old && ', to be revoked'}
          </span>
        )}
      </p>
    </div>
  )
}

type StepTimeProps = { of: Rotation; step: Rotation['state']; isDue: boolean }

function StepTime({ of, step, isDue }: StepTimeProps) {
  const times = {
    requested: of.requested_at,
    published: null,
    active: of.activate_at,
    done: of.done_at ?? of.retire_at,
  }
  const time = times[step]
  if (time === null) return null
  return (
    <span className="text-sm font-normal text-muted">
      {isDue && 'due '}
      <Moment time={time} />
    </span>
  )
}

const overlaps: readonly (readonly [number, string])[] = [
  [3_600, 'An hour'],
  [86_400, 'A day'],
  [604_800, 'A week'],
]

type RotateProps = { label: string; ring?: Ring['ring']; ended: boolean }

/** Begins the rotation of one ring, or of each. */
function Rotate({ label, ring, ended }: RotateProps) {
  const [overlap, setOverlap] = useState(86_400)
  return (
    <Act
      ended={ended}
      label={label}
      title={ring === undefined ? 'Rotate every ring' : `Rotate the ring ${ring}`}
      tone={ring === undefined ? 'primary' : 'plain'}
      act={(reason, idempotency_key) =>
        call('signing-rotate', {
          mode: 'rotate_signing_credential',
          target: 'service',
          ...(ring === undefined ? {} : { ring }),
          overlap_seconds: overlap,
          reason,
          idempotency_key,
        })
      }
    >
      <p className="mt-0">
        The signer makes the next key. It is published, signs once caches have it, and the previous
        one is retired after the overlap. No call is refused, and what was signed stays valid.
      </p>
      <Field label="Overlap">
        <select
          className={fieldClass}
          value={overlap}
          onChange={(event) => setOverlap(Number(event.target.value))}
        >
          {overlaps.map(([seconds, name]) => (
            <option key={seconds} value={seconds}>
              {name}
            </option>
          ))}
        </select>
      </Field>
    </Act>
  )
}

/** Rotates at once and revokes the previous key, also where a rotation is open. */
const Replace = ({ of }: { of: Ring }) => (
  <Act
    ended={isOpen(of) && of.rotation?.revoke_old === true}
    label="Rotate and revoke"
    title={`Replace a stolen key of the ring ${of.ring}`}
    tone="danger"
    act={(reason, idempotency_key) =>
      call('signing-rotate', {
        mode: 'rotate_signing_credential',
        target: 'service',
        ring: of.ring,
        revoke_old: true,
        reason,
        idempotency_key,
      })
    }
  >
    The next key signs within seconds, and the previous one is revoked with it: what it signed is
    refused, but for receipts that are on record. A rotation that is open does the same at once.
    This cannot be undone.
  </Act>
)

function EndKey({ of: { kid, state } }: { of: Key }) {
  return (
    <span className="flex gap-2">
      {(state === 'active' || state === 'retiring') && (
        <Act
          label="Retire"
          title="Retire the signing key"
          act={(reason, idempotency_key) =>
            call('keys-retire', { mode: 'retire_key', kid, reason, idempotency_key })
          }
        >
          What <Id id={kid} length={32} /> signed stays valid, and another key of its ring signs
          from now on.
        </Act>
      )}
      <Act
        label="Revoke"
        title="Revoke the signing key"
        tone="danger"
        act={(reason, idempotency_key) =>
          call('keys-revoke', { mode: 'revoke_key', kid, reason, idempotency_key })
        }
      >
        For a stolen key: what <Id id={kid} length={32} /> signed is refused at once, but for
        receipts that are on record. This cannot be undone.
      </Act>
    </span>
  )
}
