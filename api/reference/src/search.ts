import MiniSearch from 'minisearch'
import { byId, made } from './dom.ts'

type Found = { id: string; summary: string; call: string; at?: string }
const SHOWN_MAX = 25

/** The search over all operations; its index is loaded when someone begins to type. */
export function prepareSearch(): void {
  const input = byId<HTMLInputElement>('find')
  const results = byId('results')
  if (input === null || results === null) return
  input.disabled = false
  let index: Promise<MiniSearch<Found>> | undefined
  input.addEventListener('input', async () => {
    index ??= loadIndex()
    const loaded = await index
    show(find(loaded, input.value), input.value.trim() !== '')
  })
  addEventListener('keydown', (event) => moveFocus(event, input, results))
}

async function loadIndex(): Promise<MiniSearch<Found>> {
  const index = new MiniSearch<Found>({
    fields: ['id', 'call', 'family', 'fields', 'answer', 'codes', 'summary'],
    storeFields: ['id', 'summary', 'call', 'at'],
    tokenize: (text) => text.split(/[\s/{}_.:-]+/).concat(text.split(/[\s/]+/)),
    searchOptions: {
      boost: { id: 6, call: 4, fields: 4, summary: 2 },
      prefix: true,
      combineWith: 'AND',
    },
  })
  const answer = await fetch('/docs/search.json', { credentials: 'omit' })
  index.addAll((await answer.json()) as Found[])
  return index
}

const find = (index: MiniSearch<Found>, text: string): Found[] =>
  index.search(text).map(({ id, summary, call, at }) => ({ id, summary, call, at }) as Found)

function show(found: readonly Found[], asked: boolean): void {
  const count = found.length === 1 ? '1 operation' : `${found.length} operations`
  const status = byId('found')
  if (status !== null) status.textContent = asked ? count : ''
  const items = found.slice(0, SHOWN_MAX).map(({ id, summary, call, at }) => {
    const link = made('a', id)
    link.href = at ?? `/docs/${id}`
    link.append(made('small', call), made('small', summary))
    const item = made('li')
    item.append(link)
    return item
  })
  byId('results')?.replaceChildren(...items)
}

/** `/` goes to the search, the arrows through what it found, and Escape empties it. */
function moveFocus(event: KeyboardEvent, input: HTMLInputElement, results: HTMLElement): void {
  const { key, target } = event
  const writes = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement
  if (key === '/' && !writes) {
    event.preventDefault()
    input.focus()
    return
  }
  const inSearch = target === input || (target instanceof Node && results.contains(target))
  if (!inSearch) return
  if (key === 'Escape') {
    input.value = ''
    show([], false)
    input.focus()
  }
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return
  event.preventDefault()
  const places = [input, ...results.querySelectorAll('a')]
  const at = places.indexOf(target as HTMLAnchorElement)
  places[at + (key === 'ArrowDown' ? 1 : -1)]?.focus()
}
