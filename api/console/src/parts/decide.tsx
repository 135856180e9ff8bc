import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call, newKey, type OutputOf } from '../calls.ts'
import type { Evidence } from '../pages/review.tsx'
import { Button, Card, Field, fieldClass, Id, linkClass, ReceiptLink, State } from './basics.tsx'
import { type Judged, Judgements } from './judgements.tsx'
import { LimitFields, type Limits } from './limits.tsx'
import { Revise, type Revision } from './revise.tsx'
import { useShortcuts } from './shortcuts.tsx'
import { kindName } from './words.ts'

type Decision = 'approve' | 'reject' | 'revise' | 'hold'
export type Decided = OutputOf<'loop-review-record'>
const keys: Readonly<Record<string, Decision>> = {
  a: 'approve',
  r: 'reject',
  v: 'revise',
  h: 'hold',
}

type DecideProps = {
  evidence: Evidence
  /** Digests of the parts that were opened. */
  seen: readonly string[]
  allowed: readonly Decision[]
  decided: (answer: Decided) => void
  refused: (error: unknown) => void
}

/** The criteria, the note and the decision about the evidence that is shown. */
export function Decide({ evidence, seen, allowed, decided, refused }: DecideProps) {
  const [judged, setJudged] = useState<Judged>({})
  const [note, setNote] = useState('')
  const [chosen, setChosen] = useState<Decision>()
  const [limits, setLimits] = useState<Limits>()
  const [contactNotified, setContactNotified] = useState(false)
  const [revision, setRevision] = useState<Revision>()
  const [key] = useState(newKey)
  const noteField = useRef<HTMLTextAreaElement>(null)
  const criteria = criteriaOf(evidence)
  const asked = askedOf(evidence)
  const isAgent = evidence.subject_kind === 'agent'
  const isRun = evidence.subject_kind === 'loop_step'
  const lacksRevision = isRun && chosen === 'revise' && revision === undefined
  const choose = (decision: Decision) => {
    setChosen(decision)
    noteField.current?.focus()
  }
  useShortcuts(
    Object.fromEntries(
      Object.entries(keys).flatMap(([name, decision]) =>
        allowed.includes(decision) ? [[name, () => choose(decision)]] : [],
      ),
    ),
  )
  const record = async () => {
    if (chosen === undefined || note === '') return
    try {
      const body = await call('loop-review-record', {
        subject_kind: evidence.subject_kind,
        subject_id: evidence.subject_id,
        waiting_since: evidence.waiting_since,
        decision: chosen,
        note,
        evidence_seen_sha256: [evidence.root_sha256, ...seen].slice(0, 50),
        judgements: criteria.flatMap((criterion) =>
          judged[criterion] === undefined ? [] : [{ criterion, ...judged[criterion] }],
        ),
        ...(chosen === 'revise' && revision !== undefined ? { revision } : {}),
        ...(chosen === 'approve' && limits !== undefined ? { limits } : {}),
        ...(isAgent && chosen === 'approve' && contactNotified ? { contact_notified: true } : {}),
        idempotency_key: key,
      })
      decided(body)
    } catch (error) {
      refused(error)
    }
  }
  return (
    <Card title="Decision">
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          void record()
        }}
      >
        <Judgements criteria={criteria} judged={judged} change={setJudged} />
        <Choices allowed={allowed} chosen={chosen} choose={choose} />
        <Closes evidence={evidence} />
        {chosen === 'approve' && asked !== undefined && (
          <LimitFields asked={asked} limits={limits ?? asked.now ?? {}} change={setLimits} />
        )}
        {chosen === 'approve' && isAgent && (
          <ContactNotified checked={contactNotified} change={setContactNotified} />
        )}
        {chosen === 'revise' && isRun && <Revise evidence={evidence} change={setRevision} />}
        <Field
          label="Note"
          hint="It is in the signed receipt, with the digest of the evidence shown."
        >
          <textarea
            ref={noteField}
            className={fieldClass}
            rows={3}
            required
            value={note}
            onChange={(event) => setNote(event.target.value)}
            onKeyDown={(event) => isSubmit(event) && void record()}
          />
        </Field>
        <Button
          tone="primary"
          type="submit"
          className="w-full"
          disabled={chosen === undefined || note === '' || lacksRevision}
        >
          {chosen === undefined ? 'Choose a decision' : `Record: ${chosen}`}
        </Button>
      </form>
    </Card>
  )
}

