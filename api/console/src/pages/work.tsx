import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call, newKey, type OutputOf } from '../calls.ts'
import {
  Age,
  Button,
  Card,
  Copy,
  Facts,
  Field,
  Foreign,
  fieldClass,
  Id,
  Loading,
  linkClass,
  Money,
  None,
  PageTitle,
  Problem,
  ReceiptLink,
  State,
} from '../parts/basics.tsx'
import { plain, standing, utc, withShortIds } from '../parts/words.ts'

type Detail = OutputOf<'work-read'>
type Command = Detail['commands'][number]

/** One payout or task: what it waits for, what unblocks it, and everything that happened. */
export function WorkPage() {
  const { id } = useParams({ from: '/signed-in/work/$id' })
  const read = useQuery({ queryKey: ['work', id], queryFn: () => call('work-read', { id }) })
  if (read.data === undefined)
    return read.error === null ? <Loading /> : <Problem error={read.error} />
  const { kind, state, progress, temporal_url, timeline, commands, steps } = read.data
  return (
    <>
      <PageTitle
        aside={
          temporal_url !== null && (
            <a href={temporal_url} className={linkClass}>
              Open in Temporal
            </a>
          )
        }
      >
        {kind === 'payout' ? 'Payout' : 'Task'} <State name={state} />
      </PageTitle>
      <div className="grid gap-4 xl:grid-cols-[1fr_24rem]">
        <div className="min-w-0 space-y-4">
          <Waits detail={read.data} />
          {progress !== null && <Progress progress={progress} />}
          {steps.length > 0 && <Steps steps={steps} />}
          <Card title="What happened">
            <Timeline events={timeline} />
          </Card>
          <Details detail={read.data} />
        </div>
        <div className="xl:sticky xl:top-4 xl:self-start">
          <Recover id={read.data.id} commands={commands} />
        </div>
      </div>
    </>
  )
}

/** The subject of the review that a task waits for: the task, or the run of its task. */
function reviewOf({ explanation, progress, id }: Detail): string | undefined {
  if (explanation['waiting_for'] !== 'review' || explanation['required_by'] !== 'operator')
    return undefined
  return progress?.step === 'review_step' ? progress.run_id : id
}

function Waits({ detail }: { detail: Detail }) {
  const { waits_for, required_by, required_action, waiting_since, gaps } = detail.explanation
  const review = reviewOf(detail)
  return (
    <Card title="What it waits for">
      <p className="m-0 mb-2 text-lg">
        <Foreign text={String(waits_for ?? 'nothing')} />
      </p>
      {typeof gaps === 'string' && (
        <p className="mt-0 mb-2">
          <Foreign text={gaps} lines />
        </p>
      )}
      <p className="m-0 text-sm text-muted">
        {required_by === 'agent' && 'The agent has to act. '}
        {required_by === 'operator' && 'An operator has to act. '}
        {typeof waiting_since === 'string' && (
          <>
            Since <Age since={waiting_since} />.
          </>
        )}
      </p>
      {review !== undefined && (
        <p className="mt-3 mb-0">
          <Link
            to="/review/$id"
            params={{ id: review }}
            className="inline-block rounded-md border border-accent bg-accent px-3 py-1.5 font-medium text-on-accent no-underline"
          >
            Review it
          </Link>
        </p>
      )}
      {typeof required_action === 'string' && (
        <details className="mt-3">
          <summary className="cursor-pointer text-sm">
            The same from a terminal or a program
          </summary>
          <pre className="m-0 mt-2 rounded-md bg-hover p-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
            <Foreign text={required_action} lines />
          </pre>
        </details>
      )}
    </Card>
  )
}

/** Where a run stands, and how much of its uploaded lists the step has read. */
function Progress({ progress }: { progress: NonNullable<Detail['progress']> }) {
  const { step, done, of, attempt, round, bytes_read, bytes_total } = progress
  return (
    <Card title="Progress of the run">
      <p className="m-0 mb-2">
        {standing(step, done, of)}
        <span className="text-sm text-muted">
          {' '}
          attempt {attempt}
          {round > 0 && `, round ${round}`}
        </span>
      </p>
      <progress className="w-full" max={of} value={done} aria-label="Steps that are done" />
      {bytes_read !== null && bytes_total !== null && bytes_total > 0 && (
        <>
          <p className="mt-3 mb-2 text-sm tabular-nums">
            This step has read {megabytes(bytes_read)} of {megabytes(bytes_total)} MB
          </p>
          <progress
            className="w-full"
            max={bytes_total}
            value={bytes_read}
            aria-label="Part of the uploaded lists that is read"
          />
        </>
      )}
    </Card>
  )
}

