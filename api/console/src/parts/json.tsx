import { Foreign } from './basics.tsx'

const ROWS_MAX = 50
const COLUMNS_MAX = 8
const DEEP = 3
const SHORT = 24

/** A date, a name or a code stays on one line. */
const Short = ({ text }: { text: string }) => (
  <span className="whitespace-nowrap">
    <Foreign text={text} />
  </span>
)

/** A value of a document: objects as names and values, lists of like objects as tables. Texts of callers stay texts. */
export function Json({ value, depth = 0 }: { value: unknown; depth?: number }) {
  if (value === null || value === undefined) return <span className="text-muted">none</span>
  if (typeof value === 'string')
    return value.length <= SHORT ? <Short text={value} /> : <Foreign text={value} lines />
  if (typeof value !== 'object') return <span className="tabular-nums">{String(value)}</span>
  if (Array.isArray(value)) return <List items={value} depth={depth} />
  const entries = Object.entries(value)
  if (entries.length === 0) return <span className="text-muted">empty</span>
  return (
    <ul className="m-0 list-none space-y-1 p-0">
      {entries.map(([name, inner]) => (
        <li key={name} className="min-w-0">
          <span className="mr-2 text-sm text-muted">
            <Foreign text={name.replaceAll('_', ' ')} />
          </span>
          {isDeep(inner) ? <Inner value={inner} depth={depth + 1} /> : <Json value={inner} />}
        </li>
      ))}
    </ul>
  )
}

function Inner({ value, depth }: { value: unknown; depth: number }) {
  const shown = <Json value={value} depth={depth} />
  return (
    <div className="mt-0.5 border-l-2 border-line pl-3">
      {depth < DEEP ? (
        shown
      ) : (
        <details>
          <summary className="cursor-pointer text-sm">{sizeOf(value)}</summary>
          {shown}
        </details>
      )}
    </div>
  )
}

function List({ items, depth }: { items: readonly unknown[]; depth: number }) {
  if (items.length === 0) return <span className="text-muted">none</span>
  if (items.every(isCitation)) return <Citations items={items} />
  const columns = columnsOf(items)
  const shown = items.slice(0, ROWS_MAX)
  return (
    <>
      {columns === undefined ? (
        <ul className="m-0 list-disc pl-5">
          {shown.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
            <li key={index}>
              <Json value={item} depth={depth + 1} />
            </li>
          ))}
        </ul>
      ) : (
        <Rows columns={columns} rows={shown} />
      )}
      {items.length > ROWS_MAX && (
        <p className="m-0 mt-1 text-sm text-muted">
          and {(items.length - ROWS_MAX).toLocaleString('en')} more rows
        </p>
      )}
    </>
  )
}

type Citation = { pointer: string; quote?: string }
const isCitation = (item: unknown): item is Citation =>
  isObject(item) &&
  typeof Reflect.get(item, 'pointer') === 'string' &&
  Object.keys(item).every((name) => name === 'pointer' || name === 'quote')

/** Places in the input, with the words that stand there. */
const Citations = ({ items }: { items: readonly Citation[] }) => (
  <ul className="m-0 list-none p-0">
    {items.slice(0, ROWS_MAX).map(({ pointer, quote }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
      <li key={index}>
        <code className="font-mono text-xs">
          <Foreign text={pointer} />
        </code>
        {quote !== undefined && (
          <q className="ml-1 text-muted">
            <Foreign text={quote} />
          </q>
        )}
      </li>
    ))}
  </ul>
)

function Rows({ columns, rows }: { columns: readonly string[]; rows: readonly unknown[] }) {
  return (
    <table className="border-collapse text-left text-sm">
      <thead>
        <tr className="border-b border-line text-muted">
          {columns.map((name) => (
            <th key={name} scope="col" className="py-1 pr-3 font-medium whitespace-nowrap">
              <Foreign text={name.replaceAll('_', ' ')} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order.
          <tr key={index} className="border-b border-line align-top last:border-0">
            {columns.map((name) => (
              <td key={name} className="min-w-24 py-1 pr-3">
                <Json value={(row as Record<string, unknown>)[name]} depth={DEEP} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The columns of a list of objects, where they have few. */
function columnsOf(items: readonly unknown[]): string[] | undefined {
  if (items.length < 2 || !items.every(isObject)) return undefined
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  return names.length <= COLUMNS_MAX ? names : undefined
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isDeep = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
const sizeOf = (value: unknown): string =>
  Array.isArray(value) ? `${value.length} items` : `${Object.keys(value as object).length} members`