const isSubmit = ({ key, ctrlKey, metaKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey'>) =>
  key === 'Enter' && (ctrlKey || metaKey)

type ContactNotifiedProps = { checked: boolean; change: (checked: boolean) => void }

/** Whether the operator delivered the notice of a waiting access key by hand. */
const ContactNotified = ({ checked, change }: ContactNotifiedProps) => (
  <label className="flex items-center gap-2 text-sm">
    <input type="checkbox" checked={checked} onChange={(event) => change(event.target.checked)} />I
    wrote to its contact that its access key waits
  </label>
)

/** What a rejection does to a pilot that has begun, which its name does not say. */
function Closes({ evidence: { subject_kind, parts } }: { evidence: Evidence }) {
  const history = parts.find(({ name }) => name === 'history')?.content
  const { state, run } = Object(history) as { state?: string; run?: object | null }
  if (subject_kind !== 'pilot' || state === 'requested') return null
  const withRun = state === 'running' && run != null
  return (
    <p className="m-0 text-sm text-muted">
      Reject closes the pilot{withRun ? ', abandons its run and releases its credit' : ''}.
    </p>
  )
}

const keyOf = (decision: Decision) => Object.entries(keys).find(([, one]) => one === decision)?.[0]

type ChoicesProps = {
  allowed: readonly Decision[]
  chosen: Decision | undefined
  choose: (decision: Decision) => void
}

function Choices({ allowed, chosen, choose }: ChoicesProps) {
  return (
    <fieldset className="border-0 p-0">
      <legend className="mb-1 text-sm font-medium">Decide</legend>
      <div className="flex flex-wrap gap-2">
        {allowed.map((decision) => (
          <Button
            key={decision}
            aria-pressed={chosen === decision}
            tone={chosen === decision ? 'primary' : 'plain'}
            className="capitalize"
            onClick={() => choose(decision)}
          >
            {decision}{' '}
            <kbd className="ml-1 font-mono text-xs uppercase opacity-70">{keyOf(decision)}</kbd>
          </Button>
        ))}
      </div>
    </fieldset>
  )
}

type AgentPart = {
  rails: string[]
  requested_scopes: string[]
  trust: { limits: Limits | null }
}

/** What an agent asked for, and its limits so far. */
function askedOf({ subject_kind, parts }: Evidence) {
  if (subject_kind !== 'agent') return undefined
  const part = parts.find(({ name }) => name === 'agent')?.content as AgentPart | undefined
  if (part == null) return undefined
  return { rails: part.rails, scopes: part.requested_scopes, now: part.trust.limits }
}

/** Only the result of a run can meet a criterion. */
const criteriaOf = ({ subject_kind, parts }: Evidence): string[] =>
  subject_kind === 'loop_step'
    ? ((parts.find(({ name }) => name === 'criteria')?.content ?? []) as string[])
    : []

/** What was decided, its receipt, and the next decision. */
export function DecisionReceipt({
  answer: { review_decision, subject, receipt },
}: {
  answer: Decided
}) {
  const next = useQuery({
    queryKey: ['inbox', 'next'],
    queryFn: () => call('inbox', { action: 'decide', limit: '1' }),
  })
  const [item] = next.data?.items ?? []
  return (
    <Card title="Decided">
      <div role="status" className="space-y-2">
        <p className="m-0">
          {review_decision.decision}; it is now <State name={subject.state} />
        </p>
        <p className="m-0">
          Receipt <Id id={receipt.receipt_id} />{' '}
          <ReceiptLink id={receipt.receipt_id}>verify</ReceiptLink>
        </p>
        {item !== undefined && item.id !== review_decision.subject_id && (
          <p className="m-0">
            <Link to="/review/$id" params={{ id: item.id }} className="font-medium text-accent">
              Next decision: {kindName(item.kind)}
            </Link>
          </p>
        )}
        <p className="m-0">
          <Link to="/" className={linkClass}>
            Back to the inbox
          </Link>
        </p>
      </div>
    </Card>
  )
}
