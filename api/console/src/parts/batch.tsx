import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, newKey, type OutputOf } from '../calls.ts'
import type { Item } from '../pages/inbox.tsx'
import { Button, Card, Field, Foreign, fieldClass, Id, Problem } from './basics.tsx'
import { type Judged, Judgements } from './judgements.tsx'
import { ReviseAll, type Revision } from './revise.tsx'

type Outcome = OutputOf<'recovery-act'>['outcomes'][number]
type Decision = Item['allowed_decisions'][number]

/** The same decision or command for several items, with a trial first. */
export function Batch({ items, done }: { items: readonly Item[]; done: () => void }) {
  const [first] = items
  if (first === undefined) return null
  const alike = items.every(({ action, kind }) => action === first.action && kind === first.kind)
  const why = whyNot(items, alike)
  return (
    <div className="mb-3">
      <Card title={`${items.length} selected`}>
        {why !== undefined && <p className="m-0">{why}</p>}
        {why === undefined && first.action === 'decide' && <DecideAll items={items} done={done} />}
        {why === undefined && first.action === 'recover' && (
          <RecoverAll items={items} done={done} />
        )}
      </Card>
    </div>
  )
}

function whyNot(items: readonly Item[], alike: boolean): string | undefined {
  const [first] = items
  if (!alike) return 'Select items of one kind to deal with them together.'
  if (first?.action === 'close_difference')
    return 'Differences are closed one by one, each with its reason.'
  if (first?.action === 'decide' && first.evidence_root_sha256 === null)
    return 'Show decisions of one kind, so that the digest of each evidence is listed.'
  if (new Set(items.map(({ criteria_sha256 }) => criteria_sha256)).size > 1)
    return 'They have different acceptance criteria: select those with the same.'
  return undefined
}

function DecideAll({ items, done }: { items: readonly Item[]; done: () => void }) {
  const queries = useQueryClient()
  const [first] = items
  const allowed = (first?.allowed_decisions ?? []).filter((one) =>
    items.every(({ allowed_decisions }) => allowed_decisions.includes(one)),
  )
  const [decision, setDecision] = useState<Decision>(allowed[0] ?? 'approve')
  const [note, setNote] = useState('')
  const [judged, setJudged] = useState<Judged>({})
  const [revision, setRevision] = useState<Revision>()
  const [key] = useState(newKey)
  const sample = useQuery({
    queryKey: ['evidence', first?.id],
    queryFn: () => call('loop-review-console', { subject_id: first?.id ?? '' }),
  })
  const criteria =
    first?.kind === 'loop_step'
      ? ((sample.data?.evidence?.parts.find(({ name }) => name === 'criteria')?.content ??
          []) as string[])
      : []
  const act = async (dry_run: boolean) => {
    const { outcomes } = await call('loop-review-record-batch', {
      subject_kind: first?.kind as 'task',
      decision,
      note,
      ...(decision === 'revise' && revision !== undefined && 'parameters' in revision
        ? { revision: { parameters: revision.parameters } }
        : {}),
      dry_run,
      idempotency_key: dry_run ? newKey() : key,
      judgements: criteria.flatMap((criterion) =>
        judged[criterion] === undefined ? [] : [{ criterion, ...judged[criterion] }],
      ),
      items: items.map(({ id, evidence_root_sha256 }) => ({
        subject_id: id,
        evidence_root_sha256: evidence_root_sha256 ?? '',
      })),
    })
    if (!dry_run) await queries.invalidateQueries()
    return outcomes
  }
  return (
    <Act
      act={act}
      ready={note !== '' && (decision !== 'revise' || revision !== undefined)}
      done={done}
    >
      <Field label="Decision">
        <select
          className={fieldClass}
          value={decision}
          onChange={(event) => setDecision(event.target.value as Decision)}
        >
          {allowed.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Field>
      {decision === 'revise' && sample.data?.evidence && (
        <ReviseAll evidence={sample.data.evidence} change={setRevision} />
      )}
      <Judgements criteria={criteria} judged={judged} change={setJudged} />
      <Field label="Note" hint="It is in every signed receipt.">
        <textarea
          className={fieldClass}
          rows={2}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </Field>
    </Act>
  )
}

const acts = ['wake', 'retry_step', 'redeliver_callback', 'replay', 'abandon'] as const

function RecoverAll({ items, done }: { items: readonly Item[]; done: () => void }) {
  const queries = useQueryClient()
  const [first] = items
  const [command, setCommand] = useState<(typeof acts)[number]>('wake')
  const [reason, setReason] = useState('')
  const [key] = useState(newKey)
  const act = async (dry_run: boolean) => {
    const ids = items.map(({ id }) => id)
    const idempotency_key = dry_run ? newKey() : key
    const { outcomes } = await call('recovery-act', {
      act: command,
      ids,
      reason,
      dry_run,
      idempotency_key,
    })
    if (!dry_run) await queries.invalidateQueries()
    return outcomes
  }
  return (
    <Act act={act} ready={reason !== ''} done={done}>
      <Field label="Command">
        <select
          className={fieldClass}
          value={command}
          onChange={(event) => setCommand(event.target.value as (typeof acts)[number])}
        >
          {acts
            .filter((one) => one === 'wake' || first?.kind === 'task')
            .map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
              </option>
            ))}
        </select>
      </Field>
      <Field label="Reason" hint="It is in every signed receipt.">
        <textarea
          className={fieldClass}
          rows={2}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </Act>
  )
}

type ActProps = {
  act: (dryRun: boolean) => Promise<Outcome[]>
  ready: boolean
  done: () => void
  children: React.ReactNode
}

/** The trial, the act, and the outcome of every item. */
function Act({ act, ready, done, children }: ActProps) {
  const [outcomes, setOutcomes] = useState<{ tried: boolean; list: Outcome[] }>()
  const [error, setError] = useState<unknown>()
  const run = async (tried: boolean) => {
    try {
      setError(undefined)
      setOutcomes({ tried, list: await act(tried) })
    } catch (refused) {
      setError(refused)
    }
  }
  return (
    <form className="space-y-3" onSubmit={(event) => event.preventDefault()}>
      {children}
      <Problem error={error} />
      <div className="flex flex-wrap gap-2">
        <Button disabled={!ready} onClick={() => void run(true)}>
          Dry run
        </Button>
        <Button
          tone="primary"
          disabled={!ready || outcomes?.tried !== true}
          onClick={() => void run(false)}
        >
          Carry out
        </Button>
        <Button onClick={done}>Clear the selection</Button>
      </div>
      {outcomes !== undefined && (
        <ul role="status" className="m-0 list-none space-y-1 p-0">
          {outcomes.list.map(({ id, state, receipt_id, refused }) => (
            <li key={id}>
              <Id id={id} />{' '}
              {refused === null ? (
                <span className="text-good">
                  {outcomes.tried ? 'would be' : 'is'} {state ?? 'decided'}
                  {receipt_id === null ? '' : `, receipt ${receipt_id.slice(0, 12)}…`}
                </span>
              ) : (
                <span className="text-bad">
                  {outcomes.tried ? 'would be refused' : 'refused'}:{' '}
                  <Foreign text={refused.detail} />
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </form>
  )
}
