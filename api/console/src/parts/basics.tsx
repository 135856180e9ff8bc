import { type ButtonHTMLAttributes, type ReactNode, useState, useSyncExternalStore } from 'react'
import { oneLine, printable } from '#domain/core/plain-text.ts'
import { Refused } from '../calls.ts'
import { dollars, duration, plain, utc } from './words.ts'

export const linkClass = 'text-accent no-underline hover:underline'

/** Text of a caller: never markup, with `�` for control characters, and kept apart from the direction of the text around it. */
export const Foreign = ({ text, lines = false }: { text: string; lines?: boolean }) => (
  <bdi className={lines ? 'whitespace-pre-wrap wrap-anywhere' : 'wrap-anywhere'}>
    {lines ? printable(text) : oneLine(text)}
  </bdi>
)

export function Card({
  title,
  aside,
  children,
}: {
  title?: string
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="rounded-lg border border-line bg-card p-4">
      {title !== undefined && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
          <h2 className="m-0 text-base font-semibold">{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  )
}

export const PageTitle = ({ children, aside }: { children: ReactNode; aside?: ReactNode }) => (
  <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
    <h1 className="m-0 text-xl font-semibold">{children}</h1>
    {aside}
  </div>
)

type Tone = 'plain' | 'primary' | 'danger'
const tones: Record<Tone, string> = {
  plain: 'border-line bg-card text-text hover:bg-hover',
  primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
  danger: 'border-bad bg-card text-bad hover:bg-hover',
}

export function Button({
  tone = 'plain',
  className = '',
  ...more
}: ButtonHTMLAttributes<HTMLButtonElement> & { tone?: Tone }) {
  return (
    <button
      type="button"
      className={`min-h-9 cursor-pointer rounded-md border px-3 py-1.5 font-medium disabled:cursor-not-allowed disabled:opacity-50 ${tones[tone]} ${className}`}
      {...more}
    />
  )
}

export const fieldClass =
  'min-h-9 w-full rounded-md border border-line bg-card px-2.5 py-1.5 text-text placeholder:text-muted'

export function Field({
  label,
  hint,
  children,
}: {
  label: string
  hint?: string
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label className="block">
      <span className="mb-1 block text-sm font-medium">{label}</span>
      {children}
      {hint !== undefined && <span className="mt-1 block text-sm text-muted">{hint}</span>}
    </label>
  )
}

const badTones = /fail|exception|reject|revoked|dead|parked|jam|differ|refus|^deny$/
const goodTones =
  /^(executed|final|closed|trusted|sandbox_trusted|active|allow|settled|receipt_issued|attested|approve|met)$/

function toneOf(name: string): string {
  if (badTones.test(name)) return 'text-bad'
  return goodTones.test(name) ? 'text-good' : 'text-text'
}

/** A state in its colour; the word says the same. */
export function State({ name }: { name: string }) {
  return (
    <span
      className={`inline-block rounded border border-current px-1.5 text-sm whitespace-nowrap ${toneOf(name)}`}
    >
      {plain(name)}
    </span>
  )
}

const EACH_MS = 10_000
const onTick = (call: () => void) => {
  const timer = setInterval(call, EACH_MS)
  return () => clearInterval(timer)
}
const currentTick = () => Math.floor(Date.now() / EACH_MS)

/** How long ago, counting on, with the time as its title. */
export function Age({ since }: { since: string }) {
  useSyncExternalStore(onTick, currentTick)
  const seconds = Math.max(0, (Date.now() - Date.parse(since)) / 1000)
  return (
    <time dateTime={since} title={utc(since)} className="whitespace-nowrap tabular-nums">
      {duration(seconds)}
    </time>
  )
}

/** A point in time, also one that is still to come. */
export const Moment = ({ time }: { time: string }) => (
  <time dateTime={time} className="tabular-nums">
    {utc(time)}
  </time>
)

/** What has no value; a phone leaves it out. */
export const None = () => <span className="text-muted max-sm:hidden">–</span>

export const Money = ({ usd }: { usd: string | number | null }) =>
  usd === null ? (
    <None />
  ) : (
    <span className="whitespace-nowrap tabular-nums">{dollars(usd)} USD</span>
  )

/** A receipt that was issued, and the page that verifies it. */
export const ReceiptLink = ({ id, children }: { id: string; children?: ReactNode }) => (
  <a className={linkClass} href={`/api/verify-receipt?receipt_id=${id}`}>
    {children ?? <code className="font-mono text-sm">{id.slice(0, 15)}…</code>}
  </a>
)

const CopyIcon = () => (
  <svg aria-hidden="true" viewBox="0 0 16 16" className="inline size-3.5 fill-none stroke-current">
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
  </svg>
)

const COPIED_MS = 1_500

/** Copies an id whole, and says that it did. */
export function Copy({ id, short = id.slice(0, 18) }: { id: string; short?: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    setCopied(true)
    setTimeout(() => setCopied(false), COPIED_MS)
  }
  return (
    <button
      type="button"
      aria-label={`Copy ${oneLine(short)}`}
      className="cursor-pointer rounded border border-transparent px-1 text-sm text-muted hover:border-line hover:text-text"
      onClick={() => void copy()}
    >
      {copied ? 'copied' : <CopyIcon />}
    </button>
  )
}

/** An id that is shown short and copied whole. */
export function Id({ id, length = 16 }: { id: string; length?: number }) {
  const short = id.length > length + 4 ? `${id.slice(0, length)}…` : id
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <code title={oneLine(id)} className="font-mono text-sm">
        <bdi>{oneLine(short)}</bdi>
      </code>
      <Copy id={id} short={short} />
    </span>
  )
}

/** What went wrong, with what to do next. */
export function Problem({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null
  const text = error instanceof Error ? error.message : String(error)
  const next = error instanceof Refused ? error.nextAction : ''
  return (
    <div role="alert" className="rounded-md border border-bad p-3 text-bad">
      <Foreign text={text} /> {next}
      {error instanceof Refused && <code className="ml-1 font-mono text-sm">{error.code}</code>}
    </div>
  )
}

export const Loading = () => (
  <p role="status" className="text-muted">
    Loading …
  </p>
)

/** A list without a row, and why that is well or what to do. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="rounded-lg border border-dashed border-line p-8 text-center">
    <p className="m-0 font-medium">{title}</p>
    {children !== undefined && <p className="m-0 mt-1 text-sm text-muted">{children}</p>}
  </div>
)

/** Name and value, one pair a line. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="m-0 grid grid-cols-1 gap-x-4 gap-y-1 sm:grid-cols-[12rem_1fr]">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="m-0 mb-1 min-w-0 wrap-anywhere sm:mb-0">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
