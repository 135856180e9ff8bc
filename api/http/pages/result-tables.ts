import { type Html, html } from '#domain/core/html.ts'
import { oneLine } from '#domain/core/plain-text.ts'
import { text, words } from './shown.ts'

// The result of a rail as tables and facts. A page stays small whatever the result holds: the rest is in the JSON.

const ROWS_MAX = 20
const COLUMNS_MAX = 8
const MEMBERS_MAX = 60
const ITEMS_MAX = 30
const CELL_MAX = 120
const TEXT_MAX = 600
const DEPTH_MAX = 3
/** All tables and lists of facts of one page. */
const BLOCKS_MAX = 40

type Members = Readonly<Record<string, unknown>>
type Page = { blocks: number }

/** A result as tables and facts. */
export const resultTables = (result: unknown): Html =>
  isMembers(result)
    ? html`${blocksOf('', result, { blocks: 0 })}`
    : html`<p>${shownValue(result, TEXT_MAX)}</p>`

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isRows = (value: unknown): value is readonly Members[] =>
  Array.isArray(value) && value.length > 0 && value.every(isMembers)

/** First the facts of an object, then a table for each of its lists, then its objects. */
function blocksOf(name: string, members: Members, page: Page, depth = 0): Html[] {
  if (page.blocks >= BLOCKS_MAX) return []
  page.blocks += 1
  const all = Object.entries(members)
  const listed = all.slice(0, MEMBERS_MAX)
  const nests = (value: unknown) => isRows(value) || (isMembers(value) && depth < DEPTH_MAX)
  const facts = listed.filter(([, value]) => !nests(value))
  const nested = listed.filter(([, value]) => nests(value))
  const title = name === '' ? '' : html`<h3>${words(name)}</h3>`
  const more = restOf(all.length, MEMBERS_MAX, 'members')
  return [
    html`${title}${factList(facts)}${more}`,
    ...nested.flatMap(([member, value]) => {
      const path = name === '' ? member : `${name}: ${member}`
      if (isRows(value)) return tableOf(path, value, page)
      return blocksOf(path, value as Members, page, depth + 1)
    }),
  ]
}

const factList = (facts: readonly (readonly [string, unknown])[]): Html | string =>
  facts.length === 0
    ? ''
    : html`<dl class="facts">${facts.map(
        ([name, value]) => html`<dt>${words(name)}</dt><dd>${shownValue(value, TEXT_MAX)}</dd>`,
      )}</dl>`

/** Rows as a table; it scrolls by itself where it is wider than the page. */
function tableOf(name: string, rows: readonly Members[], page: Page): Html[] {
  if (page.blocks >= BLOCKS_MAX) return []
  page.blocks += 1
  return [html`<h3>${words(name)}</h3>${dataTable(words(name), rows)}`]
}

/** The first rows as a table, and how many there are. */
export function dataTable(name: string, rows: readonly Members[]): Html {
  const shown = rows.slice(0, ROWS_MAX)
  const names = [...new Set(shown.flatMap((row) => Object.keys(row)))]
  const columns = names.slice(0, COLUMNS_MAX)
  const head = columns.map((column) => html`<th scope="col">${words(column)}</th>`)
  const body = shown.map((row) => html`<tr>${columns.map((column) => cell(row[column]))}</tr>`)
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${name}">
<table class="data"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>
${restOf(rows.length, ROWS_MAX, 'rows')}${restOf(names.length, COLUMNS_MAX, 'columns')}`
}

const cell = (value: unknown): Html =>
  typeof value === 'number'
    ? html`<td class="number">${value}</td>`
    : html`<td>${shownValue(value, CELL_MAX)}</td>`

/** What a cut list says of its rest. */
export const restOf = (count: number, shown: number, noun: string): Html | string =>
  count > shown
    ? html`<p class="rest">The first ${shown} of ${count.toLocaleString('en')} ${noun}; all are in the JSON.</p>`
    : ''

function shownValue(value: unknown, max: number): Html {
  if (value === null || value === undefined) return html`none`
  if (value === true) return html`yes`
  if (value === false) return html`no`
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.length === 0 ? html`none` : text(listed(value, max))
  if (isRows(value) && value.every(({ pointer }) => typeof pointer === 'string'))
    return html`<code>${listed(
      value.map(({ pointer }) => pointer),
      max,
    )}</code>`
  if (typeof value === 'object') return html`<code>${oneLine(JSON.stringify(value), max)}</code>`
  return text(oneLine(String(value), max))
}

function listed(items: readonly unknown[], max: number): string {
  const rest = items.length > ITEMS_MAX ? ` and ${items.length - ITEMS_MAX} more` : ''
  return oneLine(items.slice(0, ITEMS_MAX).map(String).join(', '), max) + rest
}
