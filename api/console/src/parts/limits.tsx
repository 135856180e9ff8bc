import type { InputOf } from '../calls.ts'
import { Field, fieldClass } from './basics.tsx'

export type Limits = NonNullable<InputOf<'loop-review-record'>['limits']>
type LimitFieldsProps = {
  asked: { rails: readonly string[]; scopes: readonly string[] }
  limits: Limits
  change: (limits: Limits) => void
}
type Numbers = 'max_usd' | 'concurrent_runs'

const numbers: readonly (readonly [Numbers, string, string, number])[] = [
  ['max_usd', 'Most to pay at once, in USD', 'no limit', 0],
  ['concurrent_runs', 'Runs at once', 'no limit; further runs wait', 1],
]

/** What an agent is allowed: as it asked, unless something is taken away. */
export function LimitFields({ asked, limits, change }: LimitFieldsProps) {
  const toggle = (name: 'rails' | 'scopes', all: readonly string[], one: string) => {
    const allowed: readonly string[] = limits[name] ?? all
    const next = all.filter((other) => (other === one) !== allowed.includes(other))
    change({ ...limits, [name]: next })
  }
  return (
    <div className="space-y-3 rounded-md border border-line p-3">
      {(['rails', 'scopes'] as const).map((name) => (
        <fieldset key={name} className="border-0 p-0">
          <legend className="mb-1 text-sm font-medium">Allowed {name}</legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1">
            {asked[name].map((one) => (
              <label key={one} className="flex items-center gap-1.5 text-sm">
                <input
                  type="checkbox"
                  checked={(limits[name] ?? asked[name]).some((allowed) => allowed === one)}
                  onChange={() => toggle(name, asked[name], one)}
                />
                {one}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      {numbers.map(([name, label, hint, least]) => (
        <Field key={name} label={label} hint={`Empty: ${hint}.`}>
          <input
            className={fieldClass}
            type="number"
            min={least}
            step={1}
            value={limits[name] ?? ''}
            onChange={({ target: { value } }) => {
              const { [name]: _, ...others } = limits
              change(value === '' ? others : { ...others, [name]: Number(value) })
            }}
          />
        </Field>
      ))}
    </div>
  )
}
