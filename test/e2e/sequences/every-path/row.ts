import { expect, vi } from 'vitest'
import {
  type Client,
  type InputOf,
  type OperationId,
  ProblemError,
} from '../../../../api/http/client.ts'
import type { AnyOperation } from '../../../../api/operation.ts'
import { operations } from '../../../../api/operations/index.ts'
import { type Address, changedLeaves, type Exchange, type Leaf, overheard } from './wire.ts'
import type { World } from './world.ts'

/** Who calls; `answer` is what the row answered, for a caller who is known by it. */
export type Caller = (world: World, answer?: unknown) => Client | Promise<Client>
type Given<Input> = Input | ((world: World) => Input | Promise<Input>)

/** Where the record of a write is read: an operation, and the member of the answer that names the record. */
export type Kept = {
  readonly in: OperationId
  readonly as: Caller
  /** The member of the answer whose value the reading has to show. */
  readonly id: string
  /** The input of the reading; by default it is the member itself. */
  readonly by?: (id: string, answer: unknown) => object
}

type Asked<Id extends OperationId> = {
  readonly as: Caller
  readonly ask: Given<InputOf<Id>>
  /** Another input; the same one where only the state or the caller changes. */
  readonly other?: Given<InputOf<Id>>
  /** Another caller for the second call. */
  readonly thenAs?: Caller
  /** What happens to the service between the two calls. */
  readonly change?: (world: World) => Promise<unknown>
}
/** Calls that a function makes, with a caller or a body of its own. */
type Made = { readonly calls: readonly [Call, Call] }
type Call = (world: World) => Promise<unknown>

/** One operation at a documented path: two calls that are to be answered differently, and the record of the second. */
export type Row<Id extends OperationId> = (Asked<Id> | Made) & {
  readonly kept?: Kept
  /** Another path than that of the operation. */
  readonly at?: string
  /** What a repeat of a call says otherwise than the call itself. */
  readonly repeated?: Readonly<Record<string, unknown>>
  /** The code that a repeat is refused with. */
  readonly refused?: string
  /** Members that differ between two equal calls, each with the reason. */
  readonly varies?: Readonly<Record<string, string>>
  /** Why the answers differ in nothing but what their inputs say. */
  readonly echoes?: string
}
export type Rows = { readonly [Id in OperationId]?: Row<Id> }

/** A record that is a receipt of the service, which anyone verifies. */
export const receipt: Kept = { in: 'verify-receipt', as: ({ open }) => open, id: 'receipt_id' }
export const open: Caller = (world) => world.open
export const agent: Caller = (world) => world.agent.client
export const operator: Caller = (world) => world.operator
/** The same service in another configuration, with rotated keys. */
export const elsewhere: Caller = (world) => world.elsewhere()

/** Calls twice, once more unchanged in between, and reads the record of the second call. */
export async function follow(world: World, id: OperationId, row: Row<OperationId>): Promise<void> {
  const at = row.at === undefined ? addressOf(id) : { paths: [row.at] }
  const { first, change, second } = stepsOf(id, row)
  const { exchange: one } = await overheard(at, () => first(world))
  await expectUnchanged(one, row)
  await change?.(world)
  if (row.kept === undefined) {
    const compared = async () => {
      const { exchange } = await overheard(at, () => second(world))
      expectOther(one, exchange, row)
    }
    await vi.waitFor(compared, { timeout: 60_000, interval: 300 })
    return
  }
  const { returned: other, exchange } = await overheard(at, () => second(world))
  expectOther(one, exchange, row)
  const found = memberOf(other, row.kept.id)
  expect(found, `the member ${row.kept.id} of ${JSON.stringify(other)}`).toBeTypeOf('string')
  const caller = await row.kept.as(world, other)
  const input = row.kept.by?.(String(found), other) ?? { [row.kept.id]: found }
  const { body } = await caller.call(row.kept.in, input as never)
  expect(JSON.stringify(body)).toContain(found)
}

async function expectUnchanged(
  { answer, again }: Exchange,
  { varies, repeated, refused }: Row<OperationId>,
) {
  if (refused !== undefined) {
    expect(await again(), 'the same call again').toMatchObject({ code: refused })
    return
  }
  const content = (value: unknown) => contentOf(value, named(varies))
  const expected = repeated === undefined ? answer : { ...Object(answer), ...repeated }
  expect(content(await again()), 'the same call again').toEqual(content(expected))
  expect(content(await again()), 'the same call a third time').toEqual(content(expected))
}