/** The steps of a run with their times and what they put out. */
function Steps({ steps }: { steps: Detail['steps'] }) {
  return (
    <Card title="Steps of the run">
      <ol className="m-0 list-none space-y-2 p-0">
        {steps.map((step) => (
          <li key={`${step.attempt} ${step.round} ${step.name}`}>
            <Step step={step} />
          </li>
        ))}
      </ol>
    </Card>
  )
}

function Step({ step }: { step: Detail['steps'][number] }) {
  const { name, attempt, round, verdict, started_at, ended_at, tries, output } = step
  const took = ended_at === null ? undefined : Date.parse(ended_at) - Date.parse(started_at)
  return (
    <>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <strong className="font-medium">{plain(name)}</strong>
        <span className="text-sm text-muted">
          {verdict === null ? 'waits' : plain(verdict)}
          {attempt > 1 && `, attempt ${attempt}`}
          {round > 0 && `, round ${round}`}
          {tries > 1 && `, begun ${tries} times`}
        </span>
        <time dateTime={started_at} className="ml-auto text-sm tabular-nums text-muted">
          {utc(started_at)}
          {took !== undefined && `, ${elapsed(took)}`}
        </time>
      </div>
      {output !== null && (
        <details>
          <summary className="cursor-pointer text-sm">What it put out</summary>
          <pre className="m-0 mt-1 rounded-md bg-hover p-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
            <Foreign text={JSON.stringify(output, null, 2)} lines />
          </pre>
        </details>
      )}
    </>
  )
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)

/** Shown in their own places, or twice. */
const elsewhere = new Set([
  'waits_for',
  'waiting_for',
  'waiting_since',
  'gaps',
  'required_by',
  'required_action',
  'choices',
  'payout_id',
  'task_id',
  'state',
  'amount_usdc',
  'rail',
  'usage',
  'agent',
])
const isId = (value: string): boolean => /^\S{24,}$/.test(value)

function Details({ detail }: { detail: Detail }) {
  const { id, kind, rail, usage, owner, amount_usd, created_at, explanation, traces } = detail
  const facts = Object.entries(explanation).filter(
    ([name, value]) => value !== null && !elsewhere.has(name),
  )
  return (
    <Card title="Details">
      <Facts
        facts={[
          ['Id', <Id key="id" id={id} length={30} />],
          ['Amount', <Money key="money" usd={amount_usd} />],
          ['Created', <Age key="age" since={created_at} />],
          ['Rail and usage', `${rail}, ${usage}`],
          [kind === 'task' ? 'Agent' : 'Created by', <Owner key="owner" of={detail} />],
          ['Traces', <Traces key="traces" of={traces} />],
          ...facts.map(
            ([name, value]) =>
              [
                plain(name).replace(/^./, (first) => first.toUpperCase()),
                isId(String(value)) ? (
                  <Id key={name} id={String(value)} length={30} />
                ) : (
                  <Foreign key={name} text={withShortIds(String(value))} lines />
                ),
              ] as const,
          ),
        ]}
      />
      {owner !== null && (
        <p className="m-0 mt-2">
          <Link to="/work" search={{ q: owner }} className={linkClass}>
            Everything of the same {kind === 'task' ? 'agent' : 'wallet'}
          </Link>
        </p>
      )}
    </Card>
  )
}

/** The traces of the calls that reached its workflow; log lines and problems carry the same ids. */
function Traces({ of }: { of: Detail['traces'] }) {
  if (of.length === 0) return <None />
  return (
    <span className="flex flex-wrap gap-x-4">
      {of.map(({ trace_id, url }) => (
        <span key={trace_id}>
          <Id id={trace_id} length={32} />
          {url !== null && (
            <a className="ml-2 text-accent" href={url}>
              open the trace
            </a>
          )}
        </span>
      ))}
    </span>
  )
}

function Owner({ of: { kind, owner } }: { of: Detail }) {
  if (owner === null) return <None />
  if (kind === 'payout') return <Id id={owner} length={30} />
  return (
    <span className="inline-flex items-center gap-1">
      <Link to="/agents/$id" params={{ id: owner }} className={`font-mono text-sm ${linkClass}`}>
        {owner.slice(0, 30)}…
      </Link>
      <Copy id={owner} />
    </span>
  )
}

const marks: Readonly<Record<string, string>> = {
  state: 'bg-accent',
  receipt: 'bg-good',
  transaction: 'bg-warn',
  step: 'bg-muted',
}

