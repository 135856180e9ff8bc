import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#domain/core/plain-object.ts'

/** Where an operation is called: a path, and the method and the mode where others share the path. */
export type Address = {
  readonly paths: readonly string[]
  readonly method?: string
  readonly mode?: string
}
/** A call as it went over the wire; `again` sends the same bytes and headers once more. */
export type Exchange = {
  readonly input: Readonly<Record<string, unknown>>
  readonly answer: unknown
  readonly again: () => Promise<unknown>
}
type Sent = { request: Request; body: string; came: Promise<string> }

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The text of an answer up to its end, or until its caller ended it. */
async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const part of body ?? [])
      text += decoder.decode(part as Uint8Array, { stream: true })
  } catch {
    return text
  }
  return text
}

/** Does something, and returns the last call of the address that this made. */
export async function overheard(at: Address, act: () => Promise<unknown>) {
  const original = globalThis.fetch
  const calls: Sent[] = []
  globalThis.fetch = async (url, init) => {
    if (!isAt(at, url instanceof Request ? url.url : String(url))) return original(url, init)
    const request = new Request(url, init)
    const body = await request.clone().text()
    const answer = await original(request)
    // Read at once: a stream that its caller has ended is not read later.
    const came = textOf(answer.clone())
    if (isFor(at, request.method, body)) calls.push({ request, body, came })
    return answer
  }
  const returned = await act().finally(() => {
    globalThis.fetch = original
  })
  const last = calls.at(-1)
  if (last === undefined) throw new Error(`nothing called ${at.paths[0]}`)
  const { request, body } = last
  const { url, method, headers } = request
  const sent = { method, headers, ...(body === '' ? {} : { body }) }
  const again = async () => parsed(await (await original(url, sent)).text())
  const came = parsed(await last.came)
  return { returned, exchange: { input: inputOf(last), answer: came, again } satisfies Exchange }
}

const isAt = ({ paths }: Address, url: string): boolean =>
  paths.some((path) =>
    new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(new URL(url).pathname),
  )
function isFor({ method, mode }: Address, sent: string, body: string): boolean {
  if (sent === 'DELETE' || (method !== undefined && method !== sent)) return false
  return mode === undefined || [undefined, mode].includes(membersOf(body)['mode'] as string)
}
function membersOf(body: string): Record<string, unknown> {
  const read = parsed(body)
  return isObject(read) ? read : {}
}
const inputOf = ({ request, body }: Sent) => ({
  ...Object.fromEntries(new URL(request.url).searchParams),
  ...membersOf(body),
})

/** A scalar of an input, by the name of its member. */
export type Leaf = { readonly name: string; readonly value: unknown }
type Placed = Leaf & { readonly place: string }

function* leavesIn(value: unknown, name = '', place = ''): Generator<Placed> {
  if (typeof value !== 'object' || value === null) yield { name, value, place }
  else
    for (const [member, part] of Object.entries(value))
      yield* leavesIn(part, Array.isArray(value) ? name : member, `${place}/${member}`)
}

/** Of two inputs the scalars that the other one does not have at the same place. */
export function changedLeaves(
  one: unknown,
  other: unknown,
): readonly [readonly Leaf[], readonly Leaf[]] {
  const [first, second] = [[...leavesIn(one)], [...leavesIn(other)]]
  const isIn = (leaves: readonly Placed[]) => (leaf: Placed) =>
    leaves.some((had) => isDeepStrictEqual(had, leaf))
  const differs = (leaves: readonly Placed[], others: readonly Placed[]) =>
    leaves.filter((leaf) => !isIn(others)(leaf))
  return [differs(first, second), differs(second, first)]
}