/** The second answer has other content, and not only what its input says. */
function expectOther(one: Exchange, two: Exchange, { varies, echoes }: Row<OperationId>) {
  const [ofFirst, ofSecond] = changedLeaves(one.input, two.input)
  const without = (leaves?: readonly Leaf[]) =>
    [one, two].map(({ answer }) => contentOf(answer, named(varies, leaves)))
  const [first, second] = without([...ofFirst, ...ofSecond])
  if (echoes === undefined) return expect(second, 'the second answer').not.toEqual(first)
  expect(second, `more than an echo (${echoes})`).toEqual(first)
  const [before, after] = without(ofSecond.length === 0 ? undefined : ofSecond)
  expect(after, 'the second answer').not.toEqual(before)
}
const named = (varies: object = {}, leaves?: readonly Leaf[]): Left => ({
  names: Object.keys(varies),
  leaves,
})

const registry: readonly AnyOperation[] = operations
function addressOf(id: OperationId): Address {
  const found = registry.find((operation) => operation.id === id)
  if (found === undefined) throw new Error(`there is no operation ${id}`)
  const { method, path, aliases = [] } = found.http
  const mode = found.mode === undefined ? {} : { mode: found.mode }
  return { paths: [path, ...aliases], method, ...mode }
}

function stepsOf(id: OperationId, row: Row<OperationId>) {
  if ('calls' in row) return { first: row.calls[0], change: undefined, second: row.calls[1] }
  const { as, ask, other = ask, thenAs = as, change } = row as Asked<never> & { ask: object }
  const sending = (by: Caller, given: unknown) => (world: World) => send(world, id, by, given)
  return { first: sending(as, ask), change, second: sending(thenAs, other) }
}

/** The answer; one that asks for money is an answer too. */
async function send(world: World, id: OperationId, as: Caller, given: unknown): Promise<unknown> {
  const input = typeof given === 'function' ? await given(world) : given
  try {
    return (await (await as(world)).call(id, input as never)).body
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'payment_required') return error.problem
    throw error
  }
}

/** The first member of this name, the outer ones first. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Object.hasOwn(value, name)) return value[name as keyof typeof value]
  for (const part of Object.values(value)) {
    const found = memberOf(part, name)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}

/** Members that count, or that change by themselves: the log takes a receipt a moment after it is issued. */
const counted =
  /^(iat|exp|sequence|leaf_index|tree_size|ms|.*_ms|from_sequence|version_number|position|log_state|logged_receipts)$/
const unixSeconds = /^1[789]\d{8}$/
const fresh = [
  /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /(0x)?[0-9a-f]{12,}/g,
  /[A-Za-z0-9_-]{43,}/g,
  // 16 random bytes, and no name of lower-case letters.
  /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{22}(?![\w-])/g,
  /\b1[789]\d{8}\b/g,
  // The end of a handshake's nonce, ages in whole seconds, and what is counted within a minute.
  /(?<=\bhs_)1[789]\d{8}(?=_)/g,
  /(?<=signed |waits for )\d+(?= s\b)|\d+(?= counters run now| addresses or keys failed)/g,
]
/** What else is left out of an answer: members of these names, and what an input said. */
type Left = { readonly names: readonly string[]; readonly leaves: readonly Leaf[] | undefined }

/** An answer without its ids, times, signatures, nonces and digests, which each call has its own of. */
export function contentOf(value: unknown, left: Left = { names: [], leaves: undefined }): unknown {
  const signed = typeof value === 'string' ? /^eyJ[\w-]*\.([\w-]+)\.[\w-]+~?$/.exec(value) : null
  if (signed !== null)
    return contentOf(JSON.parse(Buffer.from(String(signed[1]), 'base64url').toString()), left)
  if (typeof value === 'string')
    return fresh.reduce((text, part) => text.replace(part, '…'), unsaid(value, left))
  if (typeof value === 'number' && unixSeconds.test(String(value))) return '…'
  if (Array.isArray(value)) return value.map((part) => contentOf(part, left))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(
    ([name, part]) =>
      !counted.test(name) && !left.names.includes(name) && !isSaid(name, part, left),
  )
  return Object.fromEntries(
    members.map(([name, part]) => [unsaid(name, left), contentOf(part, left)]),
  )
}

/** Whether a member is a number that an input said, or a truth value that it said under this name. */
const isSaid = (name: string, value: unknown, { leaves = [] }: Left): boolean =>
  leaves.some((leaf) =>
    typeof value === 'number'
      ? leaf.value === value
      : typeof value === 'boolean' && leaf.name === name && leaf.value === value,
  )
/** A text without the address of the service and what an input said, as whole words. */
function unsaid(text: string, { leaves }: Left): string {
  if (leaves === undefined) return text
  let found = text.replace(/https?:\/\/127\.0\.0\.1:\d+/g, '…')
  for (const { value } of leaves) {
    if (typeof value !== 'string' || value === '') continue
    const said = value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    found = found.replace(new RegExp(`(?<![A-Za-z0-9])${said}(?![A-Za-z0-9])`, 'g'), '(said)')
  }
  return found
}
