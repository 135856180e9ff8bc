import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { oneLine } from '#domain/core/plain-text.ts'
import type { Series } from './series.ts'

const colours = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6']
const colour = (index: number, of: Element): string =>
  getComputedStyle(of)
    .getPropertyValue(colours[index % colours.length] ?? '')
    .trim()

/** Numbers as a picture, and as a table for those who do not see it. */
export function Chart({ series }: { series: Series }) {
  return (
    <figure className="m-0">
      <figcaption className="mb-1 text-sm font-medium">
        <bdi>{oneLine(series.title, 80)}</bdi>
      </figcaption>
      {series.times === null ? (
        <Bars series={series} />
      ) : (
        <Lines series={series} times={series.times} />
      )}
      <Legend series={series} />
    </figure>
  )
}

const DAY_S = 86_400

/** The date where ticks are a day or more apart, else the time of day; both in UTC, as everywhere in the console. */
function utcTicks(_plot: uPlot, ticks: number[]): string[] {
  const [first = 0, second = 0] = ticks
  const [from, to] = second - first >= DAY_S ? [5, 10] : [11, 16]
  return ticks.map((at) => new Date(at * 1000).toISOString().slice(from, to))
}

function Lines({ series, times }: { series: Series; times: number[] }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = place
    if (current === null) return
    const text = getComputedStyle(current).color
    const grid = { stroke: 'rgb(128 128 128 / 0.25)', width: 1 }
    const axis = { stroke: text, grid, ticks: grid }
    const plot = new uPlot(
      {
        width: current.clientWidth,
        height: 180,
        legend: { show: false },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        axes: [
          { ...axis, values: utcTicks },
          { ...axis, size: 76 },
        ],
        series: [
          {},
          ...series.lines.map((_, index) => ({
            stroke: colour(index, current),
            width: 2,
            points: { show: times.length < 40 },
          })),
        ],
      },
      [times, ...series.lines.map(({ values }) => values)],
      current,
    )
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: current.clientWidth, height: 180 }),
    )
    observer.observe(current)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [series, times])
  return <div ref={place} aria-hidden="true" className="h-[180px] w-full overflow-hidden" />
}

const BARS_MAX = 12

function Bars({ series }: { series: Series }) {
  const [line] = series.lines
  if (line === undefined) return null
  const most = Math.max(...line.values.map((value) => Math.abs(value ?? 0)), 1e-9)
  return (
    <div aria-hidden="true" className="space-y-1">
      {series.labels.slice(0, BARS_MAX).map((label, index) => {
        const value = line.values[index] ?? 0
        return (
          <div key={label} className="grid grid-cols-[9rem_1fr_5rem] items-center gap-2 text-sm">
            <bdi className="truncate">{oneLine(label, 40)}</bdi>
            <span
              className="block h-3 rounded-sm bg-[var(--chart-1)]"
              style={{ width: `${(Math.abs(value) / most) * 100}%` }}
            />
            <span className="text-right tabular-nums">{value.toLocaleString('en')}</span>
          </div>
        )
      })}
    </div>
  )
}

function Legend({ series: { lines, labels } }: { series: Series }) {
  return (
    <>
      <ul
        aria-hidden="true"
        hidden={lines.length === 1}
        className="m-0 mt-1 flex list-none flex-wrap gap-x-4 p-0 text-sm text-muted"
      >
        {lines.map(({ name }, index) => (
          <li key={name} className="flex items-center gap-1">
            <span
              className="inline-block size-2.5 rounded-full"
              style={{ background: `var(${colours[index % colours.length]})` }}
            />
            <bdi>{oneLine(name, 40)}</bdi>
          </li>
        ))}
      </ul>
      <div className="sr-only">
        <table>
          <tbody>
            {labels.map((label, row) => (
              <tr key={label}>
                <th scope="row">{oneLine(label, 60)}</th>
                {lines.map(({ name, values }) => (
                  <td key={name}>{`${oneLine(name, 40)}: ${values[row] ?? 'none'}`}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
