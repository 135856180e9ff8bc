import { type FormEvent, useRef } from 'react'
import { Button, fieldClass } from './basics.tsx'
import { useShortcuts } from './shortcuts.tsx'
import { plain } from './words.ts'

export type Choice = {
  name: string
  label: string
  /** What stands for no choice. */
  any: string
  values: readonly string[]
}
type SearchFormProps = {
  /** What the text is compared with. */
  text: string
  choices: readonly Choice[]
  now: Readonly<Record<string, string | undefined>>
  search: (given: Record<string, string | undefined>) => void
}

/** A search by text and by choices; the key `/` leads to it. */
export function SearchForm({ text, choices, now, search }: SearchFormProps) {
  const field = useRef<HTMLInputElement>(null)
  useShortcuts({ '/': () => field.current?.focus() })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const names = ['q', ...choices.map(({ name }) => name)]
    search(
      Object.fromEntries(
        names.map((name) => [name, String(given.get(name) ?? '').trim() || undefined]),
      ),
    )
  }
  return (
    <form
      key={JSON.stringify(now)}
      onSubmit={submit}
      className="mb-3 grid gap-2 sm:flex sm:flex-wrap"
    >
      <input
        ref={field}
        name="q"
        aria-label={text}
        placeholder={text}
        className={`${fieldClass} sm:w-auto sm:min-w-64 sm:flex-1`}
        defaultValue={now['q'] ?? ''}
      />
      {choices.map(({ name, label, any, values }) => (
        <select
          key={name}
          name={name}
          aria-label={label}
          className={`${fieldClass} sm:w-44`}
          defaultValue={now[name] ?? ''}
        >
          <option value="">{any}</option>
          {values.map((value) => (
            <option key={value} value={value}>
              {plain(value)}
            </option>
          ))}
        </select>
      ))}
      <Button type="submit" tone="primary">
        Search
      </Button>
    </form>
  )
}
