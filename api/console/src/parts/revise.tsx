import { useState } from 'react'
import type { InputOf } from '../calls.ts'
import type { Evidence } from '../pages/review.tsx'
import { Field, fieldClass } from './basics.tsx'

export type Revision = NonNullable<InputOf<'loop-review-record'>['revision']>
type Change = (revision: Revision | undefined) => void
type Values = Readonly<Record<string, unknown>>

/** The parameters that the rail of several runs declares, with the present values of the first. */
export function ReviseAll({ evidence, change }: { evidence: Evidence; change: Change }) {
  const parameters = evidence.parts.find(({ name }) => name === 'parameters')?.content
  if (typeof parameters !== 'object' || parameters === null)
    return <p className="m-0">Runs of this rail have no parameters: revise them one by one.</p>
  return (
    <div className="space-y-3 rounded-md border border-line p-3">
      <Parameters parameters={parameters as Values} change={change} />
    </div>
  )
}

/** What a revision changes: parameters that the rail declares, or the whole input, which the agent has to accept. */
export function Revise({ evidence, change }: { evidence: Evidence; change: Change }) {
  const partOf = (name: string) => evidence.parts.find((part) => part.name === name)?.content
  const parameters = (partOf('parameters') ?? undefined) as Values | undefined
  const [whole, setWhole] = useState(parameters === undefined)
  return (
    <div className="space-y-3 rounded-md border border-line p-3">
      {parameters !== undefined && (
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={whole}
            onChange={(event) => {
              setWhole(event.target.checked)
              change(undefined)
            }}
          />
          Propose a corrected input, which the agent has to accept
        </label>
      )}
      {whole || parameters === undefined ? (
        <WholeInput input={partOf('input')} change={change} />
      ) : (
        <Parameters parameters={parameters} change={change} />
      )}
    </div>
  )
}

function Parameters({ parameters, change }: { parameters: Values; change: Change }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const write = (name: string, text: string) => {
    const next = { ...texts, [name]: text }
    setTexts(next)
    const changed = Object.entries(next).flatMap(([one, given]) => {
      const value = parsed(given)
      const isSame = JSON.stringify(value) === JSON.stringify(parameters[one])
      return given === '' || isSame ? [] : [[one, value] as const]
    })
    change(changed.length === 0 ? undefined : { parameters: Object.fromEntries(changed) })
  }
  return Object.entries(parameters).map(([name, value]) => (
    <Field key={name} label={name.replaceAll('_', ' ')} hint={`now ${written(value)}`}>
      <input
        className={fieldClass}
        value={texts[name] ?? ''}
        onChange={(event) => write(name, event.target.value)}
      />
    </Field>
  ))
}

/** A value as it is typed into the field. */
function written(value: unknown): string {
  if (value === null) return 'not set'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A number, a truth value or a document as JSON; anything else is text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function WholeInput({ input, change }: { input: unknown; change: Change }) {
  const [text, setText] = useState(() => JSON.stringify(input ?? {}, null, 2))
  const write = (next: string) => {
    setText(next)
    const value = parsed(next)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    change(isObject ? { input: value as Record<string, unknown> } : undefined)
  }
  return (
    <Field label="Corrected input as JSON">
      <textarea
        className={`${fieldClass} font-mono text-sm`}
        rows={10}
        value={text}
        onChange={(event) => write(event.target.value)}
      />
    </Field>
  )
}
