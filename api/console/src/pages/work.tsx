import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { call, newKey, type OutputOf } from '../calls.ts'
import {
  Button,
  Card,
  Facts,
  Field,
  Foreign,
  fieldClass,
  Id,
  Loading,
  Money,
  PageTitle,
  Problem,
  State,
} from '../parts/basics.tsx'

type Detail = OutputOf<'work-read'>
type Command = Detail['commands'][number]

/** One payout or task: what it waits for, what unblocks it, and everything that happened. */
export function WorkPage() {
  const { id } = useParams({ from: '/signed-in/work/$id' })
  const read = useQuery({ queryKey: ['work', id], queryFn: () => call('work-read', { id }) })
  if (read.error !== null) return <Problem error={read.error} />
  if (read.data === undefined) return <Loading />
  const { kind, state, amount_usd, explanation, temporal_url, timeline } = read.data
  const { waits_for, required_action, ...more } = explanation
  const facts = Object.entries(more).filter(([, value]) => value !== null)
  return (
    <>
      <PageTitle
        aside={
          temporal_url !== null && (
            <a href={temporal_url} className="text-accent">
              Open in Temporal
            </a>
          )
        }
      >
        {kind === 'payout' ? 'Payout' : 'Task'} <State name={state} />
      </PageTitle>
      <div className="grid gap-4 xl:grid-cols-[1fr_24rem]">
        <div className="min-w-0 space-y-4">
          <Card title="What it waits for">
            <p className="m-0 mb-2 text-lg">
              <Foreign text={String(waits_for ?? 'nothing')} />
            </p>
            {required_action !== null && required_action !== undefined && (
              <pre className="m-0 overflow-x-auto rounded-md bg-hover p-2 font-mono text-sm whitespace-pre-wrap">
                <Foreign text={String(required_action)} lines />
              </pre>
            )}
          </Card>
          <Card title="What happened">
            <Timeline events={timeline} />
          </Card>
          <Card title="Details">
            <Facts
              facts={[
                ['id', <Id key="id" id={read.data.id} length={30} />],
                ['amount', <Money key="money" usd={amount_usd} />],
                ...facts.map(
                  ([name, value]) =>
                    [
                      name.replaceAll('_', ' '),
                      <Foreign key={name} text={String(value)} lines />,
                    ] as const,
                ),
              ]}
            />
          </Card>
        </div>
        <div className="xl:sticky xl:top-4 xl:self-start">
          <Recover id={read.data.id} commands={read.data.commands} />
        </div>
      </div>
    </>
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
            <strong>{name.replaceAll('_', ' ')}</strong>
            <span className="text-sm text-muted">{what}</span>
            <time dateTime={at} title={at} className="ml-auto text-sm tabular-nums text-muted">
              {new Date(at).toISOString().slice(0, 19).replace('T', ' ')} · +
              {elapsed(Date.parse(at) - begun)}
            </time>
          </div>
          {detail !== '' && (
            <div className="text-sm">
              <Foreign text={detail} />
            </div>
          )}
          {reference !== null && (
            <div className="text-sm text-muted">
              {what === 'receipt' ? (
                <a className="text-accent" href={`/api/verify-receipt?receipt_id=${reference}`}>
                  verify the receipt
                </a>
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
    <Card title="Recover">
      <form className="space-y-3" onSubmit={(event) => event.preventDefault()}>
        <Field label="Command">
          <select
            className={fieldClass}
            value={command}
            onChange={(event) => setCommand(event.target.value as Command)}
          >
            {commands.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
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
