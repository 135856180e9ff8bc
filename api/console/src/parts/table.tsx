import { type ReactNode, useEffect, useRef } from 'react'

/** `right`: numbers; `unseen`: its name is only for screen readers; `named`: a phone, which shows no head, names it in each row. */
type Column<Item> = {
  name: string
  of: (item: Item) => ReactNode
  right?: boolean
  unseen?: boolean
  named?: boolean
}
/** The columns of a table, from left to right. */
export type Columns<Item> = readonly Column<Item>[]
type TableProps<Item> = {
  label: string
  items: readonly Item[]
  keyOf: (item: Item) => string
  columns: Columns<Item>
  /** The item whose row stays in view. */
  current?: Item | undefined
}

/** A table that scrolls inside its own width; on a phone its rows are blocks. */
export const Table = <Item,>({ label, items, keyOf, columns, current }: TableProps<Item>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
  <section aria-label={label} tabIndex={0} className="overflow-x-auto">
    <table className="w-full border-collapse text-left max-sm:block">
      <thead className="max-sm:sr-only">
        <tr className="border-b border-line text-sm text-muted">
          {columns.map(({ name, right, unseen }) => (
            <th
              key={name}
              scope="col"
              className={`px-2 py-1.5 font-medium whitespace-nowrap ${right ? 'text-right' : ''}`}
            >
              {unseen ? <span className="sr-only">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-sm:block">
        {items.map((item) => (
          <Row key={keyOf(item)} current={item === current}>
            {columns.map(({ name, of, right, named }) => (
              <td
                key={name}
                className={`px-2 py-2 max-sm:inline-block max-sm:max-w-full max-sm:py-0.5 ${right ? 'sm:text-right tabular-nums' : ''}`}
              >
                {named && (
                  <span aria-hidden="true" className="mr-1 text-sm text-muted sm:hidden">
                    {name}
                  </span>
                )}
                {of(item)}
              </td>
            ))}
          </Row>
        ))}
      </tbody>
    </table>
  </section>
)

/** The current row stays in view. */
function Row({ children, current }: { children: ReactNode; current: boolean }) {
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (current) row.current?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
    <tr
      ref={row}
      className={`border-b border-line align-top last:border-0 max-sm:block max-sm:py-2 ${current ? 'bg-hover' : ''}`}
    >
      {children}
    </tr>
  )
}
