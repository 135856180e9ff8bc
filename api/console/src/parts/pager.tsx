import { Button } from './basics.tsx'

type Paged = {
  offset: number
  shown: number
  limit: number
  total?: number
  go: (offset: number) => void
}

/** Which rows are shown, and the pages before and after. */
export function Pager({ offset, shown, limit, total, go }: Paged) {
  const last = offset + shown
  const more = total === undefined ? shown === limit : last < total
  return (
    <nav
      aria-label="Pages of the list"
      className="mt-3 flex items-center justify-between gap-3 text-sm text-muted"
    >
      <span className="tabular-nums">
        {shown === 0 ? 'none' : `${offset + 1}–${last}`}
        {total === undefined ? '' : ` of ${total.toLocaleString('en')}`}
      </span>
      <span className="flex gap-2">
        <Button disabled={offset === 0} onClick={() => go(Math.max(0, offset - limit))}>
          Previous
        </Button>
        <Button disabled={!more} onClick={() => go(last)}>
          Next
        </Button>
      </span>
    </nav>
  )
}
