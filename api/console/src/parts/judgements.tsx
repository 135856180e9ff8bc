import { oneLine } from '#domain/core/plain-text.ts'
import { Foreign, fieldClass } from './basics.tsx'

export type Judged = Readonly<Record<string, { verdict: 'met' | 'not_met'; note: string }>>
const verdicts = [
  ['met', 'Met'],
  ['not_met', 'Not met'],
] as const

type JudgementsProps = {
  criteria: readonly string[]
  judged: Judged
  change: (judged: Judged) => void
}

/** A verdict and a note for each acceptance criterion; one without a verdict stays not judged. */
export function Judgements({ criteria, judged, change }: JudgementsProps) {
  if (criteria.length === 0) return null
  return (
    <div className="space-y-3">
      {criteria.map((criterion) => {
        const one = judged[criterion]
        return (
          <fieldset key={criterion} className="m-0 rounded-md border border-line p-3">
            <legend className="px-1 text-sm font-medium">
              <Foreign text={criterion} />
            </legend>
            <div className="flex flex-wrap items-center gap-4">
              {verdicts.map(([verdict, name]) => (
                <label key={verdict} className="flex items-center gap-1.5">
                  <input
                    type="radio"
                    name={criterion}
                    checked={one?.verdict === verdict}
                    onChange={() =>
                      change({ ...judged, [criterion]: { verdict, note: one?.note ?? '' } })
                    }
                  />
                  {name}
                </label>
              ))}
              {one === undefined && <span className="text-sm text-muted">not judged</span>}
            </div>
            {one !== undefined && (
              <input
                className={`${fieldClass} mt-2`}
                placeholder="Note"
                aria-label={`Note on ${oneLine(criterion, 80)}`}
                value={one.note}
                onChange={(event) =>
                  change({ ...judged, [criterion]: { ...one, note: event.target.value } })
                }
              />
            )}
          </fieldset>
        )
      })}
    </div>
  )
}