function Timeline({ events }: { events: Detail['timeline'] }) {
  const [first] = events
  if (first === undefined) return <p className="m-0">Nothing yet.</p>
  const begun = Date.parse(first.at)
  return (
    <ol className="m-0 list-none border-l-2 border-line p-0 pl-4">
      {events.map(({ at, what, name, detail, reference, url }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: events are only added at the end.
        <li key={index} className="relative mb-3">
          <span
            aria-hidden="true"
            className={`absolute top-1.5 -left-[1.35rem] size-2.5 rounded-full ${marks[what] ?? ''}`}
          />
          <div className="flex flex-wrap items-baseline gap-x-2">
            <strong className="font-medium">{plain(name)}</strong>
            <span className="text-sm text-muted">{what}</span>
            <time
              dateTime={at}
              title={`+${elapsed(Date.parse(at) - begun)}`}
              className="ml-auto text-sm tabular-nums text-muted"
            >
              {utc(at)}
            </time>
          </div>
          {detail !== '' && (
            <div className="text-sm">
              <Foreign text={withShortIds(detail)} />
            </div>
          )}
          {reference !== null && (
            <div className="text-sm text-muted">
              {what === 'receipt' ? (
                <ReceiptLink id={reference}>verify the receipt</ReceiptLink>
              ) : (
                <Id id={reference} length={24} />
              )}
              {url !== null && (
                <a className="ml-2 text-accent" href={url}>
                  block explorer
                </a>
              )}
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}

const elapsed = (ms: number): string => {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return ms < 3_600_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`
}

const commandHints: Readonly<Record<Command, string>> = {
  wake: 'Looks again now, instead of at the next time.',
  supply_evidence: 'Proposes an input that has what was missing.',
  correct_input: 'Proposes a corrected input; its owner accepts or declines it.',
  retry_step: 'Takes the step again that failed.',
  redeliver_callback: 'Sends the callback again.',
  replay: 'Does the work again from the beginning.',
  abandon: 'Ends the task for good.',
}

/** A command with its reason; every command leaves a signed receipt. */
function Recover({ id, commands }: { id: string; commands: readonly Command[] }) {
  const queries = useQueryClient()
  const [command, setCommand] = useState<Command>(commands[0] ?? 'wake')
  const [reason, setReason] = useState('')
  const [input, setInput] = useState('')
  const [said, setSaid] = useState<string>()
  const [error, setError] = useState<unknown>()
  const takesInput = command === 'supply_evidence' || command === 'correct_input'
  const act = async (dry_run: boolean) => {
    try {
      setError(undefined)
      const given = takesInput && input !== '' ? { input: JSON.parse(input) } : {}
      const { outcomes } = await call('recovery-act', {
        act: command,
        ids: [id],
        reason,
        dry_run,
        idempotency_key: newKey(),
        ...given,
      })
      const [outcome] = outcomes
      if (outcome?.refused !== null) setSaid(`refused: ${outcome?.refused.detail ?? ''}`)
      else setSaid(dry_run ? `it would be ${outcome.state}` : `done; it is ${outcome.state}`)
      if (!dry_run) await queries.invalidateQueries()
    } catch (refused) {
      setError(refused)
    }
  }
  return (
    <Card title="Act">
      <form className="space-y-3" onSubmit={(event) => event.preventDefault()}>
        <Field label="Command" hint={commandHints[command]}>
          <select
            className={fieldClass}
            value={command}
            onChange={(event) => setCommand(event.target.value as Command)}
          >
            {commands.map((one) => (
              <option key={one} value={one}>
                {plain(one)}
              </option>
            ))}
          </select>
        </Field>
        {takesInput && (
          <Field label="Whole input as JSON">
            <textarea
              className={`${fieldClass} font-mono text-sm`}
              rows={6}
              value={input}
              onChange={(event) => setInput(event.target.value)}
            />
          </Field>
        )}
        <Field label="Reason" hint="It is in the signed receipt.">
          <textarea
            className={fieldClass}
            rows={2}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
        <Problem error={error} />
        <div className="flex flex-wrap gap-2">
          <Button disabled={reason === ''} onClick={() => void act(true)}>
            Dry run
          </Button>
          <Button tone="primary" disabled={reason === ''} onClick={() => void act(false)}>
            Carry out
          </Button>
        </div>
        <p role="status" className="m-0">
          {said !== undefined && <Foreign text={said} />}
        </p>
      </form>
    </Card>
  )
}
